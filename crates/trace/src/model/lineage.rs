//! Trees of events that a file states, as Paddle's protobuf does: which slice or memory event is a child of
//! which slice.
//!
//! Paddle's tables are sums over these trees: a node's launches count for all nodes around it, whenever they
//! ran. Nesting by time usually gives the same tree, but not always: a thread's tree may hold events with
//! another thread's number, and a call may be a child of the root. Slices of other files are nested by time
//! alone. Must not know how a tree is summed up.

use std::collections::BTreeSet;

use proftui_base::heap::{self, NoMemory};

use super::{NONE, Origin, SliceId};

/// The trees that files state, and for each slice and memory event its holder: the slice that is its parent
/// in its file's tree. Events of files without trees have no holder.
#[derive(Debug, Default)]
pub struct Lineage {
    /// The trees of the files, one per thread.
    pub trees: Vec<Tree>,
    /// For each slice the index of its tree in `trees`, or [`NONE`] where its file states no tree for it.
    pub tree: Vec<u32>,
    /// For each slice its holder; [`NONE`] where it is a child of its tree's root, or in no tree.
    pub holder: Vec<SliceId>,
    /// For each memory event its holder; [`NONE`] where it is a child of its tree's root, or in no tree.
    pub memory: Vec<SliceId>,
}

/// A tree that a file states: the events of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// The file that states the tree, an index into `Meta::files`.
    pub file: u16,
    /// The thread's id, as the file states it.
    pub thread: u64,
}

/// An edge of a tree while the trace is built: an event and its holder, both known by their origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// The origin of the slice or memory event.
    pub child: Origin,
    /// The origin of the holder; [`Origin::NONE`] for the root of the tree.
    pub holder: Origin,
    /// The index of the tree in `Lineage::trees`.
    pub tree: u32,
}

impl Lineage {
    /// Builds the lineage from `branches`, given the origins of all slices and memory events in the files, in
    /// order of their numbers. Children of a holder that was not loaded become children of the root.
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
        let in_trees = slices.iter().copied().zip(0..).filter(|&(origin, _)| has_tree(origin));
        let mut by_origin: Vec<(Origin, SliceId)> = heap::try_collect(in_trees)?;
        by_origin.sort_unstable();
        let slice_at = |origin: Origin| {
            let at = by_origin.binary_search_by_key(&origin, |slice| slice.0).ok();
            at.map_or(NONE, |at| by_origin[at].1)
        };
        let mut lineage = Self {
            tree: heap::try_filled(NONE, slices.len())?,
            holder: heap::try_filled(NONE, slices.len())?,
            memory: heap::try_filled(NONE, memory.len())?,
            trees: Vec::new(),
        };
        for &(origin, id) in &by_origin {
            if let Some(branch) = find(origin) {
                lineage.tree[id as usize] = branch.tree;
                lineage.holder[id as usize] = slice_at(branch.holder);
            }
        }
        for (holder, &origin) in lineage.memory.iter_mut().zip(memory) {
            *holder = find(origin).map_or(NONE, |branch| slice_at(branch.holder));
        }
        lineage.trees = trees;
        Ok(lineage)
    }

    /// True when no file states a tree.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The index of the tree that a slice belongs to; `None` where its file states no tree for it.
    pub fn tree_of(&self, id: SliceId) -> Option<u32> {
        self.tree.get(id as usize).copied().filter(|&tree| tree != NONE)
    }

    /// The slice that is the parent of a slice in its file's tree; `None` for a child of the root, and for a
    /// slice in no tree.
    pub fn holder_of(&self, id: SliceId) -> Option<SliceId> {
        self.holder.get(id as usize).copied().filter(|&holder| holder != NONE)
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
        assert_eq!(lineage.holder, [1, NONE, NONE, NONE]);
        assert_eq!(lineage.tree, [0, 0, 0, NONE]);
        assert_eq!(lineage.memory, [0, NONE]);
        assert_eq!((lineage.tree_of(3), lineage.holder_of(0)), (None, Some(1)));
    }
}
