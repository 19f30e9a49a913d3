//! The walk through the slices of a thread, which makes the tree of its frames.
//!
//! At each instant one frame of a thread has the time: of the slices that are frames and open, the one that
//! began last. So nested and overlapping slices count once, and what all frames weigh adds up to the time in
//! which some frame was open. A slice hangs below the innermost slice that contains it on its lane, or below
//! the one open on the thread's other layer at its start, whichever began later. Must not know which device
//! work counts.

use std::cmp::Reverse;
use std::iter::Peekable;

use crate::analysis::part::Part;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, LaneKind, SliceId};

use super::names::Names;
use super::order::InOrder;
use super::tree::{NodeId, ROOT, Tree};

/// The start and end of a slice, and false on the Python layer. Of two open slices of a thread, the slice of
/// higher rank counts as the inner one.
type Rank = (Ns, Reverse<Ns>, bool);

/// A slice that is a frame, has begun and usually has not ended yet.
#[derive(Clone, Copy)]
struct Open {
    rank: Rank,
    node: NodeId,
    /// True if the slice's lane is in the scope; else its frame gets no time from it.
    counts: bool,
}

impl Open {
    fn end(&self) -> Ns {
        self.rank.1.0
    }
}

/// A lane, and how far the walk is on it.
struct Layer<'a> {
    lane: LaneId,
    first: SliceId,
    order: Peekable<InOrder<'a>>,
    /// For each visited slice of the lane, its own frame, or else the frame around it; [`ROOT`] without
    /// either.
    frames: Vec<NodeId>,
    open: Vec<Open>,
    /// False for a lane of Python functions.
    is_native: bool,
    /// True if the lane is in the scope.
    counts: bool,
}

/// What the walk through a thread found.
pub(super) struct Walked {
    /// The frames, with what they weigh on the host.
    pub(super) tree: Tree,
    /// Each lane with its first slice and, for each slice of the lane, its own frame or else the frame around
    /// it; [`ROOT`] without either.
    pub(super) frames: Vec<(LaneId, SliceId, Vec<NodeId>)>,
}

/// Walks through `lanes`, lanes of one thread or one lane of asynchronous slices, and makes the tree of their
/// frames.
pub(super) fn walk(part: &Part<'_>, names: &Names<'_>, lanes: &[LaneId]) -> Walked {
    // Where slices nest but for rounding errors, a walk row by row may not meet them in order: then they are
    // sorted.
    let walk = |is_sorted| Walk::of(part, names, lanes, is_sorted).run();
    walk(false).or_else(|| walk(true)).unwrap_or_else(|| Walked { tree: Tree::default(), frames: Vec::new() })
}

struct Walk<'a> {
    part: &'a Part<'a>,
    names: &'a Names<'a>,
    span: Span,
    tree: Tree,
    layers: Vec<Layer<'a>>,
    /// True if the lanes were not sorted, so that `run` returns `None` where slices are out of order.
    may_fail: bool,
}

impl<'a> Walk<'a> {
    fn of(part: &'a Part<'a>, names: &'a Names<'a>, lanes: &[LaneId], is_sorted: bool) -> Self {
        let trace = part.trace();
        let layer = |&lane: &LaneId| {
            let of_trace = &trace.lanes[lane];
            Layer {
                lane,
                first: of_trace.slices.start,
                order: InOrder::of(trace, of_trace, is_sorted).peekable(),
                frames: vec![ROOT; of_trace.slices.len()],
                open: Vec::new(),
                is_native: of_trace.kind != LaneKind::Python,
                counts: part.scope().has_lane(lane),
            }
        };
        let layers = lanes.iter().map(layer).collect();
        Self { part, names, span: part.span(), tree: Tree::default(), layers, may_fail: !is_sorted }
    }

    fn rank(&self, id: SliceId, is_native: bool) -> Rank {
        let span = self.part.trace().slices.span(id);
        (span.start, Reverse(span.end), is_native)
    }

    /// Visits all slices of the lanes in order of time; `None` if slices of unsorted lanes are out of order.
    fn run(mut self) -> Option<Walked> {
        let mut time = Ns::MIN;
        while let Some((at, rank)) = self.next() {
            if rank.0 < time && self.may_fail {
                return None;
            }
            self.go(time, rank.0);
            time = time.max(rank.0);
            self.visit(at, rank);
        }
        self.go(time, Ns::MAX);
        let frames = self.layers.into_iter().map(|layer| (layer.lane, layer.first, layer.frames));
        Some(Walked { tree: self.tree, frames: frames.collect() })
    }

    /// The layer of the slice to visit next, as an index, and the slice's rank; `None` after the last slice.
    fn next(&mut self) -> Option<(usize, Rank)> {
        let mut next = None;
        for at in 0..self.layers.len() {
            let Some(&id) = self.layers[at].order.peek() else { continue };
            let rank = self.rank(id, self.layers[at].is_native);
            if next.is_none_or(|(_, least)| rank < least) {
                next = Some((at, rank));
            }
        }
        next
    }

    /// Adds the time from `from` to `to` (ns), as far as it counts, to the innermost open frames, and closes
    /// those of them that have ended.
    fn go(&mut self, mut from: Ns, to: Ns) {
        loop {
            let mut innermost: Option<(usize, Open)> = None;
            for (at, layer) in self.layers.iter().enumerate() {
                if let Some(&open) = layer.open.last()
                    && innermost.is_none_or(|(_, other)| open.rank >= other.rank)
                {
                    innermost = Some((at, open));
                }
            }
            let Some((at, open)) = innermost else { return };
            let until = open.end().min(to);
            if from < until {
                self.add(open, Span { start: from, end: until });
                from = until;
            }
            if open.end() > to {
                break;
            }
            self.layers[at].open.pop();
        }
        for layer in &mut self.layers {
            while layer.open.last().is_some_and(|open| open.end() <= to) {
                layer.open.pop();
            }
        }
    }

    fn add(&mut self, open: Open, time: Span) {
        let (start, end) = (time.start.max(self.span.start), time.end.min(self.span.end));
        if open.counts && start < end {
            let node = &mut self.tree.nodes[open.node as usize];
            node.host = node.host.saturating_add(end - start);
        }
    }

    /// Takes the next slice of layer `at`, which has this rank: notes the frame that it belongs to, and opens
    /// the slice if it is a frame.
    fn visit(&mut self, at: usize, rank: Rank) {
        let slices = &self.part.trace().slices;
        let layer = &mut self.layers[at];
        let (Some(id), counts) = (layer.order.next(), layer.counts) else { return };
        let (first, is_native) = (layer.first, layer.is_native);
        let own = slices.parent(id).map(|parent| {
            let span = slices.span(parent);
            ((span.start, Reverse(span.end), is_native), layer.frames[(parent - first) as usize])
        });
        let others = self.layers.iter().enumerate().filter(|(other, _)| *other != at);
        let open = others.filter_map(|(_, other)| other.open.last().map(|open| (open.rank, open.node)));
        let around = open.chain(own).max_by_key(|(rank, _)| *rank).map_or(ROOT, |(_, node)| node);
        let mut node = around;
        if let Some(name) = self.names.frame(id) {
            node = self.tree.child(around, name, slices.category(id));
            if let Some(piece) = self.part.piece(id).filter(|_| counts) {
                self.tree.nodes[node as usize].add(id, piece.dur(), piece.begins);
            }
            self.layers[at].open.push(Open { rank, node, counts });
        }
        self.layers[at].frames[(id - first) as usize] = node;
    }
}
