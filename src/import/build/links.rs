//! Launch links: a launch and the device work with its correlation number, one to many.
//!
//! The correlation comes first; only a file without one falls back on the arrows that its producer drew.

use rustc_hash::FxHashMap;

use crate::model::{Links, SliceId, Slices};

/// A correlation number within one file; numbers of two processes have nothing to do with each other.
type Key = (u16, u32);

/// Joins launches and work by correlation; `drawn` are pairs from arrows, of files without correlation numbers.
pub(super) fn join(slices: &Slices, drawn: Vec<(SliceId, SliceId)>) -> Links {
    let key = |id: SliceId| (slices.origin[id as usize].file() as u16, slices.correlation[id as usize]);
    let mut calls: FxHashMap<Key, (SliceId, bool)> = FxHashMap::default();
    let mut work = Vec::new();
    for id in 0..slices.len() as SliceId {
        let category = slices.category(id);
        if category.is_device_work() {
            work.push(id);
        } else if category.is_runtime() && slices.correlation[id as usize] != 0 {
            // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
            let found = calls.entry(key(id)).or_insert((id, false));
            if slices.start[id as usize] < slices.start[found.0 as usize] {
                found.0 = id;
            }
        }
    }
    let mut pairs = drawn;
    pairs.retain(|&(_, to)| slices.category(to).is_device_work());
    for &id in &work {
        if slices.correlation[id as usize] != 0
            && let Some(call) = calls.get_mut(&key(id))
        {
            call.1 = true;
            pairs.push((call.0, id));
        }
    }
    let mut links = Links::new(pairs);
    links.orphan_work = (work.len() - links.len()) as u64;
    links.idle_calls = calls.values().filter(|(_, is_used)| !is_used).count() as u64;
    links
}
