//! The idle time of a device or stream, in pieces by cause: sums over a range, and the gaps next to a time.
//!
//! A gap is a time without work; its pieces lie end to end. A tree over blocks of pieces answers in O(log n).
//! Must not know what the causes mean.

use proftui_base::sparse::{BLOCK, Hint, Sparse};
use proftui_base::time::{Ns, Span};

/// How many causes of idle time there can be; the numbers of causes are below this.
pub const CAUSES: usize = 20;

/// A piece of a gap, with one cause of idle time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The time of the piece.
    pub span: Span,
    /// The number of its cause, below [`CAUSES`].
    pub cause: u8,
}

/// The idle time of one cause within a range of time, of one device or stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseSum {
    /// The idle time of the cause within the range, ns.
    pub ns: Ns,
    /// The number of gaps that have time of the cause within the range.
    pub gaps: u32,
    /// The length of the longest piece of the cause, cut at the range's bounds, ns; 0 if there is none.
    pub longest: Ns,
    /// Where the longest piece of the cause begins within the range, ns; 0 if there is none.
    pub longest_at: Ns,
}

impl CauseSum {
    fn add(&mut self, other: &Self) {
        self.ns = self.ns.saturating_add(other.ns);
        self.gaps += other.gaps;
        if other.longest > self.longest {
            (self.longest, self.longest_at) = (other.longest, other.longest_at);
        }
    }
}

/// The idle time of each cause, indexed by the cause's number.
pub type Sums = [CauseSum; CAUSES];

/// The pieces and the idle time before a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    /// The point in time, ns.
    pub at: Ns,
    /// How many pieces end at or before the point.
    pub pieces: usize,
    /// True if the point lies inside a piece, after the piece's start.
    pub is_within: bool,
    /// The idle time before the point by cause, ns.
    pub times: [Ns; CAUSES],
}

/// A node of the tree over blocks of pieces, which sums up the pieces below it.
#[derive(Clone, Debug)]
struct Node {
    sums: Sums,
    /// The length of the longest gap that begins in the node, ns; 0 without one.
    longest_gap: Ns,
}

impl Node {
    const EMPTY: Self =
        Self { sums: [CauseSum { ns: 0, gaps: 0, longest: 0, longest_at: 0 }; CAUSES], longest_gap: 0 };

    fn add(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| sum.add(more));
        self.longest_gap = self.longest_gap.max(other.longest_gap);
    }
}

/// The bit in [`Idle::marks`] of a piece that begins its gap.
const FIRST_OF_GAP: u8 = 1 << 7;
/// The bit in [`Idle::marks`] of a piece that is the first of its cause in its gap.
const FIRST_OF_CAUSE: u8 = 1 << 6;
/// The bits in [`Idle::marks`] with the number of the piece's cause.
const CAUSE: u8 = FIRST_OF_CAUSE - 1;

/// The gaps of one device or stream, in pieces by cause, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    start: Vec<Ns>,
    end: Vec<Ns>,
    /// The cause of each piece, with [`FIRST_OF_GAP`] and [`FIRST_OF_CAUSE`] where they apply.
    marks: Vec<u8>,
    /// Every 64th time of `start`.
    starts: Sparse,
    /// The idle time by cause before each block of pieces, and at the end all idle time, ns.
    times: Vec<[Ns; CAUSES]>,
    /// An implicit binary tree over blocks of pieces: node 1 is the root, and node `i` has the
    /// children `2 i` and `2 i + 1`.
    nodes: Vec<Node>,
}

/// Makes an [`Idle`] of gaps that are added in order of time.
#[derive(Debug, Default)]
pub struct IdleBuilder {
    idle: Idle,
}

impl IdleBuilder {
    /// Adds a gap, which must come after the gaps added before. Its `pieces` must lie end to end, in order of
    /// time; neighbours with the same cause are joined.
    pub fn gap(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        let first = self.idle.start.len();
        let mut seen = 0_u32;
        for Piece { span, cause } in pieces {
            if span.is_empty() {
                continue;
            }
            let at = self.idle.start.len();
            if at > first && self.idle.marks[at - 1] & CAUSE == cause {
                self.idle.end[at - 1] = span.end;
                continue;
            }
            let mut mark = cause & CAUSE;
            if at == first {
                mark |= FIRST_OF_GAP;
            }
            if seen >> cause & 1 == 0 {
                mark |= FIRST_OF_CAUSE;
            }
            seen |= 1 << cause;
            self.idle.start.push(span.start);
            self.idle.end.push(span.end);
            self.idle.marks.push(mark);
        }
    }

    /// Builds the [`Idle`] of the gaps that were added, ready for queries.
    pub fn finish(mut self) -> Idle {
        self.idle.start.shrink_to_fit();
        self.idle.end.shrink_to_fit();
        self.idle.marks.shrink_to_fit();
        self.idle.starts = Sparse::of(&self.idle.start);
        let leaves = self.idle.start.len().div_ceil(BLOCK).next_power_of_two();
        let mut nodes = vec![Node::EMPTY; 2 * leaves];
        for (at, node) in nodes[leaves..].iter_mut().enumerate() {
            *node = self.idle.leaf(at);
        }
        for at in (1..leaves).rev() {
            let (head, tail) = nodes.split_at_mut(2 * at);
            head[at].add(&tail[0]);
            head[at].add(&tail[1]);
        }
        self.idle.nodes = nodes;
        let mut times = [0; CAUSES];
        self.idle.times.push(times);
        for first in (0..self.idle.len()).step_by(BLOCK) {
            self.idle.add_times(first..(first + BLOCK).min(self.idle.len()), &mut times);
            self.idle.times.push(times);
        }
        self.idle
    }
}

impl Idle {
    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// True if there is no gap.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The piece with number `at`.
    pub fn piece(&self, at: usize) -> Piece {
        Piece { span: Span { start: self.start[at], end: self.end[at] }, cause: self.marks[at] & CAUSE }
    }

    /// True if the piece with number `at` is the first of its gap.
    pub fn begins_gap(&self, at: usize) -> bool {
        self.marks[at] & FIRST_OF_GAP != 0
    }

    /// The numbers of the pieces that overlap `span`; none if `span` is empty.
    pub fn within(&self, span: Span) -> std::ops::Range<usize> {
        let from = self.end.partition_point(|&end| end <= span.start);
        let to = self.start.partition_point(|&start| start < span.end);
        if span.is_empty() { from..from } else { from..to.max(from) }
    }

    /// The pieces and the idle time before the time `t` (ns).
    pub fn before(&self, t: Ns) -> Before {
        self.near(t, 0, &mut Hint::default())
    }

    /// Like [`Idle::before`], but usually faster, for a point in time at most `within` ns from `t`. The
    /// caller keeps `hint`, at first the default, from one search to the next.
    pub fn near(&self, t: Ns, within: Ns, hint: &mut Hint) -> Before {
        if let Some(block) = self.starts.block_near(t, within, hint) {
            let pieces = block * BLOCK;
            return Before { at: self.start[pieces], pieces, is_within: false, times: self.times[block] };
        }
        let begun = self.starts.before(&self.start, t, hint);
        let is_within = begun > 0 && self.end[begun - 1] > t;
        let pieces = begun - usize::from(is_within);
        let block = pieces / BLOCK;
        let mut times = self.times.get(block).copied().unwrap_or_default();
        self.add_times(block * BLOCK..pieces, &mut times);
        if is_within {
            times[usize::from(self.marks[pieces] & CAUSE)] += t - self.start[pieces];
        }
        Before { at: t, pieces, is_within, times }
    }

    /// Adds the lengths of the pieces with the numbers `pieces` to `times`, by cause.
    fn add_times(&self, pieces: std::ops::Range<usize>, times: &mut [Ns; CAUSES]) {
        for ((start, end), mark) in
            (self.start[pieces.clone()].iter().zip(&self.end[pieces.clone()])).zip(&self.marks[pieces])
        {
            times[usize::from(mark & CAUSE)] += end - start;
        }
    }

    /// The time of the gap that contains the piece with number `at`, and the numbers of all pieces of the
    /// gap.
    pub fn gap_of(&self, at: usize) -> (Span, std::ops::Range<usize>) {
        let first = (0..=at).rev().find(|&i| self.marks[i] & FIRST_OF_GAP != 0).unwrap_or(0);
        let next = (at + 1..self.len()).find(|&i| self.marks[i] & FIRST_OF_GAP != 0).unwrap_or(self.len());
        (Span { start: self.start[first], end: self.end[next - 1] }, first..next)
    }

    /// The gap that contains the time `t` (ns), else the first gap after `t`; `None` if there is none.
    pub fn gap_at(&self, t: Ns) -> Option<Span> {
        let at = self.end.partition_point(|&end| end <= t);
        (at < self.len()).then(|| self.gap_of(at).0)
    }

    /// The longest gap, the first of equals; `None` if there is no gap.
    pub fn longest_gap(&self) -> Option<Span> {
        let longest = self.nodes.get(1)?.longest_gap;
        self.search(0, self.len(), longest.max(1), false)
    }

    /// The first gap that begins at or after `t` and is at least `min` long, both ns; `None` if there is
    /// none.
    pub fn next_gap(&self, t: Ns, min: Ns) -> Option<Span> {
        let from = self.start.partition_point(|&start| start < t);
        self.search(from, self.len(), min.max(1), false)
    }

    /// The last gap that ends at or before `t` and is at least `min` long, both ns; `None` if there is none.
    pub fn prev_gap(&self, t: Ns, min: Ns) -> Option<Span> {
        let mut to = self.end.partition_point(|&end| end <= t);
        // A gap that goes on after `t` is not asked for.
        if to < self.len() && self.marks[to] & FIRST_OF_GAP == 0 {
            to = self.gap_of(to).1.start;
        }
        self.search(0, to, min.max(1), true)
    }

    /// The first gap (if `is_last`, the last) that is at least `min` ns long and whose first piece has a
    /// number in `from..to`.
    fn search(&self, from: usize, to: usize, min: Ns, is_last: bool) -> Option<Span> {
        let is_wanted = |at: &usize| {
            self.marks[*at] & FIRST_OF_GAP != 0 && {
                let (gap, _) = self.gap_of(*at);
                gap.len() >= min
            }
        };
        let leaves = self.nodes.len() / 2;
        let mut at = if is_last { to } else { from };
        loop {
            if if is_last { at <= from } else { at >= to } {
                return None;
            }
            let block = if is_last { (at - 1) / BLOCK } else { at / BLOCK };
            let (mut node, mut width, mut first) = (leaves + block, 1, block);
            // The largest node that begins (ends) here and has no such gap is skipped.
            if self.nodes[node].longest_gap < min {
                while node > 1 && node % 2 == usize::from(is_last) && self.nodes[node / 2].longest_gap < min {
                    (node, width) = (node / 2, width * 2);
                    first = (first / width) * width;
                }
                at = if is_last { first * BLOCK } else { (first + width) * BLOCK };
                continue;
            }
            let own = (block * BLOCK).max(from)..((block + 1) * BLOCK).min(to);
            let found =
                if is_last { (own.start..at).rev().find(is_wanted) } else { (at..own.end).find(is_wanted) };
            if let Some(found) = found {
                return Some(self.gap_of(found).0);
            }
            at = if is_last { own.start } else { own.end };
        }
    }

    /// The idle time within `span`, by cause.
    pub fn sums(&self, span: Span) -> Sums {
        let mut total = Node::EMPTY;
        let range = self.within(span);
        let (mut at, end) = (range.start, range.end);
        let leaves = self.nodes.len() / 2;
        let mut seen = 0;
        while at < end {
            // Whole blocks after the first pieces of the range, whose gaps may have begun before it.
            let is_inside = at > range.start && at % BLOCK == 0 && self.marks[at] & FIRST_OF_GAP != 0;
            if is_inside && at + BLOCK < end {
                let (mut node, mut width) = (leaves + at / BLOCK, 1);
                while node % 2 == 0 && at + 2 * width * BLOCK < end {
                    (node, width) = (node / 2, width * 2);
                }
                total.add(&self.nodes[node]);
                at += width * BLOCK;
                seen = u32::MAX;
                continue;
            }
            let mark = self.marks[at];
            let cause = usize::from(mark & CAUSE);
            if mark & FIRST_OF_GAP != 0 {
                seen = 0;
            }
            // What a whole block's last gap has is not known here: the mark of the piece decides.
            let is_first = if seen == u32::MAX { mark & FIRST_OF_CAUSE != 0 } else { seen >> cause & 1 == 0 };
            if seen != u32::MAX {
                seen |= 1 << cause;
            }
            let cut = Span { start: self.start[at].max(span.start), end: self.end[at].min(span.end) };
            total.sums[cause].add(&CauseSum {
                ns: cut.len(),
                gaps: u32::from(is_first),
                longest: cut.len(),
                longest_at: cut.start,
            });
            at += 1;
        }
        total.sums
    }

    /// Memory on the heap, bytes.
    pub fn bytes(&self) -> usize {
        self.start.capacity() * 17
            + self.nodes.capacity() * size_of::<Node>()
            + self.starts.bytes()
            + self.times.capacity() * size_of::<[Ns; CAUSES]>()
    }

    /// Makes the leaf of the tree for the block of pieces with number `at`.
    fn leaf(&self, at: usize) -> Node {
        let mut node = Node::EMPTY;
        for at in at * BLOCK..((at + 1) * BLOCK).min(self.len()) {
            let Piece { span, cause } = self.piece(at);
            node.sums[usize::from(cause)].add(&CauseSum {
                ns: span.len(),
                gaps: u32::from(self.marks[at] & FIRST_OF_CAUSE != 0),
                longest: span.len(),
                longest_at: span.start,
            });
            if self.marks[at] & FIRST_OF_GAP != 0 {
                node.longest_gap = node.longest_gap.max(self.gap_of(at).0.len());
            }
        }
        node
    }
}
