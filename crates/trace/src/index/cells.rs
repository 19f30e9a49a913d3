//! The cells of a drawn row, computed from the slices and the tree over them, or from the mipmap.
//!
//! With few slices in the viewport, or buckets wider than a quarter of a cell, cells come from the slices and
//! the tree's nodes, and are exact. Otherwise they come from the mipmap: every edge is moved to the nearest
//! multiple of a bucket's width, at most an eighth of a cell away, and the cell describes the displaced span.
//! Must not know how a cell is drawn.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "differences of times wrap on purpose; ranks are below 2^32"
)]

use crate::model::SliceId;

use super::columns::{Columns, RowColumns};
use super::mip::{Level, Mip, NO_RANK};
use super::results::Cell;
use super::row::RowIndex;
use super::tree::{BLOCK, decode};

/// About how many slices per cell, on average, there must be for cells to be computed from the mipmap.
const SCAN_PER_CELL: usize = 12;
/// The least width of a cell, in buckets of the mipmap level that it is drawn from.
const BUCKETS_PER_CELL: u64 = 4;

/// The lower edge, in ns, of the `i`-th of `n` equal parts of `[t0, t1)`: `t0 + (t1 - t0) * i / n`, rounded
/// down.
///
/// `edge(t0, t1, n, n)` is `t1`; with `n` 0 every edge is `t0`.
#[must_use]
pub fn edge(t0: i64, t1: i64, n: usize, i: usize) -> i64 {
    if n == 0 {
        return t0;
    }
    let span = i128::from(t1) - i128::from(t0);
    let at = i128::from(t0) + span.saturating_mul(i as i128).div_euclid(n as i128);
    at.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Steps through the edges of equal parts of a span, as [`edge`] gives them. The span must not be reversed.
struct Edges {
    /// The edge returned last, ns; before the first call the start of the span.
    at: i64,
    /// The span's length divided by `parts`, rounded down, ns.
    step: u64,
    /// Remainder of the span's length divided by `parts`, ns.
    rest: u64,
    parts: u64,
    /// Sum of `rest` over the parts so far, modulo `parts`.
    owed: u64,
}

impl Edges {
    #[inline]
    fn new(t0: i64, t1: i64, parts: usize) -> Self {
        let span = t1.wrapping_sub(t0) as u64;
        let parts = (parts as u64).max(1);
        Self { at: t0, step: span / parts, rest: span % parts, parts, owed: 0 }
    }

    /// Moves on to the next edge and returns it, ns.
    #[inline]
    fn next(&mut self) -> i64 {
        self.owed += self.rest;
        let more = u64::from(self.owed >= self.parts);
        self.owed -= more * self.parts;
        self.at = self.at.wrapping_add((self.step + more) as i64);
        self.at
    }
}

/// The sums of a cell over the slices visited so far.
struct CellSums {
    /// Sum of the slices' durations, ns; in the end only of what lies in the cell.
    busy: u64,
    count: usize,
    /// The rank of the slice that covers most of the cell so far; 0 before the first slice.
    dominant: usize,
    /// How much of the cell the slice `dominant` covers, ns; -1 before the first slice.
    covered: i64,
}

impl CellSums {
    const EMPTY: Self = Self { busy: 0, count: 0, dominant: 0, covered: -1 };

    /// The cell of `row` that these sums make, for a cell that is `width` ns wide; empty if no slice was
    /// visited.
    #[inline]
    fn cell(&self, row: &RowIndex, width: u64) -> Cell {
        if self.count == 0 {
            return Cell::EMPTY;
        }
        Cell {
            busy: (self.busy as f64 / width as f64).min(1.0) as f32,
            count: self.count as u32,
            dominant: row.id(self.dominant),
        }
    }

    #[inline]
    fn add(&mut self, rank: usize, ns: i64) {
        self.add_many(rank, ns, ns as u64, 1);
    }

    #[inline]
    fn add_many(&mut self, longest: usize, ns: i64, busy: u64, count: usize) {
        self.busy = self.busy.saturating_add(busy);
        self.count += count;
        self.offer(longest, ns);
    }

    /// Makes the slice with this rank the dominant one, if `ns`, the time that it covers of the cell, is the
    /// most so far.
    #[inline]
    fn offer(&mut self, rank: usize, ns: i64) {
        if ns > self.covered {
            self.covered = ns;
            self.dominant = rank;
        }
    }
}

impl RowIndex {
    /// Fills `out[i]` with the cell of the `i`-th of `out.len()` equal parts of `[t0, t1)` (ns). Where there
    /// are many slices, cells may be approximate.
    pub fn cells(&self, cols: Columns<'_>, t0: i64, t1: i64, out: &mut [Cell]) {
        let row = self.row(cols);
        if out.is_empty() || t1 <= t0 || row.len() == 0 {
            out.fill(Cell::EMPTY);
            return;
        }
        let span = t1.wrapping_sub(t0) as u64;
        if span < out.len() as u64 {
            let mut each = vec![Cell::EMPTY; span as usize];
            self.show_slices(row, t0, t1, &mut each);
            let parts = out.len();
            for (i, cell) in out.iter_mut().enumerate() {
                *cell = each[(edge(t0, t1, parts, i) - t0) as usize];
            }
            return;
        }
        // From the mipmap, a cell describes a displaced span: its edges are moved to multiples of a bucket's
        // width, by at most an eighth of a cell's width; two neighbours keep their common edge. `count` has
        // all slices that start in the span, and at most 2 that start before it; `busy` is exact to 1/1000,
        // with durations summed per bucket and limited to the bucket's width; `dominant` touches the span
        // and, in a row of disjoint slices, covers at least half as much of it as the slice that covers most.
        // A cell is empty exactly where no slice touches it.
        match self.level_for(t0, t1, out.len()) {
            Some((mip, level)) => self.show_mip(mip, level, t0, t1, out),
            None if self.tree.is_disjoint() => self.show_disjoint(row, t0, t1, out),
            None => self.show_slices(row, t0, t1, out),
        }
    }

    /// The mipmap and its level from which `cells` equal parts of `[t0, t1)` (ns) are computed; `None` where
    /// they are computed from the slices.
    #[inline]
    pub(super) fn level_for(&self, t0: i64, t1: i64, cells: usize) -> Option<(&Mip, &Level)> {
        let mip = self.mip.as_ref()?;
        let width = t1.wrapping_sub(t0) as u64 / cells.max(1) as u64;
        let level = mip.level(width / BUCKETS_PER_CELL)?;
        let in_view = mip.ranks_around(t1).end - mip.ranks_around(t0).start;
        (in_view > SCAN_PER_CELL * cells).then_some((mip, level))
    }

    /// Fills the cells, which are the equal parts of `[t0, t1)` (ns), from a level of the mipmap. Their edges
    /// are moved to edges of its buckets.
    fn show_mip(&self, mip: &Mip, level: &Level, t0: i64, t1: i64, out: &mut [Cell]) {
        let mut edges = Edges::new(t0, t1, out.len());
        let mut grid = nearest(t0, level.bits);
        let mut from = level.index(grid);
        let (mut starts, mut run_in) = mip.starts_before(level, grid);
        for cell in out {
            let next = nearest(edges.next(), level.bits);
            let to = level.index(next);
            let (mut busy, mut dominant, mut most) = (0u32, NO_RANK, -1f32);
            // A slice that covers most of several buckets in a row counts with all of them.
            let (mut last, mut run) = (NO_RANK, 0f32);
            for b in &level.buckets[from..to] {
                busy += u32::from(b.busy);
                if b.dominant == NO_RANK {
                    continue;
                }
                run = decode(b.covered) + if b.dominant == last { run } else { 0.0 };
                last = b.dominant;
                if run > most {
                    most = run;
                    dominant = last;
                }
            }
            let (next_starts, next_run_in) = mip.starts_before(level, next);
            *cell = Cell {
                busy: busy as f32 / (65535.0 * next.wrapping_sub(grid) as u64 as f32),
                count: next_starts - starts + run_in,
                dominant: if dominant == NO_RANK { SliceId::NONE } else { self.first + dominant },
            };
            (grid, from, starts, run_in) = (next, to, next_starts, next_run_in);
        }
    }

    /// As [`Self::show_slices`], but faster, for a row in which no slice overlaps another.
    fn show_disjoint(&self, row: RowColumns<'_>, t0: i64, t1: i64, out: &mut [Cell]) {
        // Only the last slice that starts in a cell can end after the cell, and only the last slice before
        // the cell can run into it. So the ends of most slices need no comparison with the cell's end.
        let mut edges = Edges::new(t0, t1, out.len());
        let mut at = self.rank(row, t0);
        let mut a = t0;
        for cell in out {
            let b = edges.next();
            let mut now = CellSums::EMPTY;
            if let Some(before) = at.checked_sub(1).filter(|&before| row.end(before) > a) {
                now.add(before, row.end(before).min(b) - a);
            }
            // How long the slice before `at` is; -1 if it does not start in the cell, or a node has it.
            let mut dur = -1;
            let from = at;
            while at < row.len() && row.start[at] < b {
                if let Some((node, end)) =
                    self.tree.ahead(at, |n, end| row.start[end - 1] < b && n.max_end <= b)
                {
                    now.offer(at.wrapping_sub(1), dur);
                    now.offer(node.longest as usize, row.dur[node.longest as usize]);
                    now.busy = now.busy.wrapping_add(node.busy);
                    (at, dur) = (end, -1);
                    continue;
                }
                let stop = (at / BLOCK * BLOCK + BLOCK).min(row.len());
                for (&start, &next) in row.start[at..stop].iter().zip(&row.dur[at..stop]) {
                    if start >= b {
                        break;
                    }
                    now.offer(at.wrapping_sub(1), dur);
                    now.busy = now.busy.wrapping_add(next as u64);
                    dur = next;
                    at += 1;
                }
            }
            if dur >= 0 {
                let over = row.end(at - 1).max(b).wrapping_sub(b);
                now.busy = now.busy.wrapping_sub(over as u64);
                now.offer(at - 1, dur.wrapping_sub(over));
            }
            now.count += at - from;
            *cell = now.cell(self, b.wrapping_sub(a) as u64);
            a = b;
        }
    }

    /// Fills the cells, which are the equal parts of `[t0, t1)` (ns), exactly, from the slices and the tree's
    /// nodes.
    fn show_slices(&self, row: RowColumns<'_>, t0: i64, t1: i64, out: &mut [Cell]) {
        let mut edges = Edges::new(t0, t1, out.len());
        let mut at = self.rank(row, t0);
        // The slices that start before the cell and end within it or later.
        let mut running = self.tree.ending_after(row, at, t0);
        let mut a = t0;
        for cell in out {
            let b = edges.next();
            let mut now = CellSums::EMPTY;
            if !running.is_empty() {
                for &i in &running {
                    now.add(i, row.end(i).min(b) - a);
                }
                running.retain(|&i| row.end(i) > b);
            }
            while at < row.len() && row.start[at] < b {
                if let Some((node, end)) =
                    self.tree.ahead(at, |n, end| row.start[end - 1] < b && n.max_end <= b)
                {
                    let longest = node.longest as usize;
                    now.add_many(longest, row.dur[longest], node.busy, end - at);
                    at = end;
                    continue;
                }
                // Slice by slice, up to where the next node begins.
                let stop = (at / BLOCK * BLOCK + BLOCK).min(row.len());
                for (&s, &d) in row.start[at..stop].iter().zip(&row.dur[at..stop]) {
                    if s >= b {
                        break;
                    }
                    let end = s.wrapping_add(d);
                    if end > b {
                        running.push(at);
                        now.add(at, b - s);
                    } else {
                        now.add(at, d);
                    }
                    at += 1;
                }
            }
            *cell = now.cell(self, b.wrapping_sub(a) as u64);
            a = b;
        }
    }
}

/// `t / (1 << bits)`, rounded to the nearest whole number, halves upwards.
#[inline]
pub(super) fn nearest(t: i64, bits: u32) -> i64 {
    if bits == 0 {
        return t;
    }
    (t >> bits) + ((t >> (bits - 1)) & 1)
}
