//! The peak memory in use of places, and of operators while they ran.
//!
//! Must not know the operators' own allocations.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::part::memory_owner::Owner;
use crate::analysis::part::per_worker;
use crate::analysis::{Part, Scope};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::counter::CounterUnit;
use proftui_trace::model::{Counter, LaneId, Trace, WorkerId};

use super::sums::Places;

/// The bytes that one process had in use at one place over time: as its memory events record them, or, if
/// none does, as the bytes of the events add up.
struct Use {
    curve: Counter,
    /// Bytes in use before the first event of `curve`.
    before: i64,
}

/// What a [`Use`] is of: the worker, the process id and the place.
type Key = (WorkerId, StrId, StrId);

/// The worker and the process id to which a lane belongs.
fn process(trace: &Trace, lane: LaneId) -> (WorkerId, StrId) {
    let group = &trace.groups[trace.lanes[lane].group];
    (group.worker, group.pid)
}

/// Collects the memory in use of the part's workers over the whole trace, by process and place.
fn uses(part: &Part<'_>) -> FxHashMap<Key, Use> {
    let trace = part.trace();
    let mut uses: FxHashMap<Key, Use> = FxHashMap::default();
    let mut without_totals: FxHashMap<Key, Vec<(Ns, i64)>> = FxHashMap::default();
    for event in per_worker::memory(trace, part.workers()) {
        let (worker, pid) = process(trace, event.lane);
        let key = (worker, pid, event.place);
        let Some(now) = event.allocated.get() else {
            if !event.kind.is_reserved() {
                without_totals.entry(key).or_default().push((event.ts, event.bytes));
            }
            continue;
        };
        let before = if event.kind.is_reserved() { now } else { now.saturating_sub(event.bytes) };
        uses.entry(key).or_insert_with(|| Use::new(event.place, before)).add(event.ts, now);
    }
    for (key, changes) in without_totals {
        uses.entry(key).or_insert_with(|| Use::added_up(key.2, &changes));
    }
    uses.values_mut().for_each(|of_place| of_place.curve.seal());
    uses
}

impl Use {
    fn new(place: StrId, before: i64) -> Self {
        Self { curve: Counter::new(place, place, CounterUnit::Bytes), before }
    }

    fn add(&mut self, ts: Ns, bytes: i64) {
        self.curve.ts.push(ts);
        self.curve.value.push(bytes as f64);
    }

    /// The memory in use by the times (ns) and the bytes of `changes`: at first the least with which the
    /// memory in use never falls below 0.
    fn added_up(place: StrId, changes: &[(Ns, i64)]) -> Self {
        let sums = changes.iter().scan(0_i64, |sum, &(ts, bytes)| {
            *sum = sum.saturating_add(bytes);
            Some((ts, *sum))
        });
        let least = sums.clone().map(|(_, sum)| sum).min().unwrap_or_default();
        let before = least.min(0).saturating_neg();
        let mut found = Self::new(place, before);
        sums.for_each(|(ts, sum)| found.add(ts, before.saturating_add(sum)));
        found
    }

    /// The peak of the bytes in use during `span`, and its rise over the bytes in use just before.
    fn peak(&self, span: Span) -> (i64, i64) {
        let from = self.curve.ts.partition_point(|&ts| ts < span.start);
        let to = self.curve.ts.partition_point(|&ts| ts <= span.end);
        let before = from.checked_sub(1).map_or(self.before, |last| saturate::<i64>(self.curve.value[last]));
        let peak = self.curve.peak(from, to).map_or(before, |peak| before.max(saturate::<i64>(peak)));
        (peak, peak.saturating_sub(before))
    }
}

/// Raises the peak of each place in `places` to the most bytes that a process had in use during the scope,
/// also before its first event; and the peak and the rise of operators to the largest during their calls in
/// the scope.
pub(super) fn add(trace: &Trace, scope: &Scope, places: &mut Places) {
    let part = Part::new(trace, scope);
    let uses = uses(&part);
    if uses.is_empty() {
        return;
    }
    let of_time = Span {
        start: scope.span.map_or(Ns::MIN, |span| span.start),
        end: scope.span.map_or(Ns::MAX, |span| span.end.saturating_sub(1)),
    };
    for (&(.., place), of_place) in &uses {
        let (peak, _) = of_place.peak(of_time);
        if let Some((sums, _)) = places.get_mut(&place) {
            sums.peak = sums.peak.max(Some(peak));
        }
    }
    let known = &*places;
    let of_lane = |lane: LaneId| {
        let (worker, pid) = process(trace, lane);
        let of_place =
            |&place: &StrId| Some((place, uses.get(&(worker, pid, place))?, &known.get(&place)?.1));
        let here: Vec<_> = known.keys().filter_map(of_place).collect();
        let mut peaks: FxHashMap<(StrId, StrId), (i64, i64)> = FxHashMap::default();
        if here.is_empty() {
            return peaks;
        }
        for piece in part.pieces(lane).filter(|piece| trace.slices.category(piece.id).is_operator()) {
            let id = piece.id;
            let name = trace.slices.name[id];
            for (place, of_place, _) in
                here.iter().filter(|(.., owners)| owners.contains_key(&Some(Owner::Operator(name))))
            {
                let peak = of_place.peak(piece.span);
                let most = peaks.entry((*place, name)).or_insert(peak);
                *most = (most.0.max(peak.0), most.1.max(peak.1));
            }
        }
        peaks
    };
    let found: Vec<_> = part.par_lanes().flat_map_iter(of_lane).collect();
    for ((place, name), (peak, rise)) in found {
        let owner =
            places.get_mut(&place).and_then(|(_, owners)| owners.get_mut(&Some(Owner::Operator(name))));
        if let Some(sums) = owner {
            sums.peak = sums.peak.max(Some(peak));
            sums.rise = sums.rise.max(Some(rise));
        }
    }
}
