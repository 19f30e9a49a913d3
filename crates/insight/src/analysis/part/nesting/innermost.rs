//! For each slice the innermost slice around it of one kind.
//!
//! Must not know what the kind is.

use proftui_base::ids::Ids;
use proftui_trace::model::{SliceId, Slices};

/// For each slice of a lane or of a whole trace, the innermost slice at or around it for which a condition
/// holds.
pub(in crate::analysis) struct Innermost {
    first: SliceId,
    /// The found slice for each slice from `first` on; [`SliceId::NONE`] if there is none.
    found: Vec<SliceId>,
}

impl Innermost {
    /// Finds for each slice of `ids` the innermost wanted slice at or around it. `ids` must be all slices of
    /// a lane or of the trace.
    pub(in crate::analysis) fn of(
        slices: &Slices,
        ids: Ids<SliceId>,
        is_wanted: impl Fn(SliceId) -> bool,
    ) -> Self {
        let first = ids.start;
        let mut found: Vec<SliceId> = Vec::with_capacity(ids.len());
        // A slice lies in a row below that of its parent, so the parent has the smaller number.
        for id in ids {
            let of_slice = match slices.parent(id) {
                _ if is_wanted(id) => id,
                Some(parent) => found.get((parent - first) as usize).copied().unwrap_or(SliceId::NONE),
                None => SliceId::NONE,
            };
            found.push(of_slice);
        }
        Self { first, found }
    }

    /// The innermost slice for which the condition holds, from `id` itself outwards; `None` if there is none.
    pub(in crate::analysis) fn at(&self, id: SliceId) -> Option<SliceId> {
        let found = self.found.get(id.checked_sub(self.first)? as usize)?;
        Some(*found).filter(|&found| found != SliceId::NONE)
    }

    /// The innermost slice around the slice `id`, not `id` itself, for which the condition holds; `None` if
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
        let id = SliceId::new;
        let parent = vec![SliceId::NONE, id(0), id(1), id(2), SliceId::NONE];
        let slices = Slices { parent: parent.into(), ..Slices::default() };
        let even = Innermost::of(&slices, Ids::below(5), |of| of == id(0) || of == id(2));
        let at = [0, 1, 2, 3, 4].map(|of| even.at(id(of)).map(SliceId::get));
        assert_eq!(at, [Some(0), Some(0), Some(2), Some(2), None]);
        let around = [0, 1, 2, 3, 4].map(|of| even.around(&slices, id(of)).map(SliceId::get));
        assert_eq!(around, [None, Some(0), Some(0), Some(2), None]);
    }
}
