//! Which events are let in when not all can be: those of a stretch of time.
//!
//! Clerks ask at each event; the stage narrows the gate when memory runs short. Must not know why.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::time::Ns;

/// A stretch of time from a first to a last instant, ns on the file's own clock, shared by all clerks.
#[derive(Clone, Debug)]
pub(in crate::import) struct Gate(Arc<(AtomicI64, AtomicI64)>);

impl Default for Gate {
    /// Open for all.
    fn default() -> Self {
        Self::new(Ns::MIN, Ns::MAX)
    }
}

impl Gate {
    pub(in crate::import) fn new(from: Ns, last: Ns) -> Self {
        Self(Arc::new((AtomicI64::new(from), AtomicI64::new(last))))
    }

    /// Closed for all: only what the events are and how far they reach is noted.
    pub(in crate::import) fn closed() -> Self {
        Self::new(Ns::MAX, Ns::MIN)
    }

    #[inline]
    pub(super) fn from(&self) -> Ns {
        self.0.0.load(Ordering::Relaxed)
    }

    /// The last instant let in.
    #[inline]
    pub(super) fn last(&self) -> Ns {
        self.0.1.load(Ordering::Relaxed)
    }

    /// Lets nothing in from `until` on.
    pub(super) fn narrow(&self, until: Ns) {
        self.0.1.store(until.saturating_sub(1), Ordering::Relaxed);
    }
}
