//! What the model does not hold of kernels and operators: how a kernel was launched, the shapes of an operator's inputs.
//!
//! Read from the events' arguments in one pass over the files. Must not know what is made of it.

use rustc_hash::FxHashMap;

use crate::analysis::launch::Launches;
use crate::analysis::shapes::shapes;
use crate::compat::paddle::forest::Forest;
use crate::import::Texts;
use crate::model::{Category, Origin, SliceId};

/// All that was read.
#[derive(Default)]
pub(super) struct Attributes {
    pub launches: Launches,
    /// The texts of input shapes, and which an operator has.
    pub shapes: Vec<String>,
    operators: FxHashMap<SliceId, u32>,
    /// Why nothing could be read, in words.
    pub fault: Option<String>,
}

impl Attributes {
    /// Reads those of kernels, of operators, or of both.
    pub(super) fn of(forest: &Forest<'_>, texts: &Texts, kernels: bool, operators: bool) -> Self {
        let slices = &forest.trace.slices;
        let mut wanted: Vec<SliceId> = Vec::new();
        if kernels {
            let work = forest.holders().flat_map(|holder| forest.direct_work(holder));
            wanted.extend(work.filter(|&work| slices.category(work) == Category::Kernel));
        }
        if operators {
            let nodes = forest.nodes.iter().map(|node| node.slice);
            wanted.extend(nodes.filter(|&slice| slices.category(slice) == Category::Operator));
        }
        wanted.retain(|&slice| slices.origin[slice as usize] != Origin::NONE);
        wanted.sort_unstable_by_key(|&slice| slices.origin[slice as usize]);
        let mut read = Self::default();
        if wanted.is_empty() {
            return read;
        }
        let origins: Vec<Origin> = wanted.iter().map(|&slice| slices.origin[slice as usize]).collect();
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        let visited = texts.visit(&origins, |at, event| {
            let slice = wanted[at];
            if slices.category(slice) != Category::Operator {
                return read.launches.take(slice, event);
            }
            let shape = *known.entry(shapes(event)).or_insert_with_key(|text| {
                read.shapes.push(text.clone());
                read.shapes.len() as u32 - 1
            });
            read.operators.insert(slice, shape);
        });
        read.fault = visited.err().map(|error| error.to_string());
        read
    }

    /// The number of an operator's shapes.
    pub(super) fn shape(&self, slice: SliceId) -> Option<u32> {
        self.operators.get(&slice).copied()
    }

    /// True when an operator has shapes.
    pub(super) fn has_shapes(&self) -> bool {
        self.shapes.iter().any(|shape| !shape.is_empty())
    }
}
