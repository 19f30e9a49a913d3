//! Paddle's clock: exact starts regained from a floored time and a rounded offset.
//!
//! Paddle writes `ts` floored to a microsecond and, beside it, the start relative to the trace as a float32 of
//! microseconds with three decimals. Each event bounds the trace's true start: it lies in
//! `[ts - offset, ts - offset + 999 ns]`. The intersection over all events gives it to a few nanoseconds.

use crate::base::time::Ns;

use super::stage::Stage;

/// From here on a float32 of microseconds is coarser than the floored time beside it.
const FLOAT_LIMIT: Ns = 8_000_000_000;

impl Stage {
    /// Replaces the starts of the closing file's slices by exact ones, where Paddle's offsets allow.
    pub(super) fn fix_paddle_clock(&mut self) {
        let relative = std::mem::take(&mut self.relative);
        let bounds = relative.iter().map(|&(slice, offset)| {
            let low = self.slices[slice as usize].start.saturating_sub(offset);
            (low, low.saturating_add(999))
        });
        let Some(first) = bounds.clone().next() else { return };
        let exact = relative
            .iter()
            .zip(bounds)
            .filter(|((_, offset), _)| *offset < FLOAT_LIMIT)
            .map(|(_, bound)| bound);
        let (low, high) = exact.fold((Ns::MIN, Ns::MAX), |all, one| (all.0.max(one.0), all.1.min(one.1)));
        // Rounding may leave nothing in common; then the first event anchors the rest.
        let zero = if low <= high && low != Ns::MIN { low } else { first.0 };
        for (slice, offset) in relative {
            if offset < FLOAT_LIMIT {
                let slice = &mut self.slices[slice as usize];
                if let Some(start) =
                    zero.checked_add(offset).filter(|start| start.checked_add(slice.dur).is_some())
                {
                    slice.start = start;
                }
            }
        }
        if let Some(file) = self.files.last_mut() {
            file.header.has_float_offsets = true;
        }
    }
}
