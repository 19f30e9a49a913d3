//! The time range that is loaded: events outside it are counted and left out.
//!
//! Event builders compare each event with the range; the trace builder narrows the range when memory runs
//! short. Must not know how the range was chosen.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proftui_base::time::Ns;

/// A time range, both ends included, in ns on the file's own clock. Clones share their ends: narrowing one
/// narrows all.
#[derive(Clone, Debug)]
pub(in crate::import) struct TimeRange(Arc<(AtomicI64, AtomicI64)>);

impl Default for TimeRange {
    /// The range of all times.
    fn default() -> Self {
        Self::new(Ns::MIN, Ns::MAX)
    }
}

impl TimeRange {
    pub(in crate::import) fn new(first: Ns, last: Ns) -> Self {
        Self(Arc::new((AtomicI64::new(first), AtomicI64::new(last))))
    }

    /// A range that admits no event: for a pass that only measures the extent of the times.
    pub(in crate::import) fn empty() -> Self {
        Self::new(Ns::MAX, Ns::MIN)
    }

    /// The first time in the range, ns.
    #[inline]
    pub(crate) fn first(&self) -> Ns {
        self.0.0.load(Ordering::Relaxed)
    }

    /// The last time in the range, ns.
    #[inline]
    pub(crate) fn last(&self) -> Ns {
        self.0.1.load(Ordering::Relaxed)
    }

    /// Ends this range and its clones at time `last`, ns, unless they end earlier.
    pub(crate) fn narrow(&self, last: Ns) {
        self.0.1.fetch_min(last, Ordering::Relaxed);
    }

    /// A copy of the range that does not share its ends: narrowing one does not narrow the other.
    pub(in crate::import) fn detached(&self) -> Self {
        Self::new(self.first(), self.last())
    }
}
