//! For each slice the innermost slice around it of one kind.
//!
//! Must not know what the kind is.

use std::ops::Range;

use proftui_trace::model::{NONE, SliceId, Slices};

/// The innermost slices for which a condition holds, around the slices of a lane or of a whole trace.
pub(in crate::analysis) struct Innermost {
    first: SliceId,
    /// For each slice itself, if the condition holds for it, else the innermost such slice around it, or
    /// [`NONE`].
    found: Vec<SliceId>,
}

impl Innermost {
    /// Finds around each of the slices `ids`, those of a lane or of all lanes, the innermost for which
    /// `is_wanted` is true.
    pub(in crate::analysis) fn of(
        slices: &Slices,
        ids: Range<SliceId>,
        is_wanted: impl Fn(SliceId) -> bool,
    ) -> Self {
        let first = ids.start;
        let mut found: Vec<SliceId> = Vec::with_capacity(ids.len());
        // A slice lies in a row below that of its parent, so the parent has the smaller number.
        for id in ids {
            let of_slice = match slices.parent(id) {
                _ if is_wanted(id) => id,
                Some(parent) => found.get((parent - first) as usize).copied().unwrap_or(NONE),
                None => NONE,
            };
            found.push(of_slice);
        }
        Self { first, found }
    }

    /// The slice itself, if the condition holds for it, else the innermost such slice around it; `None` if
    /// there is none.
    pub(in crate::analysis) fn at(&self, id: SliceId) -> Option<SliceId> {
        let found = self.found.get(id.checked_sub(self.first)? as usize)?;
        Some(*found).filter(|&found| found != NONE)
    }

    /// The innermost slice for which the condition holds, around a slice and not the slice itself; `None` if
    /// there is none.
    pub(in crate::analysis) fn around(&self, slices: &Slices, id: SliceId) -> Option<SliceId> {
        self.at(slices.parent(id)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_of_the_kind_counts() {
        let slices = Slices { parent: vec![NONE, 0, 1, 2, NONE], ..Slices::default() };
        let even = Innermost::of(&slices, 0..5, |id| id == 0 || id == 2);
        assert_eq!([0, 1, 2, 3, 4].map(|id| even.at(id)), [Some(0), Some(0), Some(2), Some(2), None]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|id| even.around(&slices, id)),
            [None, Some(0), Some(0), Some(2), None]
        );
    }
}
