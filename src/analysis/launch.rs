//! How kernels were launched: grid, block, registers, shared memory, occupancy; arguments, read from the files.
//!
//! Must not know what is summed up by them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::import::{RawEvent, RawValue, Texts, VisitError};
use crate::model::{Category, LaneId, Origin, SliceId, Trace};

use super::scope::Scope;
use super::shapes::argument;

/// How a kernel was launched; kernels that agree share one. Empty where not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Launch {
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
pub(crate) struct Attribute {
    /// Which launch, an index.
    pub launch: u32,
    /// Blocks for each multiprocessor; not a number where not told.
    pub blocks_per_sm: f64,
    /// Achieved occupancy as estimated, 0 to 1; not a number where not told.
    pub occupancy: f64,
}

/// The launches of many kernels.
#[derive(Debug, Default)]
pub struct Launches {
    all: Vec<Launch>,
    known: FxHashMap<Launch, u32>,
    kernels: FxHashMap<SliceId, Attribute>,
}

/// Its text without blanks.
fn compact(value: Option<RawValue<'_>>) -> String {
    let text = value.map_or(Cow::Borrowed(&b""[..]), RawValue::text);
    String::from_utf8_lossy(&text).chars().filter(|c| !c.is_whitespace()).collect()
}

fn number(value: Option<RawValue<'_>>) -> f64 {
    compact(value).parse().unwrap_or(f64::NAN)
}

impl Launches {
    /// Reads those of all kernels of `scope`.
    ///
    /// # Errors
    /// When the files cannot be read again.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Result<Self, VisitError> {
        let slices = &trace.slices;
        let all = (0..trace.lanes.len() as LaneId).flat_map(|lane| scope.slices(trace, lane));
        let is_wanted = |&id: &SliceId| {
            slices.category(id) == Category::Kernel && slices.origin[id as usize] != Origin::NONE
        };
        let mut wanted: Vec<SliceId> = all.filter(is_wanted).collect();
        wanted.sort_unstable_by_key(|&id| slices.origin[id as usize]);
        let origins: Vec<Origin> = wanted.iter().map(|&id| slices.origin[id as usize]).collect();
        let mut read = Self::default();
        texts.visit(&origins, |at, event| read.take(wanted[at], event))?;
        Ok(read)
    }

    /// Takes what is told of one kernel.
    pub(crate) fn take(&mut self, kernel: SliceId, event: &RawEvent<'_, '_>) {
        let launch = Launch {
            grid: compact(event.argument(b"grid")),
            block: compact(event.argument(b"block")),
            registers: compact(event.argument(b"registers per thread")),
            shared_memory: compact(event.argument(b"shared memory")),
        };
        let all = &mut self.all;
        let launch = *self.known.entry(launch).or_insert_with_key(|launch| {
            all.push(launch.clone());
            all.len() as u32 - 1
        });
        let names: [&[u8]; 2] = [b"theoretical achieved occupancy %", b"est. achieved occupancy %"];
        let occupancy = number(argument(event, &names)) / 100.0;
        let blocks_per_sm = number(event.argument(b"blocks per SM"));
        self.kernels.insert(kernel, Attribute { launch, blocks_per_sm, occupancy });
    }

    /// What is told of a kernel.
    pub(crate) fn of(&self, kernel: SliceId) -> Option<Attribute> {
        self.kernels.get(&kernel).copied()
    }

    /// Every kernel of which something is told, in order.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (SliceId, Attribute)> {
        let mut kernels: Vec<_> = self.kernels.iter().map(|(&kernel, &told)| (kernel, told)).collect();
        // Sums of floats are the same each time only in the same order.
        kernels.sort_unstable_by_key(|&(kernel, _)| kernel);
        kernels.into_iter()
    }

    /// A launch by its number.
    pub(crate) fn launch(&self, number: u32) -> Option<&Launch> {
        self.all.get(number as usize)
    }

    /// True when launches are told.
    pub(crate) fn has_any(&self) -> bool {
        self.all.iter().any(|launch| *launch != Launch::default())
    }
}
