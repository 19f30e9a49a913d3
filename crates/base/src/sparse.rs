//! Positions in long sorted lists of times, found with few reads that are far apart in memory.
//!
//! A binary search in millions of times reads about twenty of them, most of which are not in the processor's
//! caches. Every 64th time fits in there. Must not know what the times are of.

use super::gallop::partition_point_near;
use super::time::Ns;
use crate::saturate::saturate;

/// The number of times in a block; [`Sparse`] keeps the first of each block.
pub const BLOCK: usize = 64;

/// Every 64th time (ns) of a sorted list, from the first on.
#[derive(Clone, Debug, Default)]
pub struct Sparse(Vec<Ns>);

/// Guesses where the next of several searches for ascending times ends, by the results of the searches before
/// it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint {
    last: Option<usize>,
    step: usize,
}

impl Sparse {
    /// Keeps every 64th time of `sorted`, from the first on; the times (ns) must ascend.
    pub fn of(sorted: &[Ns]) -> Self {
        Self(sorted.iter().copied().step_by(BLOCK).collect())
    }

    /// How many entries of `sorted`, the list that this was made of, are times before `t` (ns). Sets `hint`
    /// for the next search.
    pub fn before(&self, sorted: &[Ns], t: Ns, hint: &mut Hint) -> usize {
        let blocks = self.next_block(t, hint);
        // The first time of the block is before; that of the next one is not.
        let from = blocks.saturating_sub(1) * BLOCK;
        let to = (blocks * BLOCK).min(sorted.len());
        from + sorted[from..to].partition_point(|&at| at < t)
    }

    /// The index of a block that begins at most `within` ns before or after the time `t`; `None` if there is
    /// none. Sets `hint` for the next search.
    pub fn block_near(&self, t: Ns, within: Ns, hint: &mut Hint) -> Option<usize> {
        let next = self.next_block(t, hint);
        let is_near =
            |&block: &usize| self.0.get(block).is_some_and(|at| at.abs_diff(t) <= saturate::<u64>(within));
        [next, next.wrapping_sub(1)].into_iter().find(is_near)
    }

    /// The index of the first block that does not begin before the time `t`; the number of blocks if there is
    /// none. Sets `hint` for the next search.
    fn next_block(&self, t: Ns, hint: &mut Hint) -> usize {
        let guess = hint.last.map_or(self.0.len() / 2, |last| last + hint.step);
        let found = partition_point_near(&self.0, guess, |&at| at < t);
        hint.step = hint.last.map_or(0, |last| found.saturating_sub(last));
        hint.last = Some(found);
        found
    }

    /// The memory on the heap that the kept times take, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Ns>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn positions_are_those_of_a_plain_search(mut times in prop::collection::vec(0_i64..3000, 0..1500), mut at in prop::collection::vec(-1_i64..3001, 1..9)) {
            times.sort_unstable();
            let sparse = Sparse::of(&times);
            let is_near = |block: usize, t: Ns, within: Ns| times[block * BLOCK].abs_diff(t) <= within as u64;
            // In whatever order; then ascending, as on a screen.
            for is_sorted in [false, true] {
                let mut hint = Hint::default();
                for &t in &at {
                    prop_assert_eq!(sparse.before(&times, t, &mut hint), times.partition_point(|&at| at < t));
                    for within in [0, 100, 3000] {
                        let any = (0..times.len().div_ceil(BLOCK)).any(|block| is_near(block, t, within));
                        let near = sparse.block_near(t, within, &mut hint);
                        prop_assert_eq!(near.map(|block| is_near(block, t, within)), any.then_some(true));
                    }
                }
                if !is_sorted {
                    at.sort_unstable();
                }
            }
        }
    }
}
