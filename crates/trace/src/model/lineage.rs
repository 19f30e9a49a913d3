//! Trees of events that a file states, as Paddle's protobuf does: which slice or memory event is a child of
//! which slice.
//!
//! Paddle's tables are sums over these trees: a node's launches count for all nodes around it, whenever they
//! ran. Nesting by time usually gives the same tree, but not always: a thread's tree may hold events with
//! another thread's number, and a call may be a child of the root. Slices of other files are nested by time
//! alone. Must not know how a tree is summed up.

use std::collections::BTreeSet;

use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::{Column, Ids};

use super::{Origin, SliceId};

/// The trees of events that files state, with the holder (the parent) of each slice and memory event that has
/// one.
#[derive(Debug, Default)]
pub struct Lineage {
    /// The trees that files state, one per thread of a file.
    pub trees: Vec<Tree>,
    /// For each slice the index of its tree in `trees`, or [`Lineage::NO_TREE`] where it is in no tree; empty
    /// if `trees` is.
    pub tree: Column<SliceId, u32>,
    /// For each slice its holder, the parent in its file's tree; [`SliceId::NONE`] where it has none. Empty
    /// if `trees` is.
    pub holder: Column<SliceId, SliceId>,
    /// For each memory event of `Trace::memory` its holder, the parent in its file's tree; [`SliceId::NONE`]
    /// where it has none. Empty if `trees` is.
    pub memory: Vec<SliceId>,
}

/// Identifies a tree by its file and the thread for which the file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// The file that states the tree, an index into `Meta::files`.
    pub file: u16,
    /// The thread's id, as the file states it; 0 where it states none.
    pub thread: u64,
}

/// An edge of a tree while the trace is built: an event and its holder (the parent), by their origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// The origin of the slice or memory event.
    pub child: Origin,
    /// The origin of the event's holder, its parent; [`Origin::NONE`] without one.
    pub holder: Origin,
    /// The index of the tree in `Lineage::trees`.
    pub tree: u32,
}

impl Lineage {
    /// The number that stands for no tree.
    pub const NO_TREE: u32 = u32::MAX;

    /// Builds the lineage of a trace from its `trees` and their edges `branches`. `slices` and `memory` are
    /// the origins of the trace's slices and memory events, in the trace's order.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn of(
        trees: Vec<Tree>,
        mut branches: Vec<Branch>,
        slices: &[Origin],
        memory: &[Origin],
    ) -> Result<Self, NoMemory> {
        branches.sort_unstable();
        let find = |origin: Origin| {
            let at = branches.binary_search_by_key(&origin, |branch| branch.child).ok()?;
            Some(branches[at])
        };
        let files: BTreeSet<usize> = trees.iter().map(|tree| usize::from(tree.file)).collect();
        let has_tree = |origin: Origin| files.contains(&origin.file());
        let slice_ids = Ids::<SliceId>::below(slices.len());
        let in_trees = slices.iter().copied().zip(slice_ids).filter(|&(origin, _)| has_tree(origin));
        let mut by_origin: Vec<(Origin, SliceId)> = heap::try_collect(in_trees)?;
        by_origin.sort_unstable();
        let slice_at = |origin: Origin| {
            let at = by_origin.binary_search_by_key(&origin, |slice| slice.0).ok();
            at.map_or(SliceId::NONE, |at| by_origin[at].1)
        };
        let mut lineage = Self {
            tree: heap::try_filled(Self::NO_TREE, slices.len())?.into(),
            holder: heap::try_filled(SliceId::NONE, slices.len())?.into(),
            memory: heap::try_filled(SliceId::NONE, memory.len())?,
            trees: Vec::new(),
        };
        for &(origin, id) in &by_origin {
            if let Some(branch) = find(origin) {
                lineage.tree[id] = branch.tree;
                lineage.holder[id] = slice_at(branch.holder);
            }
        }
        for (holder, &origin) in lineage.memory.iter_mut().zip(memory) {
            *holder = find(origin).map_or(SliceId::NONE, |branch| slice_at(branch.holder));
        }
        lineage.trees = trees;
        Ok(lineage)
    }

    /// True when no file states a tree.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The index of the tree that a slice belongs to; `None` where it is in no tree.
    pub fn tree_of(&self, id: SliceId) -> Option<u32> {
        self.tree.get(id).copied().filter(|&tree| tree != Self::NO_TREE)
    }

    /// The parent of a slice in its file's tree; `None` where it has no parent slice.
    pub fn holder_of(&self, id: SliceId) -> Option<SliceId> {
        self.holder.get(id).copied().filter(|&holder| holder != SliceId::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_are_found_by_their_origins() {
        let at = |offset| Origin::new(0, offset);
        let trees = vec![Tree { file: 0, thread: 7 }];
        let branch = |child, holder| Branch { child, holder, tree: 0 };
        let branches = vec![
            branch(at(30), at(10)),
            branch(at(10), Origin::NONE),
            branch(at(20), at(99)),
            branch(at(40), at(30)),
        ];
        let other = Origin::new(1, 10);
        let lineage = Lineage::of(trees, branches, &[at(30), at(10), at(20), other], &[at(40), at(50)])
            .expect("memory");
        let (id, none) = (SliceId::new, SliceId::NONE);
        assert_eq!(lineage.holder.as_slice(), [id(1), none, none, none]);
        assert_eq!(lineage.tree.as_slice(), [0, 0, 0, Lineage::NO_TREE]);
        assert_eq!(lineage.memory, [id(0), none]);
        assert_eq!((lineage.tree_of(id(3)), lineage.holder_of(id(0))), (None, Some(id(1))));
    }
}
