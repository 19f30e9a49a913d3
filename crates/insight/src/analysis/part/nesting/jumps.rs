//! Searches among the slices around a slice for the first that ends late enough, in steps that double.
//!
//! Each slice has a jump to a slice far out, as in the random-access lists of Myers ("An applicative
//! random-access stack", 1983): a search takes time proportional to the logarithm of the depth. Must not know
//! what the slices are.

use proftui_base::ids::Ids;
use proftui_base::time::Ns;
use proftui_trace::model::{SliceId, Slices};

/// Finds, from a slice outwards, the innermost wanted slice that ends at or after a time, without visiting
/// all slices in between.
pub(in crate::analysis) struct Jumps {
    first: SliceId,
    of: Vec<Jump>,
}

#[derive(Clone, Copy)]
struct Jump {
    /// Number of slices around the slice.
    depth: u32,
    /// The slice around this one to which the jump goes; [`SliceId::NONE`] if no slice is around this one.
    to: SliceId,
    /// The end of the slice, ns; [`Ns::MIN`] if the slice is not wanted.
    end: Ns,
    /// The largest `end` of this slice and of the slices between it and `to`, ns.
    latest: Ns,
}

impl Jumps {
    /// Prepares searches among the slices `ids` of a lane, which find only slices for which `is_wanted` is
    /// true.
    pub(in crate::analysis) fn of(
        slices: &Slices,
        ids: Ids<SliceId>,
        is_wanted: impl Fn(SliceId) -> bool,
    ) -> Self {
        let first = ids.start;
        let mut of: Vec<Jump> = Vec::with_capacity(ids.len());
        for id in ids {
            let end = if is_wanted(id) { slices.end(id) } else { Ns::MIN };
            let at = |id: SliceId| of.get(id.checked_sub(first)? as usize).copied();
            // A slice lies in a row below that of its parent, so the parent has the smaller number.
            let Some((parent, near)) = slices.parent(id).and_then(|parent| Some((parent, at(parent)?)))
            else {
                of.push(Jump { depth: 0, to: SliceId::NONE, end, latest: end });
                continue;
            };
            let depth = near.depth + 1;
            let far = at(near.to).and_then(|far| Some((far, at(far.to)?)));
            of.push(match far {
                // Two jumps of the same length follow each other: one over both, and over the parent.
                Some((far, beyond)) if near.depth - far.depth == far.depth - beyond.depth => {
                    Jump { depth, to: far.to, end, latest: end.max(near.latest).max(far.latest) }
                }
                _ => Jump { depth, to: parent, end, latest: end },
            });
        }
        Self { first, of }
    }

    /// The innermost wanted slice, from `from` itself outwards, that ends at or after `time` (ns); `None` if
    /// there is none.
    pub(in crate::analysis) fn ending_from(
        &self,
        slices: &Slices,
        from: SliceId,
        time: Ns,
    ) -> Option<SliceId> {
        let mut at = from;
        loop {
            let jump = self.of.get(at.checked_sub(self.first)? as usize)?;
            let is_late = |end: Ns| end >= time && end != Ns::MIN;
            if is_late(jump.end) {
                return Some(at);
            }
            at = if is_late(jump.latest) { slices.parent(at)? } else { jump.to };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_search_finds_what_a_walk_finds(
            tree in proptest::collection::vec((0_u32..4, 0_i64..60, 0_u32..4), 1..80),
            from in 0_usize..80,
            time in 0_i64..60,
        ) {
            // Each slice lies in one of the few before it, so the tree is deep.
            let first = SliceId::new(7);
            let parents = tree.iter().enumerate().map(|(i, (back, ..))| {
                (i as u32).checked_sub(*back + 1).map_or(SliceId::NONE, |parent| first + parent)
            });
            let before = vec![SliceId::NONE; first.index()];
            let slices = Slices {
                parent: before.iter().copied().chain(parents).collect(),
                start: vec![0; first.index() + tree.len()].into(),
                dur: before.iter().map(|_| 0).chain(tree.iter().map(|(_, end, _)| *end)).collect(),
                ..Slices::default()
            };
            let is_wanted = |id: SliceId| tree[(id - first) as usize].2 > 0;
            let jumps = Jumps::of(&slices, Ids::from(first..first + tree.len() as u32), is_wanted);
            let from = first + (from % tree.len()) as u32;
            let mut around = std::iter::once(from).chain(slices.ancestors(from));
            let want = around.find(|&id| is_wanted(id) && slices.end(id) >= time);
            prop_assert_eq!(jumps.ending_from(&slices, from, time), want);
        }
    }
}
