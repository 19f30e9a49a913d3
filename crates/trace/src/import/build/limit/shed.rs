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

/// By how much later, ns, events are cut off while the start of Paddle's trace is not final.
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

    /// If memory is short, drops the latest events, if needed, and strings and lanes that nothing needs any
    /// more. To be called after each batch.
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

    /// At the end of a file for which memory was short: drops the latest events once more, if needed, and
    /// numbers strings, lanes and long correlation numbers anew.
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

    /// The position from which events are to be dropped, so that the rest leaves at least a quarter of `room`
    /// bytes free; `None` if all may stay. Notes whether dropping has begun.
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

    /// Drops the events from `until` on, or from the cut before if that is earlier, counts them as left out,
    /// and shortens the loaded time range accordingly.
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

    /// Drops the parents in the file's tree and the end events of slices and memory events that were dropped.
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

    /// The start of Paddle's trace as far as known, ns; 0 where it is not known.
    pub(crate) fn zero(&self) -> Ns {
        self.clock.map_or(0, crate::import::build::clock::ClockBounds::zero)
    }
}
