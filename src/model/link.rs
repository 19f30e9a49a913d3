//! What joins slices: launches to device work, and flows.
//!
//! Two compressed adjacency arrays; a link knows no geometry and is never drawn unless asked for.

use rayon::prelude::*;

use super::SliceId;

/// Launches and the device work that they started, both ways.
#[derive(Debug, Default)]
pub struct Links {
    /// (launch, device work), sorted.
    forward: Vec<(SliceId, SliceId)>,
    /// (device work, launch), sorted; a device slice has one launch.
    backward: Vec<(SliceId, SliceId)>,
    /// Device work whose launch is not in the trace (it was launched before the window opened).
    pub orphan_work: u64,
    /// Calls with a correlation number that no device work in the trace has: most calls start none.
    pub idle_calls: u64,
}

impl Links {
    /// From (launch, work) pairs in any order; a work slice that occurs twice keeps its first launch.
    pub fn new(mut pairs: Vec<(SliceId, SliceId)>) -> Self {
        let mut backward: Vec<_> = pairs.iter().map(|&(launch, work)| (work, launch)).collect();
        backward.par_sort_unstable();
        backward.dedup_by_key(|link| link.0);
        pairs.clear();
        pairs.extend(backward.iter().map(|&(work, launch)| (launch, work)));
        pairs.par_sort_unstable();
        Self { forward: pairs, backward, orphan_work: 0, idle_calls: 0 }
    }

    /// From the same links twice: (launch, work) and (work, launch), each sorted.
    pub fn sorted(forward: Vec<(SliceId, SliceId)>, backward: Vec<(SliceId, SliceId)>) -> Self {
        debug_assert!(forward.is_sorted() && backward.is_sorted());
        Self { forward, backward, orphan_work: 0, idle_calls: 0 }
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.forward.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.forward.is_empty()
    }

    /// The device work that `launch` started, in order of slice number.
    pub fn work_of(&self, launch: SliceId) -> impl Iterator<Item = SliceId> + '_ {
        run(&self.forward, launch).iter().map(|link| link.1)
    }

    /// The call that launched this device work.
    pub fn launch_of(&self, work: SliceId) -> Option<SliceId> {
        run(&self.backward, work).first().map(|link| link.1)
    }

    /// Every (launch, work) pair with a launch in `launches`, in order.
    pub fn within(&self, launches: std::ops::Range<SliceId>) -> &[(SliceId, SliceId)] {
        let from = self.forward.partition_point(|link| link.0 < launches.start);
        let to = self.forward.partition_point(|link| link.0 < launches.end);
        &self.forward[from..to.max(from)]
    }
}

fn run(links: &[(SliceId, SliceId)], key: SliceId) -> &[(SliceId, SliceId)] {
    let from = links.partition_point(|link| link.0 < key);
    let to = links.partition_point(|link| link.0 <= key);
    &links[from..to]
}

/// What a flow means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// From an operator to its backward.
    ForwardBackward,
    /// Any other arrow that the producer drew.
    Generic,
}

/// An arrow from one slice to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// Where it starts.
    pub from: SliceId,
    /// Where it ends.
    pub to: SliceId,
    /// What it means.
    pub kind: FlowKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_from_both_ends() {
        let links = Links::new(vec![(9, 21), (3, 20), (9, 22), (4, 22)]);
        assert_eq!(links.work_of(9).collect::<Vec<_>>(), [21]);
        assert_eq!(links.work_of(4).collect::<Vec<_>>(), [22], "the smaller launch keeps the work");
        assert_eq!(links.launch_of(20), Some(3));
        assert_eq!(links.launch_of(23), None);
        assert_eq!(links.within(4..10), [(4, 22), (9, 21)]);
        assert_eq!(links.len(), 3);
    }
}
