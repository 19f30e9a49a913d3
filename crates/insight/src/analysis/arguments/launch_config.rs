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

/// A kernel's launch configuration, each value as text without white space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LaunchConfig {
    /// Blocks in the grid, such as `[80,1,1]`; empty if the event does not state them.
    pub grid: String,
    /// Threads per block, such as `[256,1,1]`; empty if the event does not state them.
    pub block: String,
    /// Registers per thread, such as `32`; empty if the event does not state them.
    pub registers: String,
    /// Shared memory per block in bytes, such as `4096`; empty if the event does not state it.
    pub shared_memory: String,
}

/// The launch configuration and occupancy of one run of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KernelAttributes {
    /// Index of the launch configuration, for [`LaunchConfigs::config`].
    pub config: u32,
    /// Blocks per multiprocessor; NaN where the event does not state them.
    pub blocks_per_sm: f64,
    /// Achieved occupancy as the producer estimated it, 1 for 100 %; NaN where the event does not state it.
    pub occupancy: f64,
}

/// The launch configurations and occupancies of the kernels that were read.
#[derive(Debug, Default)]
pub struct LaunchConfigs {
    /// The distinct configurations, in the order in which they were first read.
    configs: Vec<LaunchConfig>,
    /// For each configuration in `configs`, its index there.
    index: FxHashMap<LaunchConfig, u32>,
    kernels: FxHashMap<SliceId, KernelAttributes>,
}

/// Name of the argument with the blocks in a kernel's grid.
pub(crate) const GRID: &[u8] = b"grid";
/// Name of the argument with the threads per block.
pub(crate) const BLOCK: &[u8] = b"block";
/// Name of the argument with the registers per thread.
pub(crate) const REGISTERS: &[u8] = b"registers per thread";
/// Names of the arguments in which producers state their estimate of a kernel's achieved occupancy, in %.
pub(crate) const OCCUPANCY: [&[u8]; 2] = [b"theoretical achieved occupancy %", b"est. achieved occupancy %"];

/// The text of an argument without white space; empty for `None`.
pub(crate) fn compact(value: Option<RawValue<'_>>) -> String {
    let text = value.map_or(Cow::Borrowed(&b""[..]), RawValue::text);
    String::from_utf8_lossy(&text).chars().filter(|c| !c.is_whitespace()).collect()
}

/// The number in the text of an argument; NaN for `None`, or for a text that is no number.
pub(crate) fn number(value: Option<RawValue<'_>>) -> f64 {
    compact(value).parse().unwrap_or(f64::NAN)
}

impl LaunchConfigs {
    /// Reads the launch configurations and occupancies of the kernels in `scope` from the trace's files.
    ///
    /// # Errors
    /// When a file has changed or cannot be read.
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

    /// Adds a kernel with the launch configuration and occupancy that its event's arguments state.
    pub(crate) fn add(&mut self, kernel: SliceId, event: &RawEvent<'_, '_>) {
        let config = LaunchConfig {
            grid: compact(event.argument(GRID)),
            block: compact(event.argument(BLOCK)),
            registers: compact(event.argument(REGISTERS)),
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

    /// The launch configuration and occupancy of a kernel; `None` if the kernel was not read.
    pub(crate) fn of(&self, kernel: SliceId) -> Option<KernelAttributes> {
        self.kernels.get(&kernel).copied()
    }

    /// The launch configuration with this index; `None` if there is none.
    pub(crate) fn config(&self, index: u32) -> Option<&LaunchConfig> {
        self.configs.get(index as usize)
    }

    /// True if a launch configuration with at least one value was read.
    pub(crate) fn has_any(&self) -> bool {
        self.configs.iter().any(|config| *config != LaunchConfig::default())
    }
}
