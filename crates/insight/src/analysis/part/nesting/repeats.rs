//! Which slices lie in another one of the same kind, whose time includes theirs.
//!
//! Must not know what makes slices the same.

use std::hash::Hash;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::analysis::part::Part;
use proftui_trace::model::{LaneId, SliceId, Trace};

use super::walk::{Visit, walk};

/// On a lane of at most this many rows, each search visits the slices around a slice one by one.
pub(crate) const SHALLOW: usize = 64;
/// After more than this many visits per slice of a deep lane, the answers for all its slices are found at
/// once.
const VISITS: usize = 16;

/// Finds out whether a slice lies inside another slice of its lane with the same key, such as the same name.
pub(crate) struct Repeats<'a, F> {
    trace: &'a Trace,
    key: F,
    /// An entry for each lane of [`Part::lanes_of_workers`], by number; empty if none of these lanes has more
    /// than [`SHALLOW`] rows.
    deep: Vec<Deep>,
    /// The lane of the first entry of `deep`.
    first: LaneId,
}

/// What the searches on a deep lane counted and found.
#[derive(Default)]
struct Deep {
    /// How many slices the searches on the lane have visited so far.
    visited: AtomicUsize,
    /// For each slice of the lane, by number: true if it lies inside another slice with the same key. Set
    /// after many visits.
    inside: OnceLock<Vec<bool>>,
}

impl<'a, K: Eq + Hash, F: Fn(LaneId, SliceId) -> Option<K> + Sync> Repeats<'a, F> {
    /// Prepares searches on the lanes of the part's workers. `key` returns the key of a slice on a lane;
    /// `None` for a slice that counts as equal to no other.
    pub(crate) fn of(part: &Part<'a>, key: F) -> Self {
        let (trace, lanes) = (part.trace(), part.lanes_of_workers());
        let mut deep = Vec::new();
        let mut of_trace = trace.lanes[lanes].iter();
        if of_trace.any(|lane| lane.rows.len() > SHALLOW) {
            deep.resize_with(lanes.len(), Deep::default);
        }
        Self { trace, key, deep, first: lanes.start }
    }

    /// True if the slice `id` of the lane lies inside another slice of the lane with the same key; false if
    /// it has no key.
    #[inline]
    pub(crate) fn has(&self, lane: LaneId, id: SliceId) -> bool {
        self.trace.slices.parent(id).is_some() && self.is_inside(lane, id)
    }

    fn is_inside(&self, lane: LaneId, id: SliceId) -> bool {
        let Some(key) = (self.key)(lane, id) else { return false };
        let of_lane = &self.trace.lanes[lane];
        let deep = lane.index().checked_sub(self.first.index()).and_then(|at| self.deep.get(at));
        let deep = deep.filter(|_| of_lane.rows.len() > SHALLOW);
        if let Some(inside) = deep.and_then(|deep| deep.inside.get()) {
            return inside[(id - of_lane.slices.start) as usize];
        }
        let mut visited = 0;
        let is_same = |around| (self.key)(lane, around).as_ref() == Some(&key);
        let found = self.trace.slices.ancestors(id).inspect(|_| visited += 1).any(is_same);
        if let Some(deep) = deep {
            let visited = visited + deep.visited.fetch_add(visited, Ordering::Relaxed);
            if visited > VISITS * of_lane.slices.len() {
                deep.inside.get_or_init(|| inside(self.trace, lane, &self.key));
            }
        }
        found
    }
}

/// For each slice of a lane, by number: true if it lies inside another slice of the lane with the same key.
fn inside<K: Eq + Hash>(
    trace: &Trace,
    lane: LaneId,
    key: &(impl Fn(LaneId, SliceId) -> Option<K> + Sync),
) -> Vec<bool> {
    let ids = trace.lanes[lane].slices;
    let mut found = vec![false; ids.len()];
    // How many of the slices around the one that is visited have each key.
    let mut open: FxHashMap<K, u32> = FxHashMap::default();
    walk(&trace.slices, ids, |visit| match visit {
        Visit::Enter(id) => {
            if let Some(key) = key(lane, id) {
                let around = open.entry(key).or_default();
                found[(id - ids.start) as usize] = *around > 0;
                *around += 1;
            }
        }
        Visit::Leave(id) => {
            if let Some(around) = key(lane, id).and_then(|key| open.get_mut(&key)) {
                *around -= 1;
            }
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Scope;
    use proftui_trace::import::{Progress, Request, load_bytes};

    #[test]
    fn deep_and_shallow_lanes_have_the_same_answers() {
        for depth in [10, 40, 200] {
            let event = |i: usize| {
                let (ts, dur) = (i, 1_000 - 2 * i);
                format!(r#"{{"ph":"X","name":"op{}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#, i * i % 17)
            };
            // Beside the deep ones, some that lie in the outer half alone.
            let beside = (0..5).map(|i| {
                let (ts, name) = (1_000 - depth / 2 - 6 + i, i * 3);
                format!(r#"{{"ph":"X","name":"op{name}","pid":1,"tid":1,"ts":{ts},"dur":1}}"#)
            });
            let events: Vec<String> = (0..depth).map(event).chain(beside).collect();
            let text = format!("[{}]", events.join(","));
            let trace = load_bytes(text.as_bytes(), &Request::default(), &Progress::default())
                .expect("a trace")
                .trace;
            let name = |id: SliceId| {
                let name = trace.slices.name[id];
                (!name.get().is_multiple_of(5)).then_some(name)
            };
            let scope = Scope::default();
            let repeats = Repeats::of(&Part::new(&trace, &scope), |_, id| name(id));
            let mut found = 0;
            // Often enough that those of the deep lane are found at once.
            for id in (0..20).flat_map(|_| trace.slices.ids()) {
                let key = name(id);
                let want = key.is_some() && trace.slices.ancestors(id).any(|around| name(around) == key);
                assert_eq!(repeats.has(trace.lane_of(id), id), want, "{id:?} of {depth}");
                found += usize::from(want);
            }
            assert!(depth == 10 || found > 5, "{found}");
            let is_found = repeats.deep.first().is_some_and(|deep| deep.inside.get().is_some());
            assert_eq!(is_found, depth > SHALLOW);
        }
    }
}
