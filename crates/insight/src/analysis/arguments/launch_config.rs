//! Launch configurations of kernels (grid, block, registers, shared memory) and their occupancy, read from
//! the events' arguments in the files.
//!
//! Must not know which tables group by them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use proftui_base::saturate::saturate;
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{Category, Origin, SliceId, Trace};

use super::shapes::argument;
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;

/// A kernel's launch configuration, each value as text without blanks; empty where the event has no such
/// argument.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LaunchConfig {
    /// Blocks in the grid, such as `[80,1,1]`.
    pub grid: String,
    /// Threads per block, such as `[256,1,1]`.
    pub block: String,
    /// Registers per thread.
    pub registers: String,
    /// Shared memory per block, bytes.
    pub shared_memory: String,
}

/// The launch configuration and occupancy of one run of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KernelAttributes {
    /// Index of the launch configuration, for [`LaunchConfigs::config`].
    pub config: u32,
    /// Blocks per multiprocessor; NaN where the event does not state them.
    pub blocks_per_sm: f64,
    /// Achieved occupancy as the producer estimated it, 0 to 1; NaN where the event does not state it.
    pub occupancy: f64,
}

/// The distinct launch configurations of the kernels that were read, and which kernel has which.
#[derive(Debug, Default)]
pub struct LaunchConfigs {
    /// Each distinct configuration, in the order in which they were first read.
    configs: Vec<LaunchConfig>,
    /// The index in `configs` of each configuration.
    index: FxHashMap<LaunchConfig, u32>,
    kernels: FxHashMap<SliceId, KernelAttributes>,
}

/// The names of the argument with a kernel's achieved occupancy, %, as the producer estimated it.
pub(crate) const OCCUPANCY: [&[u8]; 2] = [b"theoretical achieved occupancy %", b"est. achieved occupancy %"];

/// The text of an argument without blanks; empty for `None`.
fn compact(value: Option<RawValue<'_>>) -> String {
    let text = value.map_or(Cow::Borrowed(&b""[..]), RawValue::text);
    String::from_utf8_lossy(&text).chars().filter(|c| !c.is_whitespace()).collect()
}

/// The number in an argument; NaN for `None` or other text.
pub(crate) fn number(value: Option<RawValue<'_>>) -> f64 {
    compact(value).parse().unwrap_or(f64::NAN)
}

impl LaunchConfigs {
    /// Reads the arguments of all kernels with time in `scope` from the trace's files.
    ///
    /// # Errors
    /// When a file cannot be read again.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Result<Self, VisitError> {
        let slices = &trace.slices;
        let part = Part::new(trace, scope);
        let all = part.lanes().iter().flat_map(|&lane| part.pieces(lane)).map(|piece| piece.id);
        let is_wanted =
            |&id: &SliceId| slices.category(id) == Category::Kernel && slices.origin[id] != Origin::NONE;
        let mut wanted: Vec<SliceId> = all.filter(is_wanted).collect();
        wanted.sort_unstable_by_key(|&id| slices.origin[id]);
        let origins: Vec<Origin> = wanted.iter().map(|&id| slices.origin[id]).collect();
        let mut read = Self::default();
        texts.visit(&origins, |at, event| read.add(wanted[at], event))?;
        Ok(read)
    }

    /// Adds one kernel from its event's arguments.
    pub(crate) fn add(&mut self, kernel: SliceId, event: &RawEvent<'_, '_>) {
        let config = LaunchConfig {
            grid: compact(event.argument(b"grid")),
            block: compact(event.argument(b"block")),
            registers: compact(event.argument(b"registers per thread")),
            shared_memory: compact(event.argument(b"shared memory")),
        };
        let configs = &mut self.configs;
        let config = *self.index.entry(config).or_insert_with_key(|config| {
            configs.push(config.clone());
            saturate::<u32>(configs.len()) - 1
        });
        let occupancy = number(argument(event, &OCCUPANCY)) / 100.0;
        let blocks_per_sm = number(event.argument(b"blocks per SM"));
        self.kernels.insert(kernel, KernelAttributes { config, blocks_per_sm, occupancy });
    }

    /// The attributes of a kernel; `None` if it was not read.
    pub(crate) fn of(&self, kernel: SliceId) -> Option<KernelAttributes> {
        self.kernels.get(&kernel).copied()
    }

    /// The launch configuration with this index; `None` if there is none.
    pub(crate) fn config(&self, index: u32) -> Option<&LaunchConfig> {
        self.configs.get(index as usize)
    }

    /// True if at least one kernel's event states its launch configuration.
    pub(crate) fn has_any(&self) -> bool {
        self.configs.iter().any(|config| *config != LaunchConfig::default())
    }
}
