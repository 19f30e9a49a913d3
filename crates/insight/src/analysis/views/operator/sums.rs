//! The sums over operators with equal keys: host time, own time by inner part and call, and the device work
//! that they launched.
//!
//! An operator nested in one of the same key counts as a call but adds no time. Device work counts for every
//! operator around its launch, once per key, and as own work for the innermost, or for its operator inside a
//! graph, if that is known. Must not know rows or columns.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::owner::{Launched, Owners};
use crate::analysis::table::tally::Tally;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{LaneId, SliceId};

use super::own::{Own, OwnTimes, Role};

/// The key of a row: the operators' name, and the id of a further text, such as their input shapes, or
/// [`StrId::EMPTY`].
pub(super) type Key = (StrId, StrId);

/// The sums over the operators of one row, within the part.
#[derive(Default)]
pub(super) struct Sums {
    /// The number of calls of the operators, and their host time.
    pub host: Tally,
    /// Summed own host time of the operators.
    pub own: Own,
    /// Summed time of the operators' device work with that of the operators inside them, ns.
    pub device: Ns,
    /// Summed time of the operators' device work without that of the operators inside them, ns.
    pub device_own: Ns,
    /// The part of `device_own` that graphs launched and whose operators inside the graphs are known, ns.
    pub in_graphs: Ns,
    /// Summed floating point operations of the operators' calls that begin in the part, as far as known.
    pub flops: u64,
    /// The inner parts whose innermost operator is one of the row's, summed up by name.
    pub inner_parts: FxHashMap<StrId, Inner>,
    /// The calls ([`Role::Call`]) whose innermost operator is one of the row's, summed up by name.
    pub calls: FxHashMap<StrId, Inner>,
    /// The device work of `device_own`, summed up by name.
    pub work: FxHashMap<StrId, Tally>,
}

/// The inner parts or calls of one name within the operators of a row.
#[derive(Default)]
pub(super) struct Inner {
    /// The number and the time of the inner parts or calls.
    pub tally: Tally,
    /// The own time of the inner parts or calls.
    pub own: Own,
    /// True for calls that wait for the device.
    pub waits: bool,
}

impl Inner {
    fn merge(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.own.add(other.own);
        self.waits |= other.waits;
    }
}

impl Sums {
    /// What the operators cost, for sorting rows, ns: the larger of their own host time without waits and
    /// their own device time.
    pub(super) fn weight(&self) -> Ns {
        // An operator that only waits for work of others costs little; one that is slow on the host costs
        // much, also in a trace of a busy device.
        self.own.time.saturating_sub(self.own.waiting).max(self.device_own)
    }

    /// Adds device work of an operator inside a graph, by the work's `name`. If `is_counted`, `device` stays
    /// as it is: an operator around the graph's launch adds the work there.
    fn add_in_graph(&mut self, work: &Launched, name: StrId, is_counted: bool) {
        let dur = work.time();
        self.device_own = self.device_own.saturating_add(dur);
        self.in_graphs = self.in_graphs.saturating_add(dur);
        // If counted, an operator of the same key is around the graph's launch, and the work counts in
        // `device` through that operator.
        if !is_counted {
            self.device = self.device.saturating_add(dur);
        }
        self.work.entry(name).or_default().add(work.piece, work.is_outer);
    }

    fn merge(&mut self, other: Self) {
        self.host.merge(other.host);
        self.own.add(other.own);
        self.flops = self.flops.saturating_add(other.flops);
        for (name, inner) in other.inner_parts {
            self.inner_parts.entry(name).or_default().merge(inner);
        }
        for (name, inner) in other.calls {
            self.calls.entry(name).or_default().merge(inner);
        }
    }
}

/// Sums up the part's operators, and the part's device work that operators launched, by the operators' `key`;
/// for operators inside graphs, given by the number of their record, by `graph_key`.
pub(super) fn gather(
    owners: &Owners<'_>,
    own: &OwnTimes<'_>,
    key: impl Fn(SliceId) -> Key + Sync,
    graph_key: impl Fn(u32) -> Key,
    flops: impl Fn(SliceId) -> u64 + Sync,
) -> FxHashMap<Key, Sums> {
    let part = owners.part();
    let trace = part.trace();
    let slices = &trace.slices;
    let is_operator = |id: SliceId| slices.category(id).is_operator();
    let repeats = Repeats::of(part, |_, id| is_operator(id).then(|| key(id)));
    // An inner part may lie in another of the same name in the same operator: then it adds no time.
    let parts = Repeats::of(part, |lane, id| {
        let is_inner = !is_operator(id) && !slices.category(id).is_runtime();
        is_inner.then(|| own.operator(lane, id)).flatten().map(|operator| (slices.name[id], operator))
    });
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<Key, Sums> = FxHashMap::default();
        for piece in part.pieces(lane) {
            let Some(role) = own.role(slices, lane, piece.id) else { continue };
            let name = slices.name[piece.id];
            if role != Role::Operator {
                let Some(operator) = own.operator(lane, piece.id) else { continue };
                let sums = found.entry(key(operator)).or_default();
                let inner = if role == Role::InnerPart { &mut sums.inner_parts } else { &mut sums.calls };
                let inner = inner.entry(name).or_default();
                let is_outer = role == Role::Call || !parts.has(lane, piece.id);
                inner.tally.add(piece, is_outer);
                inner.own.add(own.own(trace, lane, piece, role));
                inner.waits = role == Role::Call && own.is_wait(trace, piece.id);
                continue;
            }
            let own_key = key(piece.id);
            let sums = found.entry(own_key).or_default();
            sums.host.add(piece, !repeats.has(lane, piece.id));
            sums.own.add(own.own(trace, lane, piece, role));
            sums.flops = sums.flops.saturating_add(if piece.begins { flops(piece.id) } else { 0 });
        }
        found
    };
    let per_lane = part.par_lanes().map(of_lane);
    let mut found = per_lane.reduce(FxHashMap::default, |mut all: FxHashMap<Key, Sums>, one| {
        for (key, sums) in one {
            all.entry(key).or_default().merge(sums);
        }
        all
    });
    add_device_work(owners, &key, graph_key, |id| !repeats.has(trace.lane_of(id), id), &mut found);
    found
}

/// Adds the part's device work to the sums of the operators. `is_outermost` is true for an operator in no
/// other operator of the same key.
fn add_device_work(
    owners: &Owners<'_>,
    key: impl Fn(SliceId) -> Key,
    graph_key: impl Fn(u32) -> Key,
    is_outermost: impl Fn(SliceId) -> bool,
    found: &mut FxHashMap<Key, Sums>,
) {
    let slices = &owners.part().trace().slices;
    // The time of the work launched in each operator: first only of the work whose innermost operator it is;
    // the loop at the end adds that of the operators inside it.
    let mut launched: FxHashMap<SliceId, Ns> = FxHashMap::default();
    // The operators around the launch of the last work inside a graph: the innermost, and the keys of all.
    let mut around_launch: (Option<SliceId>, FxHashSet<Key>) = (None, FxHashSet::default());
    for work in owners.work() {
        let outer = work.launch.and_then(|launch| owners.operator_at(launch));
        let dur = work.time();
        if let Some(name) = owners.in_graph(work.piece.id) {
            let inner = graph_key(name.record);
            let sums = found.entry(inner).or_default();
            if outer != around_launch.0 {
                let around = std::iter::successors(outer, |&id| owners.operator_around(id));
                around_launch = (outer, around.map(&key).collect());
            }
            let name = slices.name[work.piece.id];
            sums.add_in_graph(&work, name, around_launch.1.contains(&inner));
            if let Some(operator) = outer {
                let time = launched.entry(operator).or_default();
                *time = time.saturating_add(dur);
            }
            continue;
        }
        let Some(operator) = outer else { continue };
        let sums = found.entry(key(operator)).or_default();
        sums.device_own = sums.device_own.saturating_add(dur);
        let name = slices.name[work.piece.id];
        sums.work.entry(name).or_default().add(work.piece, work.is_outer);
        let time = launched.entry(operator).or_default();
        *time = time.saturating_add(dur);
    }
    let mut inner: Vec<SliceId> = launched.keys().copied().collect();
    // The operators around these, each once: the parent of an operator has the smaller number.
    let around = |id: SliceId| owners.operator_around(id);
    let mut at = 0;
    while let Some(&id) = inner.get(at) {
        at += 1;
        if let Some(around) = around(id)
            && !launched.contains_key(&around)
        {
            launched.insert(around, 0);
            inner.push(around);
        }
    }
    inner.sort_unstable();
    for &id in inner.iter().rev() {
        let time = launched.get(&id).copied().unwrap_or_default();
        if is_outermost(id) {
            let sums = found.entry(key(id)).or_default();
            sums.device = sums.device.saturating_add(time);
        }
        if let Some(around) = around(id).and_then(|around| launched.get_mut(&around)) {
            *around = around.saturating_add(time);
        }
    }
}
