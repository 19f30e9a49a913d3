//! Closes a cycle: waits for its device work, has CUPTI deliver its records, and reports what was lost. Must
//! not know who ends cycles.

use std::time::Instant;

use proftui_wire::log::DeviceCounts as Counts;

use super::super::flush::Flushed;
use super::super::functions::OK;
use super::super::{flush, graphs, losses, sink};
use super::{SESSION, Session, is_closed};

impl Session {
    /// Closes a cycle that ended at `end`, ns, and returns its counts; `None` if it cannot be closed. Waits
    /// until about `deadline` at most; the caller must hold `CLOSING`.
    pub(super) fn close_until(&self, cycle: u64, end: u64, deadline: Instant) -> Option<Counts> {
        if is_closed() || !self.end_capture(cycle, end, deadline) {
            return None;
        }
        let flushed = flush::run(cycle, deadline, move || SESSION.get()?.flush(deadline));
        Some(self.count(cycle, deadline, flushed))
    }

    /// Closes a cycle after a flush of CUPTI, reports what was lost, and returns the cycle's counts. Waits
    /// until about `deadline` at most for late records.
    pub(super) fn count(&self, cycle: u64, deadline: Instant, flushed: Flushed) -> Counts {
        // What a flush has not delivered may still come; where it has failed, nothing will.
        let late = if flushed == Flushed::Answered(OK) { deadline } else { Instant::now() };
        let undelivered = flush::undelivered(&self.cupti, self.syncs, cycle, late);
        let mut taken = sink::close(cycle, deadline);
        taken.counts.dropped = flush::take_dropped();
        taken.counts.lost += undelivered;
        graphs::report();
        losses::report(&taken, undelivered, flushed);
        taken.counts
    }
}
