//! The time mipmap of one row: buckets of powers of two of nanoseconds, aligned to multiples of their width,
//! each with how busy it is and what covers most of it; and, for the lowest level, how many slices start
//! before each bucket.
//!
//! This file owns the buckets, their build and their merging. It works in ranks; it must not know slice ids
//! or cells. The number of buckets is bounded by the number of slices, never by the span of time.
//!
//! What a bucket tells: `busy` is the clipped durations summed, at most the bucket's width, so overlaps
//! elsewhere never make up for idle time here. `dominant` covers most of the bucket; where slices overlap by
//! more than their ends, a level above the lowest chooses among the dominants of its parts and the last slice
//! before each boundary between them.

use super::Row;
use super::tree::code;
use std::mem::size_of;
use std::ops::Range;

/// A row shorter than this gets no mipmap.
const MIN_SLICES: usize = 512;
/// At most two buckets of the lowest level to this many slices: with the levels above, the ranks and the
/// tree that keeps the index below one byte a slice.
const SLICES_PER_TWO_BUCKETS: usize = 37;
/// Parts of a bucket on the level below, as a power of two.
pub(super) const FAN_BITS: u32 = 2;
/// Levels are built until one has no more buckets than this.
const TOP_BUCKETS: usize = 16;
/// The bits of a rank entry that hold the rank; those above hold how many slices run in.
const RANK_BITS: u32 = 30;
const RANK_MASK: u32 = (1 << RANK_BITS) - 1;

/// What a bucket tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// Rank of the slice that covers most of the bucket, [`super::NONE`] if none touches it.
    pub dominant: u32,
    /// Part of the bucket that is covered, in 65535ths; never 0 if any of it is.
    pub busy: u16,
    /// The [`code`] of the part of `dominant` that lies in the bucket, 0 for a slice of no length.
    pub covered: u16,
}

/// One level: buckets of `1 << bits` ns, the first of which begins at `origin << bits`.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub bits: u32,
    pub origin: i64,
    pub buckets: Vec<Bucket>,
}

impl Level {
    /// The index of the bucket that begins at the multiple `grid` of the width, clamped to the level (its
    /// length: past the end).
    #[inline]
    pub fn index(&self, grid: i64) -> usize {
        (grid.saturating_sub(self.origin)).clamp(0, self.buckets.len() as i64) as usize
    }
}

/// The mipmap: levels, lowest first, and the ranks at the lowest level's edges.
#[derive(Clone, Debug)]
pub(super) struct Mip {
    levels: Vec<Level>,
    /// For each bucket of the lowest level and past the last: the slices that start before it (30 bits), and
    /// above that the slices that run into it (2 bits, stays at 2).
    ranks: Vec<u32>,
}

/// A bucket being filled.
#[derive(Clone, Copy)]
struct Part {
    busy: u64,
    covered: i64,
    dominant: u32,
    /// Slices that cover buckets from this one on, less those that cover up to the one before.
    spans: i32,
}

impl Part {
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
    /// Builds the mipmap of a row whose latest end is `max_end`; `None` for a short row (or one beyond 2^30
    /// slices).
    pub fn build(row: Row<'_>, max_end: i64) -> Option<Self> {
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
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Memory held on the heap, bytes.
    pub fn bytes(&self) -> usize {
        let buckets: usize = self.levels.iter().map(|l| l.buckets.capacity()).sum();
        buckets * size_of::<Bucket>()
            + self.levels.capacity() * size_of::<Level>()
            + self.ranks.capacity() * size_of::<u32>()
    }

    /// The ranks between which the first slice that starts at or after `t` lies: the slices that start in
    /// `t`'s bucket.
    pub fn ranks_around(&self, t: i64) -> Range<usize> {
        let base = &self.levels[0];
        let grid = t >> base.bits;
        let (from, to) = (base.index(grid), base.index(grid.saturating_add(1)));
        self.rank(from)..self.rank(to)
    }

    /// The highest level whose buckets are no wider than `ns`.
    pub fn level(&self, ns: u64) -> Option<&Level> {
        self.levels.iter().rev().find(|l| 1u64 << l.bits <= ns)
    }

    /// How many slices start before the point `grid << level.bits`, and how many (at most 2) run in there.
    #[inline]
    pub fn starts_before(&self, level: &Level, grid: i64) -> (u32, u32) {
        let base = &self.levels[0];
        let at = match level.index(grid) {
            0 => 0,
            i if i == level.buckets.len() => base.buckets.len(),
            _ => base.index(grid << (level.bits - base.bits)),
        };
        (self.ranks[at] & RANK_MASK, self.ranks[at] >> RANK_BITS)
    }

    fn rank(&self, at: usize) -> usize {
        (self.ranks[at] & RANK_MASK) as usize
    }

    /// The level over `below`, unless that is the top.
    fn above(&self, row: Row<'_>, below: &Level) -> Option<Level> {
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
            let (mut busy, mut dominant, mut covered) = (0u32, super::NONE, -1i64);
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
                if b.dominant != super::NONE {
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

/// A part of 0 to 1 in 65535ths, never 0 for more than none.
fn share(part: f64) -> u16 {
    let least = f64::from(u8::from(part > 0.0));
    (part * 65535.0).round().max(least) as u16
}

/// What has been seen of the row up to some rank: the latest end, whose it is, and the latest of the others.
struct Seen {
    reach: i64,
    owner: u32,
    second: i64,
}

impl Seen {
    #[inline]
    fn add(&mut self, rank: usize, end: i64) {
        if end > self.reach {
            self.second = self.reach;
            self.reach = end;
            self.owner = rank as u32;
        } else {
            self.second = self.second.max(end);
        }
    }

    /// The rank entry of a bucket that begins at `begin`, before which `rank` slices start; a slice that
    /// covers the whole of it becomes its dominant.
    fn enter(&self, begin: i64, width: i64, rank: usize, part: &mut Part) -> u32 {
        if self.reach > begin && self.reach.wrapping_sub(begin) as u64 >= width as u64 {
            part.covered = width;
            part.dominant = self.owner;
        }
        let run_in = u32::from(self.reach > begin) + u32::from(self.second > begin);
        rank as u32 | run_in << RANK_BITS
    }
}

/// One pass over the row: the parts of the lowest level, and the rank entries at its edges.
fn sweep(row: Row<'_>, origin: i64, bits: u32, count: usize) -> (Vec<Part>, Vec<u32>) {
    let width = 1i64 << bits;
    let idle = Part { busy: 0, covered: -1, dominant: super::NONE, spans: 0 };
    let mut parts = vec![idle; count];
    let mut ranks = Vec::with_capacity(count + 1);
    let mut seen = Seen { reach: i64::MIN, owner: 0, second: i64::MIN };
    let begin = |bucket: usize| (origin + bucket as i64) << bits;
    for (i, (&s, &d)) in row.start.iter().zip(row.dur).enumerate() {
        let e = s.wrapping_add(d);
        let from = ((s >> bits) - origin) as usize;
        while ranks.len() <= from {
            let b = ranks.len();
            ranks.push(seen.enter(begin(b), width, i, &mut parts[b]));
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
        seen.add(i, e);
    }
    // After the last start there is only what runs on.
    while ranks.len() < count {
        let b = ranks.len();
        ranks.push(seen.enter(begin(b), width, row.len(), &mut parts[b]));
    }
    ranks.push(row.len() as u32);
    (parts, ranks)
}
