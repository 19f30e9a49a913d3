//! The longest alignments of two sequences of keys: how much of them agrees, and which pairs all longest
//! alignments have.
//!
//! Sequences that agree in most of their keys differ by few insertions and deletions. All longest alignments
//! then lie in a narrow band around the diagonal, so that time and memory follow the differences instead of
//! the product of the lengths. Must not know what a key stands for.

use proftui_base::saturate::saturate;

/// How much of two sequences of keys agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// The number of pairs of equal keys in a longest alignment of the two sequences.
    pub pairs: usize,
}

/// How much of `a` and `b` agrees; `None` if a longest alignment leaves more than `most` keys without a pair.
pub(super) fn agreement(a: &[u32], b: &[u32], most: usize) -> Option<Agreement> {
    let most = most.min(a.len() + b.len());
    // For each diagonal (index in `a` less index in `b`, shifted by `most` + 1), the furthest index in `a` to
    // which a path with `differences` keys left over goes.
    let middle = most + 1;
    let mut furthest = vec![0_usize; 2 * middle + 1];
    for differences in 0..=most {
        for shift in (0..=2 * differences).step_by(2) {
            let diagonal = middle + shift - differences;
            let comes_from_b =
                shift == 0 || shift != 2 * differences && furthest[diagonal - 1] < furthest[diagonal + 1];
            let mut at = if differences == 0 {
                0
            } else if comes_from_b {
                furthest[diagonal + 1]
            } else {
                furthest[diagonal - 1] + 1
            };
            // Beyond the end of one of the sequences there is no path.
            let Some(mut other) = (at + middle).checked_sub(diagonal) else { continue };
            while at < a.len() && other < b.len() && a[at] == b[other] {
                at += 1;
                other += 1;
            }
            furthest[diagonal] = at;
            if at >= a.len() && other >= b.len() {
                return Some(Agreement { pairs: (a.len() + b.len() - differences) / 2 });
            }
        }
    }
    None
}

/// Marks a cell of a [`Band`] to which no alignment goes: less than any number of pairs.
const NO_PATH: i32 = i32::MIN / 2;

/// The band around the diagonal in which all longest alignments of `a` and `b` lie: a row for each index in
/// `a` and for its length, a cell for each nearby one in `b`.
struct Band<'a> {
    a: &'a [u32],
    b: &'a [u32],
    /// How many keys of `a` a longest alignment leaves without a pair.
    deleted: usize,
    width: usize,
}

impl Band<'_> {
    /// The index in `b`, or the length of `b`, that a cell of a row stands for; `None` for a cell outside of
    /// `b`.
    fn other(&self, row: usize, cell: usize) -> Option<usize> {
        (row + cell).checked_sub(self.deleted).filter(|&other| other <= self.b.len())
    }

    /// For each cell of a row, the most pairs that can precede it in the band, or [`NO_PATH`]. `before` is
    /// the result for the previous row, `None` for the first.
    fn forward(&self, row: usize, before: Option<&[i32]>) -> Vec<i32> {
        let mut pairs = vec![NO_PATH; self.width];
        for cell in 0..self.width {
            let Some(other) = self.other(row, cell) else { continue };
            let mut most = if row == 0 { 0 } else { NO_PATH };
            if let Some(before) = before {
                most = most.max(before.get(cell + 1).copied().unwrap_or(NO_PATH));
                if other > 0 && self.a[row - 1] == self.b[other - 1] {
                    most = most.max(before[cell] + 1);
                }
            }
            if cell > 0 {
                most = most.max(pairs[cell - 1]);
            }
            pairs[cell] = most;
        }
        pairs
    }

    /// For each cell of a row, the most pairs that are possible from it on in the band, or [`NO_PATH`].
    /// `after` is the result for the next row, `None` for the last.
    fn backward(&self, row: usize, after: Option<&[i32]>) -> Vec<i32> {
        let mut pairs = vec![NO_PATH; self.width];
        for cell in (0..self.width).rev() {
            let Some(other) = self.other(row, cell) else { continue };
            let mut most = if row == self.a.len() { 0 } else { NO_PATH };
            if let Some(after) = after {
                if cell > 0 {
                    most = most.max(after[cell - 1]);
                }
                if other < self.b.len() && self.a[row] == self.b[other] {
                    most = most.max(after[cell] + 1);
                }
            }
            most = most.max(pairs.get(cell + 1).copied().unwrap_or(NO_PATH));
            pairs[cell] = most;
        }
        pairs
    }
}

/// The keys of `b` with which the longest alignments pair one key of `a`.
#[derive(Debug)]
pub(super) struct Partners<'a> {
    /// The index of the key in `a`.
    pub at: usize,
    /// The indices in `b` with which some longest alignment pairs the key, ascending; empty if none pairs it.
    pub possible: &'a [usize],
    /// True if every longest alignment pairs the key, and always with the same key of `b`.
    pub is_certain: bool,
}

/// Calls `each` with the partners of every key of `a`, from the last key to the first. `agreement` must be
/// the result of [`agreement`] for `a` and `b`.
pub(super) fn partners(a: &[u32], b: &[u32], agreement: Agreement, mut each: impl FnMut(Partners<'_>)) {
    let (deleted, inserted) = (a.len() - agreement.pairs, b.len() - agreement.pairs);
    let band = Band { a, b, deleted, width: deleted + inserted + 1 };
    let whole = saturate::<i32>(agreement.pairs);
    // Of the rows of the forward pass every `step`-th is kept, and the rows between are made again from it.
    let step = a.len().isqrt().max(1);
    let mut kept: Vec<Vec<i32>> = Vec::new();
    let mut row = band.forward(0, None);
    for at in 0..a.len() {
        let next = band.forward(at + 1, Some(&row));
        let row = std::mem::replace(&mut row, next);
        if at % step == 0 {
            kept.push(row);
        }
    }
    let mut after = band.backward(a.len(), None);
    let mut possible = Vec::new();
    for (number, first) in kept.into_iter().enumerate().rev() {
        let begin = number * step;
        let mut rows = vec![first];
        for at in begin + 1..(begin + step).min(a.len()) {
            let next = band.forward(at, rows.last().map(Vec::as_slice));
            rows.push(next);
        }
        for (offset, before) in rows.iter().enumerate().rev() {
            let at = begin + offset;
            possible.clear();
            let mut is_optional = false;
            for (cell, &pairs) in before.iter().enumerate() {
                let Some(other) = band.other(at, cell) else { continue };
                if other < b.len() && a[at] == b[other] && pairs + 1 + after[cell] == whole {
                    possible.push(other);
                }
                is_optional |= cell > 0 && pairs + after[cell - 1] == whole;
            }
            let is_certain = possible.len() == 1 && !is_optional;
            each(Partners { at, possible: &possible, is_certain });
            after = band.backward(at, Some(&after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All longest alignments, each as its pairs, by trying everything.
    fn longest(a: &[u32], b: &[u32]) -> Vec<Vec<(usize, usize)>> {
        fn go(
            a: &[u32],
            b: &[u32],
            from: (usize, usize),
            pairs: &mut Vec<(usize, usize)>,
            out: &mut Vec<Vec<(usize, usize)>>,
        ) {
            out.push(pairs.clone());
            for i in from.0..a.len() {
                for j in (from.1..b.len()).filter(|&j| a[i] == b[j]) {
                    pairs.push((i, j));
                    go(a, b, (i + 1, j + 1), pairs, out);
                    pairs.pop();
                }
            }
        }
        let mut all = Vec::new();
        go(a, b, (0, 0), &mut Vec::new(), &mut all);
        let most = all.iter().map(Vec::len).max().unwrap_or_default();
        all.retain(|pairs| pairs.len() == most);
        all
    }

    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    #[test]
    fn certain_pairs_are_those_of_every_longest_alignment() {
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..3_000 {
            let mut sequence = || -> Vec<u32> {
                let len = random(&mut seed) % 8;
                (0..len).map(|_| (random(&mut seed) % 3) as u32).collect()
            };
            let (a, b) = (sequence(), sequence());
            let all = longest(&a, &b);
            let found = agreement(&a, &b, a.len() + b.len()).expect("any sequences align");
            assert_eq!(found.pairs, all[0].len(), "{a:?} {b:?}");
            let differences = a.len() + b.len() - 2 * found.pairs;
            assert_eq!(agreement(&a, &b, differences), Some(found));
            if differences > 0 {
                assert_eq!(agreement(&a, &b, differences - 1), None);
            }
            let mut seen = Vec::new();
            partners(&a, &b, found, |partners| {
                seen.push(partners.at);
                let mut wanted: Vec<usize> =
                    all.iter().flatten().filter(|pair| pair.0 == partners.at).map(|pair| pair.1).collect();
                wanted.sort_unstable();
                wanted.dedup();
                assert_eq!(partners.possible, wanted, "{a:?} {b:?} at {}", partners.at);
                let is_in_all = wanted.len() == 1
                    && all.iter().all(|pairs| pairs.iter().any(|pair| pair.0 == partners.at));
                assert_eq!(partners.is_certain, is_in_all, "{a:?} {b:?} at {}", partners.at);
            });
            assert_eq!(seen, (0..a.len()).rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_lost_record_leaves_all_others_certain() {
        let whole: Vec<u32> = (0..6_264).collect();
        let cut = [&whole[..4_000], &whole[4_001..]].concat();
        let found = agreement(&cut, &whole, 10).expect("much agrees");
        assert_eq!(found.pairs, 6_263);
        partners(&cut, &whole, found, |partners| {
            let wanted = partners.at + usize::from(partners.at >= 4_000);
            assert!(partners.is_certain && partners.possible == [wanted]);
        });
    }

    #[test]
    fn a_lost_period_of_a_repeated_sequence_is_certain_only_at_its_ends() {
        let whole: Vec<u32> = std::iter::once(9).chain((0..60).map(|at| at % 6)).chain([10]).collect();
        let cut = [&whole[..13], &whole[19..]].concat();
        let found = agreement(&cut, &whole, 6).expect("much agrees");
        let mut certain = Vec::new();
        partners(&cut, &whole, found, |partners| {
            if partners.is_certain {
                certain.push((partners.at, partners.possible[0]));
            } else {
                assert_eq!(partners.possible.len(), 2);
            }
        });
        assert_eq!(certain, [(55, 61), (0, 0)]);
    }

    #[test]
    fn empty_sequences_have_no_pairs() {
        assert_eq!(agreement(&[], &[], 0), Some(Agreement { pairs: 0 }));
        assert_eq!(agreement(&[1], &[], 0), None);
        partners(&[], &[1], Agreement { pairs: 0 }, |_| unreachable!("no key"));
    }
}
