//! The slices that a search by name found, in order of time.
//!
//! Must not know what was searched for.

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{SliceId, Trace};

/// The slices whose names matched, in order of start (then number).
#[derive(Debug, Default)]
pub struct Hits(Vec<SliceId>);

impl Hits {
    /// Finds all slices for which `wanted[name]` is true, `name` being the number of the slice's name; names beyond `wanted` do
    /// not match.
    pub fn find(trace: &Trace, wanted: &[bool]) -> Self {
        let is_wanted = |name: StrId| wanted.get(name as usize).copied().unwrap_or_default();
        let ids = 0..trace.slices.len() as SliceId;
        let mut hits: Vec<SliceId> = ids.filter(|&id| is_wanted(trace.slices.name[id as usize])).collect();
        hits.sort_unstable_by_key(|&id| (trace.slices.start[id as usize], id));
        Self(hits)
    }

    /// How many slices matched.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when no slice matched.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `i`-th match in order of time, from 0; `None` beyond the last.
    pub fn get(&self, i: usize) -> Option<SliceId> {
        self.0.get(i).copied()
    }

    /// How many matches come before a slice that starts at `t` (ns) and has the number `id`, in order of start, then number.
    pub fn rank(&self, trace: &Trace, t: Ns, id: SliceId) -> usize {
        self.0.partition_point(|&hit| (trace.slices.start[hit as usize], hit) < (t, id))
    }

    /// All matches, in order of time.
    pub fn iter(&self) -> impl Iterator<Item = SliceId> + '_ {
        self.0.iter().copied()
    }
}
