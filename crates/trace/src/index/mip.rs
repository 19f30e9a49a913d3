//! The time mipmap of one row: levels of buckets. A bucket is an interval of 2^k ns, aligned to a multiple of
//! its width; it stores the share of the interval that slices cover, and the slice that covers most of it.
//! For the lowest level the mipmap also stores how many slices start before each bucket.
//!
//! Works in ranks; must not know slice numbers or cells. The number of buckets is bounded by the number of
//! slices, never by the length of time.
//!
//! A bucket's `busy` is the sum of durations clipped to the bucket, at most its width; so overlapping slices
//! in one bucket cannot hide idle time in another. `dominant` is the slice that covers most of the bucket.
//! Where slices overlap by more than their ends, a bucket above the lowest level chooses among the dominants
//! of the buckets below it and the last slice before each boundary between these.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "differences of times wrap on purpose; ranks are below 2^30"
)]

use std::mem::size_of;
use std::ops::Range;

use super::columns::RowColumns;
use super::tree::code;

/// The rank that stands for no slice.
pub(super) const NO_RANK: u32 = u32::MAX;

/// A row of fewer slices than this gets no mipmap.
const MIN_SLICES: usize = 512;
/// The lowest level has at most two buckets per this many slices.
// The whole index of a long row (tree, ranks, all levels) then takes less than one byte per slice.
const SLICES_PER_TWO_BUCKETS: usize = 37;
/// A level's buckets are `1 << FAN_BITS` times as wide as the buckets of the level below.
pub(super) const FAN_BITS: u32 = 2;
/// Levels are added until one has at most this many buckets.
const TOP_BUCKETS: usize = 16;
/// Number of low bits of an entry of [`Mip::ranks`] that hold how many slices start before a bucket's edge.
const RANK_BITS: u32 = 30;
const RANK_MASK: u32 = (1 << RANK_BITS) - 1;

/// A bucket: a summary of the slices in one interval of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// Rank of a slice in the bucket, usually the one that covers most of the bucket; [`NO_RANK`] if no slice
    /// touches the bucket.
    pub dominant: u32,
    /// The share of the bucket that slices cover, in 65535ths, approximate where slices overlap; 0 only if no
    /// time is covered.
    pub busy: u16,
    /// How much of the bucket `dominant` covers, as the [`code`] of a length in ns; 0 for a slice of no
    /// length, and without a slice.
    pub covered: u16,
}

/// One level of the mipmap: buckets of `1 << bits` ns, the first of which begins at the time `origin <<
/// bits`.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Binary logarithm of a bucket's width in ns.
    pub bits: u32,
    /// The start of the first bucket, in bucket widths since time 0.
    pub origin: i64,
    /// The buckets, in order of time, without a gap between them.
    pub buckets: Vec<Bucket>,
}

impl Level {
    /// The index of the bucket that begins at `grid` bucket widths since time 0: 0 for times before the first
    /// bucket, the number of buckets for times after the last.
    #[inline]
    pub(super) fn index(&self, grid: i64) -> usize {
        (grid.saturating_sub(self.origin)).clamp(0, self.buckets.len() as i64) as usize
    }
}

/// The time mipmap of a row: levels of buckets, each of which summarizes the slices in an interval of time.
#[derive(Clone, Debug)]
pub(super) struct Mip {
    /// The levels, the one with the narrowest buckets first.
    levels: Vec<Level>,
    /// For each edge of the lowest level's buckets: how many slices start before the edge and, in the two
    /// highest bits, how many of these end after the edge (2 for 2 or more).
    ranks: Vec<u32>,
}

/// The sums of a bucket of the lowest level while [`sweep`] passes over the row.
#[derive(Clone, Copy)]
struct BucketSums {
    /// The time in the bucket of the slices that start or end in the bucket, summed, ns.
    busy: u64,
    /// How much of the bucket `dominant` covers, ns; -1 before the first slice.
    covered: i64,
    /// Rank of the slice that covers most of the bucket so far; [`NO_RANK`] before the first slice.
    dominant: u32,
    /// How many slices start before the bucket and cover the whole of it, less the same number for the bucket
    /// before.
    spans: i32,
}

impl BucketSums {
    #[inline]
    fn add(&mut self, rank: usize, ns: i64) {
        self.busy = self.busy.saturating_add(ns as u64);
        if ns > self.covered {
            self.covered = ns;
            self.dominant = rank as u32;
        }
    }
}

impl Mip {
    /// Builds the mipmap of a row whose latest end is `max_end` (ns); `None` if the row has too few or too
    /// many slices.
    pub(super) fn build(row: RowColumns<'_>, max_end: i64) -> Option<Self> {
        let len = row.len();
        if len < MIN_SLICES || len > RANK_MASK as usize {
            return None;
        }
        let lo = *row.start.first()?;
        let most = (len * 2 / SLICES_PER_TWO_BUCKETS) as i128;
        let buckets = |bits: u32| i128::from(max_end >> bits) - i128::from(lo >> bits) + 1;
        let bits = (0..62).find(|&b| buckets(b) <= most)?;
        let (parts, ranks) = sweep(row, lo >> bits, bits, buckets(bits) as usize);

        let mut base = Level { bits, origin: lo >> bits, buckets: Vec::with_capacity(parts.len()) };
        let width = (1u64 << bits) as f64;
        let mut spans = 0i64;
        for p in &parts {
            spans += i64::from(p.spans);
            let full = f64::from(u8::from(spans > 0));
            let busy = (p.busy as f64 / width + full).min(1.0);
            base.buckets.push(Bucket { dominant: p.dominant, busy: share(busy), covered: code(p.covered) });
        }
        drop(parts);
        let mut mip = Self { levels: vec![base], ranks };
        while let Some(next) = mip.levels.last().and_then(|below| mip.above(row, below)) {
            mip.levels.push(next);
        }
        Some(mip)
    }

    /// The levels, lowest first.
    #[cfg(test)]
    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Memory that the mipmap holds on the heap, bytes.
    pub(super) fn bytes(&self) -> usize {
        let buckets: usize = self.levels.iter().map(|l| l.buckets.capacity()).sum();
        buckets * size_of::<Bucket>()
            + self.levels.capacity() * size_of::<Level>()
            + self.ranks.capacity() * size_of::<u32>()
    }

    /// The ranks of the slices that start in the lowest level's bucket that contains `t` (ns).
    #[inline]
    pub(super) fn ranks_around(&self, t: i64) -> Range<usize> {
        let base = &self.levels[0];
        let grid = t >> base.bits;
        let (from, to) = (base.index(grid), base.index(grid.saturating_add(1)));
        self.rank(from)..self.rank(to)
    }

    /// The highest level whose buckets are at most `ns` wide; `None` if there is none.
    #[inline]
    pub(super) fn level(&self, ns: u64) -> Option<&Level> {
        self.levels.iter().rev().find(|l| 1u64 << l.bits <= ns)
    }

    /// How many slices start before the time `grid << level.bits` (ns), and how many of these end after it (2
    /// stands for 2 or more).
    #[inline]
    pub(super) fn starts_before(&self, level: &Level, grid: i64) -> (u32, u32) {
        let base = &self.levels[0];
        let at = match level.index(grid) {
            0 => 0,
            i if i == level.buckets.len() => base.buckets.len(),
            _ => base.index(grid << (level.bits - base.bits)),
        };
        (self.ranks[at] & RANK_MASK, self.ranks[at] >> RANK_BITS)
    }

    /// How many slices start before the edge with index `at` of the lowest level's buckets.
    #[inline]
    fn rank(&self, at: usize) -> usize {
        (self.ranks[at] & RANK_MASK) as usize
    }

    /// Builds the level above `below`; `None` if `below` is to be the highest level.
    fn above(&self, row: RowColumns<'_>, below: &Level) -> Option<Level> {
        let bits = below.bits + FAN_BITS;
        if below.buckets.len() <= TOP_BUCKETS || bits > 62 {
            return None;
        }
        let last = below.origin + below.buckets.len() as i64 - 1;
        let origin = below.origin >> FAN_BITS;
        let count = (last >> FAN_BITS) - origin + 1;
        let merged = |grid: i64| {
            let (from, to) = (grid << FAN_BITS, (grid + 1) << FAN_BITS);
            let begin = grid << bits;
            let end = begin.saturating_add(1 << bits);
            let (mut busy, mut dominant, mut covered) = (0u32, NO_RANK, -1i64);
            let mut offer = |rank: u32| {
                let i = rank as usize;
                let ns = row.end(i).min(end).saturating_sub(row.start[i].max(begin));
                if ns > covered {
                    covered = ns;
                    dominant = rank;
                }
            };
            for (k, b) in below.buckets[below.index(from)..below.index(to)].iter().enumerate() {
                busy += u32::from(b.busy);
                if b.dominant != NO_RANK {
                    offer(b.dominant);
                }
                // What lies across the boundary before this part may cover most of the whole and most of no
                // part.
                if k > 0 {
                    let at = below.index(from).saturating_add(k) as i64 + below.origin;
                    let (before, run_in) = self.starts_before(below, at);
                    if before > 0 && run_in > 0 {
                        offer(before - 1);
                    }
                }
            }
            Bucket {
                dominant,
                busy: share(f64::from(busy) / f64::from(65535u32 << FAN_BITS)),
                covered: code(covered),
            }
        };
        let mut buckets = Vec::with_capacity(count as usize);
        buckets.extend((origin..origin + count).map(merged));
        Some(Level { bits, origin, buckets })
    }
}

/// Encodes a share (0 to 1) in 65535ths, rounded, but a share above 0 never as 0.
#[inline]
fn share(part: f64) -> u16 {
    let least = f64::from(u8::from(part > 0.0));
    (part * 65535.0).round().max(least) as u16
}

/// The two latest ends of the slices that [`sweep`] has passed.
struct LatestEnds {
    /// The latest end, ns.
    latest: i64,
    /// Rank of the slice with the latest end, the lowest rank of equals.
    owner: u32,
    /// The latest end of the slices other than `owner`, ns.
    second: i64,
}

impl LatestEnds {
    #[inline]
    fn add(&mut self, rank: usize, end: i64) {
        if end > self.latest {
            self.second = self.latest;
            self.latest = end;
            self.owner = rank as u32;
        } else {
            self.second = self.second.max(end);
        }
    }

    /// Returns the entry of [`Mip::ranks`] for the bucket that begins at `begin` (ns). Also sets the dominant
    /// of `part`, the bucket's sums, if an earlier slice covers the whole bucket.
    #[inline]
    fn enter(&self, begin: i64, width: i64, rank: usize, part: &mut BucketSums) -> u32 {
        if self.latest > begin && self.latest.wrapping_sub(begin) as u64 >= width as u64 {
            part.covered = width;
            part.dominant = self.owner;
        }
        let run_in = u32::from(self.latest > begin) + u32::from(self.second > begin);
        rank as u32 | run_in << RANK_BITS
    }
}

/// Computes in one pass over the row the sums of the lowest level's `count` buckets, and the entries
/// of [`Mip::ranks`].
fn sweep(row: RowColumns<'_>, origin: i64, bits: u32, count: usize) -> (Vec<BucketSums>, Vec<u32>) {
    let width = 1i64 << bits;
    let idle = BucketSums { busy: 0, covered: -1, dominant: NO_RANK, spans: 0 };
    let mut parts = vec![idle; count];
    let mut ranks = Vec::with_capacity(count + 1);
    let mut ends = LatestEnds { latest: i64::MIN, owner: 0, second: i64::MIN };
    let begin = |bucket: usize| (origin + bucket as i64) << bits;
    for (i, (&s, &d)) in row.start.iter().zip(row.dur).enumerate() {
        let e = s.wrapping_add(d);
        let from = ((s >> bits) - origin) as usize;
        while ranks.len() <= from {
            let b = ranks.len();
            ranks.push(ends.enter(begin(b), width, i, &mut parts[b]));
        }
        let to = ((e >> bits) - origin) as usize;
        if to == from {
            parts[from].add(i, d);
        } else {
            parts[from].add(i, width - (s & (width - 1)));
            let tail = e & (width - 1);
            if tail > 0 {
                parts[to].add(i, tail);
            }
            if to > from + 1 {
                parts[from + 1].spans += 1;
                parts[to].spans -= 1;
            }
        }
        ends.add(i, e);
    }
    // After the last start there is only what runs on.
    while ranks.len() < count {
        let b = ranks.len();
        ranks.push(ends.enter(begin(b), width, row.len(), &mut parts[b]));
    }
    ranks.push(row.len() as u32);
    (parts, ranks)
}
