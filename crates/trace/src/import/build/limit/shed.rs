//! Keeps the builder within the memory limit: the earliest events are kept, complete on every lane, whatever
//! the order of the file.
//!
//! Which events are kept depends on the events alone, not on the threads that read them or on the size of
//! their chunks:
//!
//! - When the events of a file and of those before it are more than fits ([`Costs::total`]), the later ones
//!   are dropped, down to three quarters of what fits, and with them everything later that comes after. That
//!   is repeated whenever there are too many again.
//! - At the end of the file the same is done once more. All events before that cut are there, since no cut
//!   before it was earlier: it was made for fewer events. So the last cut is the same whenever the others
//!   were made.
//! - The numbers of strings and lanes do depend on what was dropped when, so they are numbered anew
//!   (`renumber`).
//!
//! Must not know where the limit comes from.

use proftui_base::heap::{self, NoMemory};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::costs::Costs;
use crate::import::build::bound::Key;
use crate::import::build::builder::TraceBuilder;

/// By how much the start of Paddle's trace, and with it the times of slices that are relative to it, may
/// still move while the file is read, ns.
const CLOCK_MARGIN: Ns = 10_000;

impl TraceBuilder {
    /// True when the trace may lack events: a time range was requested, or only the earliest events fit into
    /// memory.
    pub(crate) fn is_partial(&self) -> bool {
        self.bound.until.is_some()
            || self.bound.range.first() != Ns::MIN
            || self.bound.range.last() != Ns::MAX
    }

    /// True when strings and lanes were numbered anew since the open file was begun.
    pub(crate) fn is_renumbered(&self) -> bool {
        self.shed.is_renumbered
    }

    /// If the estimate of memory exceeds what events may take, drops the latest events where the events alone
    /// exceed that (three quarters of it, once some were dropped while this file was read), and removes the
    /// strings and lanes that no event needs any more; then does nothing until the estimate has grown by an
    /// eighth of that room. Does nothing without a limit. Called after each batch.
    pub(crate) fn shed(&mut self) -> Result<(), NoMemory> {
        let Some(room) = self.bound.for_events() else { return Ok(()) };
        if self.footprint() <= room.max(self.shed.check_from) {
            return Ok(());
        }
        if let Some(until) = self.first_beyond(room)? {
            // The times of relative slices are not final yet.
            self.cut(if self.clock.is_some() { until.later(CLOCK_MARGIN) } else { until })?;
        }
        self.renumber()?;
        self.shed.is_renumbered = true;
        self.shed.check_from = self.footprint().saturating_add(room / 8);
        Ok(())
    }

    /// At the end of a file for which memory was short: drops the latest events once more if there are too
    /// many, so that the kept events do not depend on when events were dropped before; then numbers strings,
    /// lanes and long correlation numbers anew, without those that are not needed.
    pub(crate) fn settle(&mut self) -> Result<(), NoMemory> {
        if let Some(room) =
            self.bound.for_events().filter(|&room| self.shed.is_cut || self.footprint() > room)
            && let Some(until) = self.first_beyond(room)?
        {
            self.cut(until)?;
            self.shed.is_renumbered = true;
        }
        if std::mem::take(&mut self.shed).is_renumbered {
            self.renumber()?;
            self.renumber_correlations()?;
        }
        Ok(())
    }

    /// The position from which events are to be dropped, so that those before it take at most three quarters
    /// of `room` bytes. `None` when all events take no more than that, or while none was dropped in this file
    /// and all fit into `room`. Remembers that dropping has begun.
    fn first_beyond(&mut self, room: u64) -> Result<Option<Key>, NoMemory> {
        let costs = Costs::of(self)?;
        let is_cut = self.shed.is_cut || costs.total() > room;
        let until = if is_cut { costs.first_beyond(room / 4 * 3) } else { None };
        // All events of one time are dropped, unless that leaves none.
        let until = until
            .map(|until| if costs.has_before(until.with_its_time()) { until.with_its_time() } else { until });
        self.shed.is_cut = is_cut;
        Ok(until)
    }

    /// Drops the events from `until` on, or from the position of an earlier cut if that comes first; counts
    /// them as left out, and ends the loaded time range at the last time that a kept event may have.
    fn cut(&mut self, until: Key) -> Result<(), NoMemory> {
        let until = self.bound.until.map_or(until, |known| known.min(until));
        self.bound.until = Some(until);
        self.bound.range.narrow(until.last_before());
        let zero = self.zero();
        let mut gone = 0;
        for lane in &mut self.lanes {
            let before = lane.slices.len();
            lane.slices.retain(|slice| Key::new(slice.ts(zero), slice.origin) < until);
            gone += (before - lane.slices.len()) as u64;
            if before > lane.slices.len() {
                lane.has_steps = lane.slices.iter().any(crate::import::build::input::Slice::is_step);
            }
        }
        self.slices -= gone;
        macro_rules! drop_late {
            ($($field:ident),+) => {$(
                self.$field.retain(|record| {
                    let is_kept = record.key() < until;
                    gone += u64::from(!is_kept && record.is_event());
                    is_kept
                });
            )+};
        }
        drop_late!(begin_ends, async_points, instants, allocations, samples, flows, copied);
        self.bound.outside += gone;
        self.drop_details()
    }

    /// Drops what is known about slices and allocations that were dropped: their parents in the file's tree,
    /// and the origins of the end events that belong to their begin events.
    fn drop_details(&mut self) -> Result<(), NoMemory> {
        if self.branches.is_empty() && self.ends.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        heap::try_reserve(&mut kept, saturate::<usize>(self.slices) + self.allocations.len())?;
        kept.extend(self.lanes.iter().flat_map(|lane| &lane.slices).map(|slice| slice.origin));
        kept.extend(self.allocations.iter().map(|a| a.origin));
        kept.sort_unstable();
        self.branches.retain(|branch| kept.binary_search(&branch.child).is_ok());
        self.ends.retain(|begin, _| kept.binary_search(begin).is_ok());
        Ok(())
    }

    /// The start of Paddle's trace by the bounds known so far, ns; 0 while no event of the open file has
    /// stated its offset from that start.
    pub(crate) fn zero(&self) -> Ns {
        self.clock.map_or(0, crate::import::build::clock::ClockBounds::zero)
    }
}
