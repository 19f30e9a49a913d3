//! Closing a file: drops launch flows that correlation numbers replace, and late events where memory is
//! short; pairs begin and end events, moves lanes of processes that are devices to the devices, makes
//! Paddle's times exact.

use proftui_base::heap::NoMemory;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::builder::TraceBuilder;

impl TraceBuilder {
    /// Closes the open file: drops launch flows that correlation numbers replace, pairs begin and end events,
    /// moves lanes of processes that are devices, makes Paddle's times more exact. Drops late events where
    /// memory is short.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::import) fn end_file(&mut self) -> Result<(), NoMemory> {
        let number = self.files.len() - 1;
        let counts = self.event_types.0.iter_mut().enumerate();
        for (kind, count) in counts.filter(|(_, count)| **count > 0) {
            let file = &mut self.files[number];
            file.event_types.insert((file.kind)(saturate::<u8>(kind)), std::mem::take(count));
        }
        if self.files[number].has_correlations {
            let last = self.flows.iter().rposition(|flow| flow.origin.file() != number);
            let own = last.map_or(0, |last| last + 1);
            let mut at = 0;
            self.flows.retain(|flow| {
                at += 1;
                at <= own || !flow.role.is_launch()
            });
        }
        self.is_open = false;
        self.settle()?;
        self.close_pairs()?;
        self.apply_process_names();
        self.apply_device_names();
        self.fix_paddle_clock();
        Ok(())
    }

    /// Converts the offsets of the closing file's relative slices to start times, and notes in its header
    /// that it has offsets. Does nothing where no event states an offset.
    fn fix_paddle_clock(&mut self) {
        let Some(bounds) = self.clock.take() else { return };
        let zero = bounds.zero();
        let number = self.files.len() - 1;
        let first = self.first_lane(number);
        for lane in &mut self.lanes[first..] {
            let mut is_changed = false;
            for slice in lane.slices.iter_mut().filter(|slice| slice.is_relative) {
                slice.start = zero.saturating_add(slice.start);
                slice.dur = slice.dur.min(Ns::MAX.saturating_sub(slice.start.max(0)));
                slice.is_relative = false;
                is_changed = true;
            }
            if is_changed {
                lane.is_sorted = false;
            }
        }
        if let Some(file) = self.files.last_mut() {
            file.header.has_float_offsets = true;
            file.header.is_exact |= bounds.is_exact();
        }
    }
}
