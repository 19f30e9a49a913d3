//! Positions in long sorted lists of times, found with few reads that are far apart in memory.
//!
//! A binary search in millions of times reads about twenty of them, most of which are not in the processor's caches. Every 64th time
//! fits in there. Must not know what the times are of.

use super::time::Ns;

/// How many times there are for each one that is kept.
pub const BLOCK: usize = 64;

/// Every 64th of a sorted list of times.
#[derive(Clone, Debug, Default)]
pub struct Sparse(Vec<Ns>);

impl Sparse {
    /// Of a list of times, ns, ascending.
    pub fn of(sorted: &[Ns]) -> Self {
        Self(sorted.iter().copied().step_by(BLOCK).collect())
    }

    /// The same as `sorted.partition_point`, of the list that this was made of.
    pub fn partition_point(&self, sorted: &[Ns], is_before: impl Fn(Ns) -> bool) -> usize {
        let blocks = self.0.partition_point(|&t| is_before(t));
        // The first time of the block is before; that of the next one is not.
        let from = blocks.saturating_sub(1) * BLOCK;
        let to = (blocks * BLOCK).min(sorted.len());
        from + sorted[from..to].partition_point(|&t| is_before(t))
    }

    /// The number of a block that begins at most `within` ns before or after the time `t`.
    pub fn block_near(&self, t: Ns, within: Ns) -> Option<usize> {
        let next = self.0.partition_point(|&at| at < t);
        let is_near =
            |&block: &usize| self.0.get(block).is_some_and(|at| at.abs_diff(t) <= within.max(0) as u64);
        [next, next.wrapping_sub(1)].into_iter().find(is_near)
    }

    /// Memory on the heap, bytes.
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
        fn positions_are_those_of_a_plain_search(mut times in prop::collection::vec(0_i64..300, 0..400), t in -1_i64..301) {
            times.sort_unstable();
            let sparse = Sparse::of(&times);
            prop_assert_eq!(sparse.partition_point(&times, |at| at < t), times.partition_point(|&at| at < t));
            prop_assert_eq!(sparse.partition_point(&times, |at| at <= t), times.partition_point(|&at| at <= t));
            let is_near = |block: usize, within: Ns| times[block * BLOCK].abs_diff(t) <= within as u64;
            for within in [0, 10, 300] {
                let any = (0..times.len().div_ceil(BLOCK)).any(|block| is_near(block, within));
                prop_assert_eq!(sparse.block_near(t, within).map(|block| is_near(block, within)), any.then_some(true));
            }
        }
    }
}
