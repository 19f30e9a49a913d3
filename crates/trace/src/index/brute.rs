//! Brute-force versions of the queries, with which tests compare the index, and random rows to run both on.
//! For tests only; must not know the index.

use super::{Cell, SliceId, Sum};

/// A pseudo-random generator (xorshift); the same seed gives the same numbers.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next random number, from 0 to `n - 1`; 0 if `n` is less than 1.
    pub(super) fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 1) % n.max(1) as u64) as i64
    }
}

/// How the slices of a random row lie in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// No slice overlaps another; many have no length.
    Disjoint,
    /// A slice may begin up to 3 ns before the one before it ends.
    Overhang,
    /// Slices overlap at random, some of them many others.
    Tangle,
    /// The first slice at time 0 or at the lowest time, the others, which do not overlap, at a Unix time of
    /// 2023.
    Epoch,
    /// Slices anywhere in the range of `i64`, of any length.
    Extreme,
}

/// A row of slices on which tests compare the index with brute force: slices `first..first + len` of the
/// columns `start` and `dur` (ns).
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub start: Vec<i64>,
    pub dur: Vec<i64>,
    pub first: u32,
    pub len: u32,
}

pub(super) fn touches(s: i64, d: i64, a: i128, b: i128) -> bool {
    let (s, d) = (i128::from(s), i128::from(d));
    s < b && (s + d > a || (d == 0 && s >= a))
}

pub(super) fn overlap(s: i64, d: i64, a: i128, b: i128) -> i128 {
    let (s, d) = (i128::from(s), i128::from(d));
    ((s + d).min(b) - s.max(a)).max(0)
}

impl Model {
    pub(super) fn random(kind: Kind, seed: u64, len: usize) -> Self {
        let mut r = Rng::new(seed);
        let scale = [1, 3, 50, 3_000, 2_000_000][r.below(5) as usize];
        let mut row: Vec<(i64, i64)> = Vec::with_capacity(len);
        let mut t = match kind {
            Kind::Disjoint | Kind::Overhang => r.below(1 << 40) - (1 << 39),
            _ => 1_700_000_000_000_000_000,
        };
        for i in 0..len {
            let d = match r.below(10) {
                0..3 => 0,
                3 => r.below(scale * 40),
                _ => r.below(scale) + 1,
            };
            let gap = match r.below(20) {
                0 => r.below(scale * 100),
                1..8 => 0,
                _ => r.below(scale),
            };
            match kind {
                Kind::Overhang => {
                    row.push((t, d));
                    t += (d + gap - r.below(4)).max(0);
                }
                Kind::Tangle => {
                    row.push((t, if r.below(30) == 0 { d * 500 } else { d }));
                    t += gap / 4;
                }
                Kind::Epoch if i == 0 => row.push((if r.below(2) == 0 { 0 } else { i64::MIN }, d)),
                Kind::Disjoint | Kind::Epoch => {
                    row.push((t, d));
                    t += d + gap;
                }
                Kind::Extreme => {
                    let s = match r.below(4) {
                        0 => i64::MIN + r.below(3),
                        1 => i64::MAX - r.below(3),
                        _ => r.below(i64::MAX) + if r.below(2) == 0 { i64::MIN } else { 0 },
                    };
                    let room = if s > 0 { i64::MAX - s } else { i64::MAX };
                    let d = [0, 1, r.below(1 << 20), r.below(room), room][r.below(5) as usize];
                    row.push((s, d.min(room)));
                }
            }
        }
        row.sort_by_key(|x| x.0);
        let first = r.below(4) as u32;
        let around = |v: Vec<i64>| [vec![7; first as usize], v, vec![9; 3]].concat();
        Self {
            start: around(row.iter().map(|x| x.0).collect()),
            dur: around(row.iter().map(|x| x.1).collect()),
            first,
            len: len as u32,
        }
    }

    /// A random time, usually near the start or end of a slice of the row.
    pub(super) fn time(&self, r: &mut Rng) -> i64 {
        if self.len == 0 {
            return r.below(100);
        }
        let i = (i64::from(self.first) + r.below(i64::from(self.len))) as usize;
        let t = if r.below(2) == 0 { self.start[i] } else { self.start[i] + self.dur[i] };
        match r.below(4) {
            0 => t,
            1 => t.saturating_add(r.below(5) - 2),
            2 => t.saturating_add(r.below(2_000_000) - 1_000_000),
            _ => t.saturating_add(r.below(500) - 250),
        }
    }

    /// Number, start (ns) and duration (ns) of each slice of the row.
    pub(super) fn slices(&self) -> impl DoubleEndedIterator<Item = (SliceId, i64, i64)> + Clone {
        (self.first..self.first + self.len)
            .map(|i| (SliceId::new(i), self.start[i as usize], self.dur[i as usize]))
    }

    pub(super) fn cell(&self, a: i128, b: i128) -> Cell {
        let (mut busy, mut count, mut best, mut dominant) = (0, 0, -1, SliceId::NONE);
        for (i, s, d) in self.slices().filter(|&(_, s, d)| touches(s, d, a, b)) {
            let o = overlap(s, d, a, b);
            busy += o;
            count += 1;
            if o > best {
                (best, dominant) = (o, i);
            }
        }
        Cell { busy: (busy as f64 / (b - a) as f64).min(1.0) as f32, count, dominant }
    }

    pub(super) fn sum(&self, t0: i64, t1: i64) -> Sum {
        let (a, b) = (i128::from(t0), i128::from(t1));
        let (mut busy, mut count, mut best, mut longest) = (0, 0, -1, SliceId::NONE);
        for (i, s, d) in self.slices().filter(|&(_, s, d)| a < b && touches(s, d, a, b)) {
            busy += overlap(s, d, a, b);
            count += 1;
            if d > best {
                (best, longest) = (d, i);
            }
        }
        Sum { busy: busy.min(i128::from(i64::MAX)) as i64, count, longest }
    }

    pub(super) fn at(&self, t: i64) -> Option<SliceId> {
        let here = |s: i64, d: i64| s <= t && (t < s + d || s == t);
        self.slices().filter(|&(_, s, d)| here(s, d)).max_by_key(|&(i, s, _)| (s, i)).map(|x| x.0)
    }

    pub(super) fn nearest(&self, t: i64) -> Option<SliceId> {
        if let Some(id) = self.at(t) {
            return Some(id);
        }
        // The smallest distance; of equals a slice before `t`. Of several before it the highest number, of
        // several after it the lowest.
        let key = |&(i, s, d): &(SliceId, i64, i64)| {
            if s <= t { ((s + d).abs_diff(t), 0, u32::MAX - i.get()) } else { (s.abs_diff(t), 1, i.get()) }
        };
        self.slices().min_by_key(key).map(|x| x.0)
    }

    /// All gaps of the row in order of time, as `super::gaps` defines them: start and end, ns.
    pub(super) fn gaps(&self) -> Vec<(i64, i64)> {
        let mut gaps: Vec<(i64, i64)> = Vec::new();
        for (_, b, _) in self.slices() {
            let before = self.slices().filter(|x| x.1 < b).map(|(_, s, d)| s + d).max();
            if let Some(a) = before.filter(|&a| a < b) {
                gaps.push((a, b));
            }
        }
        gaps.dedup();
        gaps
    }
}
