//! Launch links: a launch and the device work with its correlation number, one to many.
//!
//! The correlation comes first; only a trace without one falls back on the arrows that its producer drew.

use rustc_hash::FxHashMap;

use crate::model::{Links, SliceId, Slices};

/// A correlation number within one worker's file; numbers of two processes have nothing to do with each other.
type Key = (u16, u32);

/// Joins launches and work by correlation; `drawn` are pairs from arrows, used where no correlation is given.
pub(super) fn join(slices: &Slices, drawn: Vec<(SliceId, SliceId)>) -> Links {
    let key = |id: SliceId| (slices.origin[id as usize].file() as u16, slices.correlation[id as usize]);
    let mut launches: FxHashMap<Key, (SliceId, bool)> = FxHashMap::default();
    let mut work = Vec::new();
    for id in 0..slices.len() as SliceId {
        let category = slices.category(id);
        if category.is_device_work() {
            work.push(id);
        } else if category.is_runtime() && slices.correlation[id as usize] != 0 {
            // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
            let found = launches.entry(key(id)).or_insert((id, false));
            if slices.start[id as usize] < slices.start[found.0 as usize] {
                found.0 = id;
            }
        }
    }
    let mut pairs = Vec::new();
    let mut orphans = 0;
    let has_correlations = work.iter().any(|&id| slices.correlation[id as usize] != 0);
    if has_correlations {
        for &id in &work {
            match launches.get_mut(&key(id)) {
                Some(launch) if slices.correlation[id as usize] != 0 => {
                    launch.1 = true;
                    pairs.push((launch.0, id));
                }
                _ => orphans += 1,
            }
        }
    } else {
        pairs = drawn;
    }
    let unused = launches.values().filter(|(_, is_used)| !is_used).count() as u64;
    let mut links = Links::new(pairs);
    links.orphan_work =
        if has_correlations { orphans } else { (work.len() - links.len().min(work.len())) as u64 };
    links.orphan_launches = unused;
    links
}
