//! The implicit interval tree of one row: blocks of consecutive slices and, above them, nodes of a fixed
//! fan-out, in one flat array per level.
//!
//! Works in ranks (positions in the row). Nodes need not be disjoint in time: the answers are right however
//! slices overlap. Must not know slice numbers, cells or the mipmap.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "differences of times wrap on purpose; ranks are below 2^32"
)]

use std::mem::size_of;

use super::columns::RowColumns;

/// Number of slices in a block (the last may have fewer); a node of the lowest level summarizes one block.
pub(super) const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 7;
/// A full node above the lowest level summarizes `1 << FAN_BITS` nodes of the level below.
const FAN_BITS: u32 = 4;

/// A node: a summary of consecutive slices of the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The latest end of the slices, ns.
    pub max_end: i64,
    /// The sum of the slices' durations, ns; `u64::MAX` if it would be more.
    pub busy: u64,
    /// Rank of the slice with the longest duration, the lowest rank of equals.
    pub longest: u32,
    /// The [`code`] of the longest gap that ends where one of the slices starts; 0 if there is no such gap.
    pub gap: u16,
}

/// Encodes a length in ns in 16 bits, to about a thousandth, so that longer lengths have no smaller codes.
/// The code is 0 exactly for lengths of 0 or less.
#[inline]
pub(super) fn code(ns: i64) -> u16 {
    if ns <= 0 {
        return 0;
    }
    let top = (ns as f32).to_bits() >> 13;
    (top - (127 << 10) + 1) as u16
}

/// The least length in ns that has this [`code`], but for rounding to `f32`; 0 for code 0.
#[inline]
pub(super) fn decode(code: u16) -> f32 {
    if code == 0 {
        return 0.0;
    }
    f32::from_bits((u32::from(code) - 1 + (127 << 10)) << 13)
}

/// The interval tree of a row: levels of nodes over blocks of its slices.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The levels of nodes, lowest first; empty for a row that fits one block.
    levels: Vec<Vec<Node>>,
    /// Number of slices in the row.
    len: usize,
    /// The latest end in the row, ns; without meaning in an empty row.
    max_end: i64,
    /// True if no slice starts before the end of an earlier slice.
    is_disjoint: bool,
}

/// Number of slices that a full node of the level summarizes; level 0 is the lowest.
const fn size(level: usize) -> usize {
    BLOCK << (FAN_BITS as usize * level)
}

impl Tree {
    /// Builds the interval tree of a row, whose slices are sorted by start.
    pub(super) fn build(row: RowColumns<'_>) -> Self {
        let len = row.len();
        let mut max_end = i64::MIN;
        let mut is_disjoint = true;
        let mut blocks = Vec::new();
        if len > BLOCK {
            blocks.reserve_exact(len.div_ceil(BLOCK));
        }
        for (k, (start, dur)) in row.start.chunks(BLOCK).zip(row.dur.chunks(BLOCK)).enumerate() {
            let (mut busy, mut longest, mut best, mut gap) = (0u64, 0, -1i64, 0i64);
            let mut block_end = i64::MIN;
            // Before the first slice of the row there is no gap.
            let mut latest_end = if k == 0 { i64::MAX } else { max_end };
            for (i, (&s, &d)) in start.iter().zip(dur).enumerate() {
                let e = s.wrapping_add(d);
                gap = gap.max(s.saturating_sub(latest_end));
                if k == 0 && i == 0 {
                    latest_end = e;
                } else {
                    is_disjoint &= s >= latest_end;
                }
                latest_end = latest_end.max(e);
                block_end = block_end.max(e);
                busy = busy.saturating_add(d as u64);
                if d > best {
                    best = d;
                    longest = i;
                }
            }
            max_end = max_end.max(block_end);
            if len > BLOCK {
                blocks.push(Node {
                    max_end: block_end,
                    busy,
                    longest: (k * BLOCK + longest) as u32,
                    gap: code(gap),
                });
            }
        }
        let mut levels = Vec::new();
        let mut below = blocks;
        while !below.is_empty() {
            let above: Vec<Node> = if below.len() > 1 {
                below.chunks(1 << FAN_BITS).map(|c| merge(row, c)).collect()
            } else {
                Vec::new()
            };
            levels.push(below);
            below = above;
        }
        Self { levels, len, max_end, is_disjoint }
    }

    /// The latest end in the row, ns; without meaning in an empty row.
    #[inline]
    pub(super) fn max_end(&self) -> i64 {
        self.max_end
    }

    /// True if no slice starts before the end of an earlier slice.
    #[inline]
    pub(super) fn is_disjoint(&self) -> bool {
        self.is_disjoint
    }

    /// Memory that the tree holds on the heap, bytes.
    pub(super) fn bytes(&self) -> usize {
        let nodes: usize = self.levels.iter().map(Vec::capacity).sum();
        nodes * size_of::<Node>() + self.levels.capacity() * size_of::<Vec<Node>>()
    }

    /// The largest node that begins at rank `at` and that `take` accepts, and the rank after its last slice.
    /// `take` must refuse every node above a refused node.
    #[inline]
    pub(super) fn ahead(
        &self,
        at: usize,
        mut take: impl FnMut(&Node, usize) -> bool,
    ) -> Option<(&Node, usize)> {
        let mut found = None;
        for (k, level) in self.levels.iter().enumerate() {
            if at & (size(k) - 1) != 0 {
                break;
            }
            let Some(node) = level.get(at / size(k)) else {
                break;
            };
            let end = (at + size(k)).min(self.len);
            if !take(node, end) {
                break;
            }
            found = Some((node, end));
        }
        found
    }

    /// The first rank of the largest full node that ends right before rank `at` and that `take` accepts. For
    /// `take` see [`Tree::ahead`].
    #[inline]
    pub(super) fn behind(&self, at: usize, mut take: impl FnMut(&Node) -> bool) -> Option<usize> {
        let mut found = None;
        for (k, level) in self.levels.iter().enumerate() {
            if at == 0 || at & (size(k) - 1) != 0 {
                break;
            }
            let from = at - size(k);
            if !level.get(from / size(k)).is_some_and(&mut take) {
                break;
            }
            found = Some(from);
        }
        found
    }

    /// The last rank below `hi` whose slice ends after `t` (ns); `None` if there is none.
    pub(super) fn last_ending_after(&self, row: RowColumns<'_>, hi: usize, t: i64) -> Option<usize> {
        if self.is_disjoint {
            return hi.checked_sub(1).filter(|&last| row.end(last) > t);
        }
        let mut at = hi;
        while at > 0 {
            if let Some(from) = self.behind(at, |n| n.max_end <= t) {
                at = from;
            } else {
                at -= 1;
                if row.end(at) > t {
                    return Some(at);
                }
            }
        }
        None
    }

    /// All ranks below `hi` whose slices end after `t` (ns), ascending.
    pub(super) fn ending_after(&self, row: RowColumns<'_>, hi: usize, t: i64) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = hi;
        while let Some(next) = self.last_ending_after(row, at, t) {
            found.push(next);
            at = next;
        }
        found.reverse();
        found
    }

    /// The latest end of the slices with ranks below `hi`, ns; `None` where `hi` is 0.
    pub(super) fn latest_end(&self, row: RowColumns<'_>, hi: usize) -> Option<i64> {
        if self.is_disjoint {
            return hi.checked_sub(1).map(|last| row.end(last));
        }
        let mut latest = None;
        let mut at = hi;
        while at > 0 {
            let mut end = i64::MIN;
            if let Some(from) = self.behind(at, |n| {
                end = end.max(n.max_end);
                true
            }) {
                at = from;
            } else {
                at -= 1;
                end = row.end(at);
            }
            latest = latest.max(Some(end));
        }
        latest
    }
}

/// Merges neighbouring nodes of one level into the node of the level above that summarizes them.
#[inline]
fn merge(row: RowColumns<'_>, under: &[Node]) -> Node {
    let mut all = under[0];
    for n in &under[1..] {
        all.max_end = all.max_end.max(n.max_end);
        all.busy = all.busy.saturating_add(n.busy);
        all.gap = all.gap.max(n.gap);
        if row.dur[n.longest as usize] > row.dur[all.longest as usize] {
            all.longest = n.longest;
        }
    }
    all
}
