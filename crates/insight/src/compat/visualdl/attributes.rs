//! Arguments of events that the model does not hold: launch configurations of kernels, shapes of operators'
//! inputs.
//!
//! Read in one pass over the trace's files. Must not know the tables that show them.

use rustc_hash::FxHashMap;

use crate::analysis::arguments::launch_config::LaunchConfigs;
use crate::analysis::arguments::shapes::shapes;
use crate::compat::paddle::forest::Forest;
use proftui_base::saturate::saturate;
use proftui_trace::import::Texts;
use proftui_trace::model::{Category, Origin, SliceId};

/// The launch configurations of kernels and the input shapes of operators, as read from the trace's files.
#[derive(Default)]
pub(super) struct Attributes {
    pub launch_configs: LaunchConfigs,
    /// The distinct texts of operators' input shapes; the empty text stands for no shapes.
    pub shapes: Vec<String>,
    /// For each operator that was read, the index of its input shapes in `shapes`.
    operators: FxHashMap<SliceId, u32>,
    /// The error of reading the files again, if any.
    pub error: Option<String>,
}

impl Attributes {
    /// Reads the launch configurations of kernels launched in `forest` if `kernels` is true, and the input
    /// shapes of its operators if `operators` is.
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
        wanted.retain(|&slice| slices.origin[slice] != Origin::NONE);
        wanted.sort_unstable_by_key(|&slice| slices.origin[slice]);
        let mut read = Self::default();
        if wanted.is_empty() {
            return read;
        }
        let origins: Vec<Origin> = wanted.iter().map(|&slice| slices.origin[slice]).collect();
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        let visited = texts.visit(&origins, |at, event| {
            let slice = wanted[at];
            if slices.category(slice) != Category::Operator {
                return read.launch_configs.add(slice, event);
            }
            let shape = *known.entry(shapes(event)).or_insert_with_key(|text| {
                read.shapes.push(text.clone());
                saturate::<u32>(read.shapes.len()) - 1
            });
            read.operators.insert(slice, shape);
        });
        read.error = visited.err().map(|error| error.to_string());
        read
    }

    /// The index in `shapes` of an operator's input shapes; None if the operator was not read.
    pub(super) fn shape(&self, slice: SliceId) -> Option<u32> {
        self.operators.get(&slice).copied()
    }

    /// True if at least one operator that was read has input shapes.
    pub(super) fn has_shapes(&self) -> bool {
        self.shapes.iter().any(|shape| !shape.is_empty())
    }
}
