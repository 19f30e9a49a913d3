//! A flame: the frames of a part of a trace as trees, by one weight, in the order in which they are drawn and
//! written.
//!
//! A frame's total is what it weighs by itself and what all frames below it weigh. Must not know tables,
//! files and screens.

use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_trace::model::{Category, SliceId, Trace};

use super::choice::{Choice, Direction, Stacking, Weight};
use super::tree::{Node, NodeId, ROOT, Tree};
use super::{grow, names};

/// The most callers, one calling the other, below a root of a bottom-up tree; further callers are left out.
pub(crate) const CALLERS: usize = 64;

/// A frame of a flame: a node of a tree, which usually stands for slices whose names count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The name, a number in `Trace::strings`; [`StrId::NONE`] for the frame around device work whose launch
    /// on the host is not known.
    pub name: StrId,
    /// The category of a slice of the frame; `Other` for a frame named [`StrId::NONE`].
    pub category: Category,
    /// How many frames are above this one in its tree; 0 for a root.
    pub depth: u32,
    /// The index of the frame above this one in its tree; `None` for a root.
    pub parent: Option<u32>,
    /// The index after the last frame below this one, or after this frame if none is below.
    pub end: u32,
    /// The sum of [`own`](Self::own) over the frame and all frames below it, in ns, bytes or slices.
    pub total: i64,
    /// The weight without the frames below, in ns, bytes or slices; in a bottom-up tree, what the root's
    /// slices weigh by themselves where their callers end at this frame.
    pub own: i64,
    /// How many slices of the frame begin in the part. In a bottom-up tree the root's slices that were called
    /// through this frame count instead, where they weigh something by themselves.
    pub calls: u64,
    /// The frame's longest slice within the part; in a bottom-up tree, the root's longest slice that was
    /// called through this frame, where such slices weigh something. `None` if there is none.
    pub longest: Option<SliceId>,
}

/// The frames of a part of a trace as trees, by one weight. Frames with a total of 0 are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flame {
    /// Which slices of the host are frames.
    pub stacking: Stacking,
    /// What the frames weigh.
    pub weight: Weight,
    /// From which end the trees grow.
    pub direction: Direction,
    /// The frames of all trees in depth-first order, of roots and of siblings the heaviest first.
    pub frames: Vec<Frame>,
    /// The sum of the totals of all roots, in ns, bytes or slices.
    pub total: i64,
}

impl Flame {
    /// Makes the flame of the part of a trace that `scope` selects, as `choice` says.
    pub fn of(trace: &Trace, scope: &Scope, choice: Choice) -> Self {
        let part = Part::new(trace, scope);
        let tree = grow::tree(&part, choice.stacking);
        let weight = choice.weight.unwrap_or_else(|| {
            let has_host = tree.nodes.iter().any(|node| node.host > 0);
            if has_host { Weight::Host } else { Weight::Device }
        });
        let own = |node: &Node| node.own(weight);
        let (nodes, own): (Vec<Node>, Vec<i64>) = match choice.direction {
            Direction::TopDown => {
                let own = tree.nodes.iter().map(own).collect();
                (tree.nodes, own)
            }
            Direction::BottomUp => bottom_up(&tree, weight),
        };
        let Choice { stacking, direction, .. } = choice;
        let frames = arranged(trace, &nodes, &own);
        let total = frames
            .iter()
            .filter(|frame| frame.depth == 0)
            .fold(0, |sum: i64, one| sum.saturating_add(one.total));
        Self { stacking, weight, direction, frames, total }
    }

    /// The name of a frame of this flame, safe to show.
    pub fn title<'a>(&self, trace: &'a Trace, frame: &Frame) -> SafeText<'a> {
        names::title(trace, frame.name, frame.category)
    }

    /// The indices of the frames directly below the frame with this index, or of the roots for `None`: the
    /// heaviest first.
    pub fn below(&self, frame: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let (first, end) = match frame {
            Some(at) => (at + 1, self.frames[at as usize].end),
            None => (0, saturate::<u32>(self.frames.len())),
        };
        let next = move |&at: &u32| Some(self.frames[at as usize].end).filter(|&at| at < end);
        std::iter::successors(Some(first).filter(|&at| at < end), next)
    }

    /// The indices of the frames from the root down to the frame with this index, both included.
    pub fn path(&self, frame: u32) -> Vec<u32> {
        let mut path: Vec<u32> =
            std::iter::successors(Some(frame), |&at| self.frames[at as usize].parent).collect();
        path.reverse();
        path
    }
}

/// Makes trees with the frames that weigh something by themselves as roots, and their callers below. Returns
/// the nodes, and what each weighs by itself.
fn bottom_up(tree: &Tree, weight: Weight) -> (Vec<Node>, Vec<i64>) {
    let mut callers = Tree::default();
    let mut own: Vec<i64> = vec![0];
    for node in tree.nodes.iter().skip(1).filter(|node| node.own(weight) > 0) {
        let (mut at, mut around) = (ROOT, *node);
        for _ in 0..=CALLERS {
            at = callers.child(at, around.name, around.category);
            if around.parent == ROOT {
                break;
            }
            around = tree.nodes[around.parent as usize];
        }
        own.resize(callers.nodes.len(), 0);
        own[at as usize] = own[at as usize].saturating_add(node.own(weight));
        let mut counted = *node;
        (counted.host, counted.device, counted.bytes) = (0, 0, 0);
        callers.nodes[at as usize].merge(&counted);
    }
    // The calls of a frame at the root are those of all its callers.
    for at in (1..callers.nodes.len()).rev() {
        let node = callers.nodes[at];
        if node.parent != ROOT {
            callers.nodes[node.parent as usize].merge(&node);
        }
    }
    (callers.nodes, own)
}

/// Makes the frames of a flame from `nodes`, whose own weights are `own`, in the order of [`Flame::frames`];
/// frames with a total of 0 are left out.
fn arranged(trace: &Trace, nodes: &[Node], own: &[i64]) -> Vec<Frame> {
    let mut totals = own.to_vec();
    for at in (1..nodes.len()).rev() {
        let parent = nodes[at].parent as usize;
        totals[parent] = totals[parent].saturating_add(totals[at]);
    }
    let total = |id: NodeId| totals[id as usize];
    let name = |id: NodeId| {
        let node = &nodes[id as usize];
        names::title(trace, node.name, node.category)
    };
    let mut kept: Vec<NodeId> = (1..saturate::<NodeId>(nodes.len())).filter(|&id| total(id) > 0).collect();
    // Below each frame the lightest first: `left` gives the last one out first.
    kept.sort_by(|&one, &other| {
        let (a, b) = (&nodes[one as usize], &nodes[other as usize]);
        (a.parent, total(one))
            .cmp(&(b.parent, total(other)))
            .then_with(|| name(other).as_str().cmp(name(one).as_str()))
    });
    let below = |parent: NodeId| {
        let from = kept.partition_point(|&id| nodes[id as usize].parent < parent);
        let to = kept.partition_point(|&id| nodes[id as usize].parent <= parent);
        &kept[from..to]
    };
    let mut frames: Vec<Frame> = Vec::with_capacity(kept.len());
    let mut left: Vec<(NodeId, Option<u32>)> = below(ROOT).iter().map(|&id| (id, None)).collect();
    while let Some((id, parent)) = left.pop() {
        let (node, at) = (&nodes[id as usize], saturate::<u32>(frames.len()));
        frames.push(Frame {
            name: node.name,
            category: node.category,
            depth: u32::from(node.depth) - 1,
            parent,
            end: at + 1,
            total: total(id),
            own: own[id as usize],
            calls: node.count,
            longest: node.longest(),
        });
        left.extend(below(id).iter().map(|&id| (id, Some(at))));
    }
    for at in (0..frames.len()).rev() {
        let (end, parent) = (frames[at].end, frames[at].parent);
        if let Some(parent) = parent {
            let around = &mut frames[parent as usize];
            around.end = around.end.max(end);
        }
    }
    frames
}
