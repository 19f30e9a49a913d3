//! Connections between slices: links from launches to the device work that they started, and the producer's
//! flows.
//!
//! Links are kept as two sorted lists of pairs, one by launch and one by device work. Must not know how a
//! connection is drawn.

use rayon::prelude::*;

use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::Ids;

use super::SliceId;

/// The links from launches to the device work that they started, to be looked up from either end.
#[derive(Debug, Default)]
pub struct Links {
    /// Pairs of a launch and a piece of its device work, sorted.
    forward: Vec<(SliceId, SliceId)>,
    /// Pairs of a piece of device work and its launch, sorted; a piece has one launch at most.
    backward: Vec<(SliceId, SliceId)>,
    /// How many kernels, copies and memsets have no launch in the trace.
    pub orphan_work: u64,
    /// How many correlation numbers of runtime or driver calls occur on no device work of their file.
    pub idle_calls: u64,
}

impl Links {
    /// Builds links from (launch, device work) pairs in any order. Of several launches of the same device
    /// work the launch with the lowest number is kept.
    ///
    /// # Errors
    /// When there is no memory for the links.
    pub fn new(mut pairs: Vec<(SliceId, SliceId)>) -> Result<Self, NoMemory> {
        let mut backward = heap::try_collect(pairs.iter().map(|&(launch, work)| (work, launch)))?;
        backward.par_sort_unstable();
        backward.dedup_by_key(|link| link.0);
        pairs.clear();
        pairs.extend(backward.iter().map(|&(work, launch)| (launch, work)));
        pairs.par_sort_unstable();
        Ok(Self { forward: pairs, backward, orphan_work: 0, idle_calls: 0 })
    }

    /// Builds links from two lists, which must be sorted and hold the same pairs: (launch, device work) and
    /// (device work, launch).
    pub fn sorted(forward: Vec<(SliceId, SliceId)>, backward: Vec<(SliceId, SliceId)>) -> Self {
        debug_assert!(forward.is_sorted() && backward.is_sorted());
        Self { forward, backward, orphan_work: 0, idle_calls: 0 }
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.forward.len()
    }

    /// True when there are no links.
    pub fn is_empty(&self) -> bool {
        self.forward.is_empty()
    }

    /// The device work that the slice `launch` started, in order of slice number; empty where the slice
    /// launched none.
    pub fn work_of(&self, launch: SliceId) -> impl Iterator<Item = SliceId> + '_ {
        pairs_of(&self.forward, launch).iter().map(|link| link.1)
    }

    /// The launch of the device work `work`; `None` where none is known.
    pub fn launch_of(&self, work: SliceId) -> Option<SliceId> {
        pairs_of(&self.backward, work).first().map(|link| link.1)
    }

    /// Removes the links of device work for which `is_kept` is false.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(SliceId) -> bool) {
        self.forward.retain(|&(_, work)| is_kept(work));
        self.backward.retain(|&(work, _)| is_kept(work));
    }

    /// All (launch, device work) pairs, sorted.
    pub fn all(&self) -> &[(SliceId, SliceId)] {
        &self.forward
    }

    /// All (launch, device work) pairs with a launch in `launches`, sorted.
    pub fn within(&self, launches: Ids<SliceId>) -> &[(SliceId, SliceId)] {
        let from = self.forward.partition_point(|link| link.0 < launches.start);
        let to = self.forward.partition_point(|link| link.0 < launches.end);
        &self.forward[from..to.max(from)]
    }

    /// All (device work, launch) pairs with device work in `work`, sorted.
    pub fn launched_within(&self, work: Ids<SliceId>) -> &[(SliceId, SliceId)] {
        let from = self.backward.partition_point(|link| link.0 < work.start);
        let to = self.backward.partition_point(|link| link.0 < work.end);
        &self.backward[from..to.max(from)]
    }
}

/// The pairs of a sorted list whose first element is `key`.
fn pairs_of(links: &[(SliceId, SliceId)], key: SliceId) -> &[(SliceId, SliceId)] {
    let from = links.partition_point(|link| link.0 < key);
    let to = links.partition_point(|link| link.0 <= key);
    &links[from..to]
}

/// Whether a flow goes from a forward operator to its backward operator, or between other slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// From a forward operator to the backward operator that computes its gradient.
    ForwardBackward,
    /// Any other flow that the producer recorded.
    Generic,
}

/// A connection from one slice to another that the producer recorded. Flows from launches to their device
/// work usually become [`Links`] instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// The slice that the flow starts from.
    pub from: SliceId,
    /// The slice that the flow ends at.
    pub to: SliceId,
    /// Whether the flow goes from a forward operator to its backward operator, or between other slices.
    pub kind: FlowKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_from_both_ends() {
        let id = SliceId::new;
        let pairs = |pairs: &[(u32, u32)]| -> Vec<(SliceId, SliceId)> {
            pairs.iter().map(|&(from, to)| (id(from), id(to))).collect()
        };
        let links = Links::new(pairs(&[(9, 21), (3, 20), (9, 22), (4, 22)])).expect("memory");
        assert_eq!(links.work_of(id(9)).collect::<Vec<_>>(), [id(21)]);
        assert_eq!(links.work_of(id(4)).collect::<Vec<_>>(), [id(22)], "the smaller launch keeps the work");
        assert_eq!(links.launch_of(id(20)), Some(id(3)));
        assert_eq!(links.launch_of(id(23)), None);
        assert_eq!(links.within(Ids::from(id(4)..id(10))), pairs(&[(4, 22), (9, 21)]));
        assert_eq!(links.launched_within(Ids::from(id(20)..id(22))), pairs(&[(20, 3), (21, 9)]));
        assert_eq!((links.len(), links.all().len()), (3, 3));
    }
}
