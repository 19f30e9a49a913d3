//! Which event holds which, where the producer wrote it down itself: the trees of a protobuf file.
//!
//! Elsewhere nesting is by time. Must not know how a tree is summed up.

use std::collections::BTreeSet;

use super::{NONE, Origin, SliceId};

/// The trees of the files that carry some; slices and memory events of other files have none.
#[derive(Debug, Default)]
pub struct Lineage {
    /// The trees, one a thread.
    pub trees: Vec<Tree>,
    /// For each slice the tree that it belongs to, or [`NONE`].
    pub tree: Vec<u32>,
    /// For each slice the one that holds it, or [`NONE`] where the root of its tree does. Children come in the order of
    /// their places in the file.
    pub holder: Vec<SliceId>,
    /// For each memory event the slice that holds it, or [`NONE`].
    pub memory: Vec<SliceId>,
}

/// One thread's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// The file that it comes from, an index into `Meta::files`.
    pub file: u16,
    /// The thread's number.
    pub thread: u64,
}

/// A slice or memory event of a tree, told by its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// Where the event stands.
    pub child: Origin,
    /// Where the slice that holds it stands; [`Origin::NONE`] for the root.
    pub holder: Origin,
    /// Its tree.
    pub tree: u32,
}

impl Lineage {
    /// Finds the slices and memory events that `branches` tell, among those that stand at `slices` and `memory`. A holder
    /// that is not there (it lies outside the part that was loaded) leaves its children to the root.
    pub fn of(trees: Vec<Tree>, mut branches: Vec<Branch>, slices: &[Origin], memory: &[Origin]) -> Self {
        branches.sort_unstable();
        let find = |origin: Origin| {
            let at = branches.binary_search_by_key(&origin, |branch| branch.child).ok()?;
            Some(branches[at])
        };
        let files: BTreeSet<usize> = trees.iter().map(|tree| usize::from(tree.file)).collect();
        let is_told = |origin: Origin| files.contains(&origin.file());
        let mut places: Vec<(Origin, SliceId)> =
            slices.iter().copied().zip(0..).filter(|&(origin, _)| is_told(origin)).collect();
        places.sort_unstable();
        let slice_at = |origin: Origin| {
            let at = places.binary_search_by_key(&origin, |place| place.0).ok();
            at.map_or(NONE, |at| places[at].1)
        };
        let mut lineage = Self {
            tree: vec![NONE; slices.len()],
            holder: vec![NONE; slices.len()],
            memory: vec![NONE; memory.len()],
            trees: Vec::new(),
        };
        for &(origin, id) in &places {
            if let Some(branch) = find(origin) {
                lineage.tree[id as usize] = branch.tree;
                lineage.holder[id as usize] = slice_at(branch.holder);
            }
        }
        for (holder, &origin) in lineage.memory.iter_mut().zip(memory) {
            *holder = find(origin).map_or(NONE, |branch| slice_at(branch.holder));
        }
        lineage.trees = trees;
        lineage
    }

    /// True when no file carries a tree.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The tree that a slice belongs to.
    pub fn tree_of(&self, id: SliceId) -> Option<u32> {
        self.tree.get(id as usize).copied().filter(|&tree| tree != NONE)
    }

    /// The slice that holds a slice.
    pub fn holder_of(&self, id: SliceId) -> Option<SliceId> {
        self.holder.get(id as usize).copied().filter(|&holder| holder != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_are_found_by_their_places() {
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
        let lineage = Lineage::of(trees, branches, &[at(30), at(10), at(20), other], &[at(40), at(50)]);
        assert_eq!(lineage.holder, [1, NONE, NONE, NONE]);
        assert_eq!(lineage.tree, [0, 0, 0, NONE]);
        assert_eq!(lineage.memory, [0, NONE]);
        assert_eq!((lineage.tree_of(3), lineage.holder_of(0)), (None, Some(1)));
    }
}
