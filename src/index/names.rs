//! Slices by name: what a search found, in order of time.

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{SliceId, Trace};

/// The slices whose names matched, in order of start (then number).
#[derive(Debug, Default)]
pub struct Hits(Vec<SliceId>);

impl Hits {
    /// All slices with a name for which `wanted` holds one: `wanted[name]`.
    pub fn find(trace: &Trace, wanted: &[bool]) -> Self {
        let is_wanted = |name: StrId| wanted.get(name as usize).copied().unwrap_or_default();
        let ids = 0..trace.slices.len() as SliceId;
        let mut hits: Vec<SliceId> = ids.filter(|&id| is_wanted(trace.slices.name[id as usize])).collect();
        hits.sort_unstable_by_key(|&id| (trace.slices.start[id as usize], id));
        Self(hits)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when nothing matched.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `i`-th in order of time.
    pub fn get(&self, i: usize) -> Option<SliceId> {
        self.0.get(i).copied()
    }

    /// How many come before the point `(t, id)` in that order.
    pub fn rank(&self, trace: &Trace, t: Ns, id: SliceId) -> usize {
        self.0.partition_point(|&hit| (trace.slices.start[hit as usize], hit) < (t, id))
    }

    /// All of them, in order of time.
    pub fn iter(&self) -> impl Iterator<Item = SliceId> + '_ {
        self.0.iter().copied()
    }
}
