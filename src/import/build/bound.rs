//! The time range and the memory that loading is bound to.

use crate::base::time::Ns;

use super::time_range::TimeRange;

/// Which events are loaded, and how much memory they may take.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Bound {
    pub range: TimeRange,
    /// Most bytes that loading may take; `None` without a limit.
    pub limit: Option<u64>,
    /// Number of events that were not admitted, or dropped again.
    pub outside: u64,
    /// The first time that did not fit, ns; [`Ns::MIN`] when no further event fits. `None` while everything fits.
    pub until: Option<Ns>,
}
