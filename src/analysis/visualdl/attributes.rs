//! What the model does not hold of kernels and operators: how a kernel was launched, the shapes of an operator's inputs.
//!
//! Read from the events' arguments in one pass over the files. Must not know what is made of it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::analysis::paddle::forest::Forest;
use crate::analysis::shapes::{argument, shapes};
use crate::import::{RawValue, Texts};
use crate::model::{Category, Origin, SliceId};

/// How a kernel was launched; kernels that agree share one. Empty where not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Launch {
    /// Blocks, such as `[80,1,1]`.
    pub grid: String,
    /// Threads in each block.
    pub block: String,
    /// Registers of each thread.
    pub registers: String,
    /// Shared memory of each block, bytes.
    pub shared_memory: String,
}

/// What is told of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Attribute {
    /// Which launch, an index.
    pub launch: u32,
    /// Blocks for each multiprocessor; not a number where not told.
    pub blocks_per_sm: f64,
    /// Achieved occupancy as estimated, 0 to 1; not a number where not told.
    pub occupancy: f64,
}

/// All that was read.
#[derive(Default)]
pub(super) struct Attributes {
    pub launches: Vec<Launch>,
    kernels: FxHashMap<SliceId, Attribute>,
    /// The texts of input shapes, and which an operator has.
    pub shapes: Vec<String>,
    operators: FxHashMap<SliceId, u32>,
    /// Why nothing could be read, in words.
    pub fault: Option<String>,
}

/// Its text without blanks.
fn compact(value: Option<RawValue<'_>>) -> String {
    let text = value.map_or(Cow::Borrowed(&b""[..]), RawValue::text);
    String::from_utf8_lossy(&text).chars().filter(|c| !c.is_whitespace()).collect()
}

fn number(value: Option<RawValue<'_>>) -> f64 {
    compact(value).parse().unwrap_or(f64::NAN)
}

/// The number of `value` among those seen; a new one is added.
fn numbered<T: Clone + Eq + std::hash::Hash>(
    known: &mut FxHashMap<T, u32>,
    all: &mut Vec<T>,
    value: T,
) -> u32 {
    *known.entry(value).or_insert_with_key(|value| {
        all.push(value.clone());
        all.len() as u32 - 1
    })
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
        let (mut launches, mut known_shapes) = (FxHashMap::default(), FxHashMap::default());
        let visited = texts.visit(&origins, |at, event| {
            let slice = wanted[at];
            if slices.category(slice) == Category::Operator {
                let shape = numbered(&mut known_shapes, &mut read.shapes, shapes(event));
                read.operators.insert(slice, shape);
                return;
            }
            let launch = Launch {
                grid: compact(event.argument(b"grid")),
                block: compact(event.argument(b"block")),
                registers: compact(event.argument(b"registers per thread")),
                shared_memory: compact(event.argument(b"shared memory")),
            };
            let launch = numbered(&mut launches, &mut read.launches, launch);
            let names: [&[u8]; 2] = [b"theoretical achieved occupancy %", b"est. achieved occupancy %"];
            let occupancy = number(argument(event, &names)) / 100.0;
            let blocks_per_sm = number(event.argument(b"blocks per SM"));
            read.kernels.insert(slice, Attribute { launch, blocks_per_sm, occupancy });
        });
        read.fault = visited.err().map(|error| error.to_string());
        read
    }

    /// What is told of a kernel.
    pub(super) fn kernel(&self, slice: SliceId) -> Option<Attribute> {
        self.kernels.get(&slice).copied()
    }

    /// The number of an operator's shapes.
    pub(super) fn shape(&self, slice: SliceId) -> Option<u32> {
        self.operators.get(&slice).copied()
    }

    /// True when launches are told.
    pub(super) fn has_kernels(&self) -> bool {
        self.launches.iter().any(|launch| *launch != Launch::default())
    }

    /// True when an operator has shapes.
    pub(super) fn has_shapes(&self) -> bool {
        self.shapes.iter().any(|shape| !shape.is_empty())
    }
}
