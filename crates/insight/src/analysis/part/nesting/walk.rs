//! A walk through the tree of a lane's slices, parents before children.
//!
//! Must not know what is done on the way.

use proftui_base::ids::Ids;
use proftui_trace::model::{SliceId, Slices};

/// What a walk through the slices of a lane reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// The walk enters this slice, before it visits the slices inside it.
    Enter(SliceId),
    /// The walk leaves this slice, after it visited the slices inside it.
    Leave(SliceId),
}

/// Visits each slice of `ids`, all slices of one lane, twice: before and after the slices inside it.
pub(super) fn walk(slices: &Slices, ids: Ids<SliceId>, mut visit: impl FnMut(Visit)) {
    let first = ids.start;
    let index = |id: SliceId| (id - first) as usize;
    // For each slice the first slice in it (`child`; its last entry is the first slice that is in none) and
    // the next one in the same parent (`next`).
    let mut child = vec![SliceId::NONE; ids.len() + 1];
    let mut next = vec![SliceId::NONE; ids.len()];
    for id in ids.iter().rev() {
        let parent = slices.parent(id).map_or(ids.len(), index);
        next[index(id)] = child[parent];
        child[parent] = id;
    }
    let mut at = child[ids.len()];
    while at != SliceId::NONE {
        visit(Visit::Enter(at));
        let inner = child[index(at)];
        if inner != SliceId::NONE {
            at = inner;
            continue;
        }
        loop {
            visit(Visit::Leave(at));
            let beside = next[index(at)];
            if beside != SliceId::NONE {
                at = beside;
                break;
            }
            match slices.parent(at) {
                Some(parent) => at = parent,
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slice_is_visited_around_those_in_it() {
        // Of slices 10 to 14: 12 and 13 in 10, 14 in 12; 11 by itself.
        let parent = [vec![SliceId::NONE; 12], [10, 10, 12].map(SliceId::new).to_vec()].concat();
        let slices = Slices { parent: parent.into(), ..Slices::default() };
        let mut found = Vec::new();
        walk(&slices, Ids::from(SliceId::new(10)..SliceId::new(15)), |visit| {
            found.push(match visit {
                Visit::Enter(id) => i64::from(id.get()),
                Visit::Leave(id) => -i64::from(id.get()),
            });
        });
        assert_eq!(found, [10, 12, 14, -14, -12, 13, -13, -10, 11, -11]);
        walk(&slices, Ids::default(), |_| panic!("nothing to visit"));
    }
}
