//! The tree of frames: equal names below the same frame are one frame, with what it weighs by itself.
//!
//! Must not know slices of a lane, nor which frames are shown.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, SliceId};

use super::choice::Weight;

/// The number of a frame in a [`Tree`]: its index in [`Tree::nodes`].
pub(super) type NodeId = u32;
/// The number of the frame around all others, which is not shown.
pub(super) const ROOT: NodeId = 0;
/// The greatest depth of a frame in a tree, where [`ROOT`] is at 0. Deeper slices count for the frame at this
/// depth around them.
pub(super) const DEEPEST_FRAME: u16 = 256;

/// A frame of a [`Tree`], usually with what it weighs without the frames below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) name: StrId,
    pub(super) parent: NodeId,
    /// The frame below this one that [`Tree::child`] found last; [`ROOT`] before the first.
    last: NodeId,
    pub(super) depth: u16,
    pub(super) category: Category,
    /// The frame's time on the host, without that of the frames below it, ns; 0 in a bottom-up tree.
    pub(super) host: Ns,
    /// The time in the part of the device work that the frame itself stands for, ns; 0 in a bottom-up tree.
    pub(super) device: Ns,
    /// The bytes in the part of the copies and memsets that the frame itself stands for, as far as the trace
    /// states them.
    pub(super) bytes: u64,
    /// How many of the frame's slices begin in the part.
    pub(super) count: u64,
    /// The time (ns) and the number of the slice that is longest within the part, of those that count for the
    /// frame; [`SliceId::NONE`] without one.
    longest: (Ns, SliceId),
}

impl Node {
    fn new(name: StrId, category: Category, parent: NodeId, depth: u16) -> Self {
        let longest = (Ns::MIN, SliceId::NONE);
        Self { name, parent, last: ROOT, depth, category, host: 0, device: 0, bytes: 0, count: 0, longest }
    }

    /// What the frame weighs by itself, in ns, bytes or slices.
    pub(super) fn own(&self, weight: Weight) -> i64 {
        match weight {
            Weight::Host => self.host,
            Weight::Device => self.device,
            Weight::Bytes => i64::try_from(self.bytes).unwrap_or(i64::MAX),
            Weight::Count => i64::try_from(self.count).unwrap_or(i64::MAX),
        }
    }

    /// Counts the slice `id` if it `begins` in the part, and updates the longest slice by its time there,
    /// `dur` (ns).
    pub(super) fn add(&mut self, id: SliceId, dur: Ns, begins: bool) {
        self.count += u64::from(begins);
        self.longest = longer(self.longest, (dur, id));
    }

    /// The slice that is longest within the part, of those that count for the frame; `None` without one.
    pub(super) fn longest(&self) -> Option<SliceId> {
        Some(self.longest.1).filter(|&id| id != SliceId::NONE)
    }

    /// Adds another frame's weights to this one's, and keeps the longer of their longest slices.
    pub(super) fn merge(&mut self, other: &Self) {
        self.host = self.host.saturating_add(other.host);
        self.device = self.device.saturating_add(other.device);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.count += other.count;
        self.longest = longer(self.longest, other.longest);
    }
}

/// The longer of two slices, each given as its time in ns and its number; of equally long ones that with the
/// smaller number.
fn longer(one: (Ns, SliceId), other: (Ns, SliceId)) -> (Ns, SliceId) {
    if other.0 > one.0 || other.0 == one.0 && other.1 < one.1 { other } else { one }
}

/// The tree of the frames of a thread or a part.
pub(super) struct Tree {
    /// The frames, the first of which is [`ROOT`]; each has a smaller number than those below it.
    pub(super) nodes: Vec<Node>,
    /// The number of each frame, by the frame around it (the upper half of the key) and its name.
    known: FxHashMap<u64, NodeId>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: vec![Node::new(StrId::EMPTY, Category::Other, ROOT, 0)], known: FxHashMap::default() }
    }
}

impl Tree {
    /// The number of the frame with this name directly below `parent`, which is added if there is none;
    /// `parent` itself at the depth [`DEEPEST_FRAME`].
    #[inline]
    pub(super) fn child(&mut self, parent: NodeId, name: StrId, category: Category) -> NodeId {
        let around = self.nodes[parent as usize];
        if around.last != ROOT && self.nodes[around.last as usize].name == name {
            return around.last;
        }
        if around.depth >= DEEPEST_FRAME {
            return parent;
        }
        let nodes = &mut self.nodes;
        let id = *self.known.entry(u64::from(parent) << 32 | u64::from(name.get())).or_insert_with(|| {
            nodes.push(Node::new(name, category, parent, around.depth + 1));
            saturate::<NodeId>(nodes.len()) - 1
        });
        self.nodes[parent as usize].last = id;
        id
    }

    /// Adds all frames of another tree with what they weigh; equal names below the same frame become one
    /// frame.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut numbers: Vec<NodeId> = Vec::with_capacity(other.nodes.len());
        for (at, node) in other.nodes.iter().enumerate() {
            let id = if at == 0 {
                ROOT
            } else {
                self.child(numbers[node.parent as usize], node.name, node.category)
            };
            self.nodes[id as usize].merge(node);
            numbers.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_below_a_frame_are_one_and_too_deep_ones_count_for_the_last() {
        let mut tree = Tree::default();
        let a = tree.child(ROOT, StrId::new(7), Category::Other);
        assert_eq!(tree.child(ROOT, StrId::new(8), Category::Other), a + 1);
        assert_eq!(tree.child(ROOT, StrId::new(7), Category::Other), a);
        assert_ne!(
            tree.child(a, StrId::new(7), Category::Other),
            a,
            "the frame of a recursion is one of its own"
        );
        let deep = (0..1000).fold(a, |at, name| tree.child(at, StrId::new(name), Category::Other));
        assert_eq!(tree.nodes[deep as usize].depth, DEEPEST_FRAME);
        let mut other = Tree::default();
        other.merge(&tree);
        other.nodes[deep as usize].host = 5;
        tree.merge(&other);
        assert_eq!((tree.nodes.len(), tree.nodes[deep as usize].host), (other.nodes.len(), 5));
    }
}
