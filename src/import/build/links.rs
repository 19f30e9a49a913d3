//! Launch links: a launch and the device work with its correlation number, one to many.
//!
//! The correlation comes first; only a file without one falls back on the arrows that its producer drew.

use rayon::prelude::*;

use crate::base::time::Ns;
use crate::model::{Links, SliceId, Slices};

/// File and correlation number; numbers of two processes have nothing to do with each other.
type Key = (u16, u32);

/// Joins launches and work by correlation; `drawn` are pairs from arrows, of files without correlation numbers.
pub(super) fn join(slices: &Slices, drawn: Vec<(SliceId, SliceId)>) -> Links {
    let key = |id: SliceId| (slices.origin[id as usize].file() as u16, slices.correlation[id as usize]);
    let ids = (0..slices.len() as SliceId).into_par_iter().with_min_len(1 << 14);
    let (mut calls, mut work) = rayon::join(
        || {
            let is_call = |&id: &SliceId| {
                slices.correlation[id as usize] != 0 && slices.category(id).is_runtime()
            };
            let of = |id: SliceId| (key(id), slices.start[id as usize], id);
            let mut calls: Vec<(Key, Ns, SliceId)> = ids.clone().filter(is_call).map(of).collect();
            // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
            calls.par_sort_unstable();
            calls.dedup_by_key(|call| call.0);
            calls
        },
        || {
            let is_work = |&id: &SliceId| slices.category(id).is_device_work();
            let mut work: Vec<(Key, SliceId)> = ids.clone().filter(is_work).map(|id| (key(id), id)).collect();
            work.par_sort_unstable();
            work
        },
    );
    let all_work = work.len();
    let mut pairs = drawn;
    pairs.retain(|&(_, to)| slices.category(to).is_device_work());
    work.retain(|(key, _)| key.1 != 0);
    let mut calls_left = calls.drain(..).peekable();
    let mut idle = 0;
    for same in work.chunk_by(|a, b| a.0 == b.0) {
        while calls_left.next_if(|call| call.0 < same[0].0).is_some() {
            idle += 1;
        }
        if let Some((.., launch)) = calls_left.next_if(|call| call.0 == same[0].0) {
            pairs.extend(same.iter().map(|&(_, work)| (launch, work)));
        }
    }
    let mut links = Links::new(pairs);
    links.orphan_work = (all_work - links.len()) as u64;
    links.idle_calls = idle + calls_left.count() as u64;
    links
}
