//! The limits of a load: time range and memory.

use crate::base::time::Ns;

use super::time_range::TimeRange;

/// Which events are loaded, and how much memory they may take.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Bound {
    pub range: TimeRange,
    /// Most bytes that loading may take; `None` without a limit.
    pub limit: Option<u64>,
    /// Number of events left out: outside `range` when they were read, or dropped later to save memory.
    pub outside: u64,
    /// Time from which on events were dropped to save memory, ns; `None` while all fit. [`Ns::MIN`] when dropping late events
    /// did not free enough memory: no further event is loaded.
    pub until: Option<Ns>,
}
