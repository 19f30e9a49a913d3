//! Paddle's clock: exact starts regained from a floored time and a rounded offset.
//!
//! Paddle writes `ts` floored to a microsecond and, beside it, the start relative to the trace as a float32 of
//! microseconds with three decimals. Each event bounds the trace's true start: it lies in
//! `[ts - offset, ts - offset + 999 ns]`. The intersection over all events gives it to a few nanoseconds. Until the file
//! ends, such a slice is staged with its offset for a start.
//!
//! Recordings of ours have Paddle's form and neither floor nor round: there all events agree on the start to the nanosecond.

use crate::base::time::Ns;

use super::batch::ClockBounds;
use super::stage::Stage;

/// From here on a float32 of microseconds is coarser than the floored time beside it.
pub(super) const FLOAT_LIMIT: Ns = 8_000_000_000;
/// The most that flooring takes.
pub(super) const FLOORED: Ns = 999;

impl ClockBounds {
    /// Both, `other` being later in the file.
    pub(super) fn with(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self { first: self.first, low, high, is_fine: self.is_fine || other.is_fine }
    }

    /// True where nothing was floored or rounded: no event narrows what another one says.
    fn is_exact(self) -> bool {
        self.is_fine && self.low.checked_add(FLOORED) == Some(self.high)
    }

    /// The start of the trace. Rounding may leave nothing in common; then the first event anchors the rest.
    pub(super) fn zero(self) -> Ns {
        if self.low <= self.high && self.low != Ns::MIN { self.low } else { self.first }
    }
}

impl Stage {
    /// Gives the slices of the closing file that are staged by their offset their starts.
    pub(super) fn fix_paddle_clock(&mut self) {
        let Some(bounds) = self.clock.take() else { return };
        let zero = bounds.zero();
        let number = self.files.len() - 1;
        for pile in self.tracks.iter_mut().filter(|pile| pile.track.file as usize == number) {
            let mut is_changed = false;
            for slice in pile.slices.iter_mut().filter(|slice| slice.is_relative) {
                slice.start = zero.saturating_add(slice.start);
                slice.dur = slice.dur.min(Ns::MAX.saturating_sub(slice.start.max(0)));
                slice.is_relative = false;
                is_changed = true;
            }
            if is_changed {
                pile.is_sorted = false;
            }
        }
        if let Some(file) = self.files.last_mut() {
            file.header.has_float_offsets = true;
            file.header.is_exact |= bounds.is_exact();
        }
    }
}
