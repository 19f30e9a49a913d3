//! Launch links: a launch and the device work with its correlation number, one to many.
//!
//! The correlation comes first; only a file without one falls back on the arrows that its producer drew.

use rustc_hash::FxHashMap;

use crate::model::{Links, NONE, SliceId, Slices};

/// A table by number may have this many places for each call; beyond that a hash map takes less.
const SPARSE: usize = 8;

/// The calls of one file by their correlation numbers; numbers of two processes have nothing to do with each other.
#[derive(Default)]
struct Calls {
    first: u32,
    /// By correlation number from `first` on; empty when the numbers are too far apart.
    table: Vec<Call>,
    map: FxHashMap<u32, Call>,
}

#[derive(Clone, Copy)]
struct Call {
    id: SliceId,
    is_used: bool,
}

impl Calls {
    const NO_CALL: Call = Call { id: NONE, is_used: false };

    /// For `count` calls numbered from `first` to `last`.
    fn new(first: u32, last: u32, count: usize) -> Self {
        let places = (last - first) as usize + 1;
        let is_dense = places / SPARSE <= count + 1000;
        let table = if is_dense { vec![Self::NO_CALL; places] } else { Vec::new() };
        Self { first, table, map: FxHashMap::default() }
    }

    fn place(&mut self, correlation: u32) -> &mut Call {
        if self.table.is_empty() {
            return self.map.entry(correlation).or_insert(Self::NO_CALL);
        }
        &mut self.table[(correlation - self.first) as usize]
    }

    fn find(&mut self, correlation: u32) -> Option<&mut Call> {
        let call = if self.table.is_empty() {
            self.map.get_mut(&correlation)
        } else {
            self.table.get_mut(correlation.checked_sub(self.first)? as usize)
        };
        call.filter(|call| call.id != NONE)
    }

    fn idle(&self) -> usize {
        let all = self.table.iter().chain(self.map.values());
        all.filter(|call| call.id != NONE && !call.is_used).count()
    }
}

/// Joins launches and work by correlation; `drawn` are pairs from arrows, of files without correlation numbers.
pub(super) fn join(slices: &Slices, drawn: Vec<(SliceId, SliceId)>) -> Links {
    let key = |id: SliceId| (slices.origin[id as usize].file(), slices.correlation[id as usize]);
    let ids = || 0..slices.len() as SliceId;
    let is_call = |&id: &SliceId| slices.category(id).is_runtime() && slices.correlation[id as usize] != 0;

    let mut reach: Vec<(u32, u32, usize)> = Vec::new();
    for (file, correlation) in ids().filter(is_call).map(key) {
        if file >= reach.len() {
            reach.resize(file + 1, (u32::MAX, 0, 0));
        }
        let (first, last, count) = reach[file];
        reach[file] = (first.min(correlation), last.max(correlation), count + 1);
    }
    let of_reach = |&(first, last, count): &(u32, u32, usize)| {
        if count == 0 { Calls::default() } else { Calls::new(first, last, count) }
    };
    let mut calls: Vec<Calls> = reach.iter().map(of_reach).collect();
    for id in ids().filter(is_call) {
        let (file, correlation) = key(id);
        let call = calls[file].place(correlation);
        // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
        if call.id == NONE || slices.start[id as usize] < slices.start[call.id as usize] {
            call.id = id;
        }
    }

    let mut pairs = drawn;
    pairs.retain(|&(_, to)| slices.category(to).is_device_work());
    let mut all_work = 0;
    for id in ids().filter(|&id| slices.category(id).is_device_work()) {
        all_work += 1;
        let (file, correlation) = key(id);
        if correlation != 0
            && let Some(call) = calls.get_mut(file).and_then(|calls| calls.find(correlation))
        {
            call.is_used = true;
            pairs.push((call.id, id));
        }
    }
    let mut links = Links::new(pairs);
    links.orphan_work = (all_work - links.len()) as u64;
    links.idle_calls = calls.iter().map(|calls| calls.idle() as u64).sum();
    links
}
