//! The device work launched in ranges: for each piece, the ranges around its launch on the launching thread.
//!
//! Must not know tables.

use rustc_hash::FxHashMap;

use crate::analysis::owner::Owners;
use crate::analysis::tally::Tally;
use crate::analysis::threads::Threads;
use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneId, SliceId, Trace};

use super::name_sets::{NameSets, SetId};

/// True for the categories of ranges that a script or a library names.
pub(super) fn is_range(category: Category) -> bool {
    matches!(category, Category::UserDefined | Category::PythonUserDefined)
}

/// The device work of a part of a trace by the ranges that it was launched in.
pub(super) struct Launched {
    /// For each name of ranges, the sets in `by_set` that have it, ascending.
    pub sets_of_range: FxHashMap<StrId, Vec<SetId>>,
    /// For each set of names that the ranges around some launch have, the work launched in exactly those, by its own name. A set without
    /// work has no entry.
    by_set: FxHashMap<SetId, FxHashMap<StrId, Tally>>,
    /// The time of all device work, whether or not a range launched it, ns.
    pub all: Ns,
    pub has_device: bool,
}

impl Launched {
    pub(super) fn of(owners: &Owners<'_>) -> Self {
        let trace = owners.part().trace();
        let mut around = Around::of(trace);
        let mut by_set: FxHashMap<SetId, FxHashMap<StrId, Tally>> = FxHashMap::default();
        let (mut all, mut has_device): (Ns, bool) = (0, false);
        for work in owners.work() {
            has_device = true;
            all = all.saturating_add(work.time());
            let Some(launch) = work.launch else { continue };
            let set = around.names(launch);
            if set != NameSets::EMPTY {
                let of_name = by_set.entry(set).or_default();
                let name = trace.slices.name[work.piece.id as usize];
                of_name.entry(name).or_default().add(work.piece, work.is_outer);
            }
        }
        let mut sets: Vec<SetId> = by_set.keys().copied().collect();
        sets.sort_unstable();
        let mut sets_of_range: FxHashMap<StrId, Vec<SetId>> = FxHashMap::default();
        for set in sets {
            for &range in around.sets.names(set) {
                sets_of_range.entry(range).or_default().push(set);
            }
        }
        Self { sets_of_range, by_set, all, has_device }
    }

    /// The work of these sets by its own name.
    pub(super) fn work(&self, sets: &[SetId]) -> FxHashMap<StrId, Tally> {
        let mut found: FxHashMap<StrId, Tally> = FxHashMap::default();
        for (&name, tally) in sets.iter().filter_map(|set| self.by_set.get(set)).flatten() {
            found.entry(name).or_default().merge(tally.clone());
        }
        found
    }
}

/// Finds the names of the ranges around launches. Each set of names is put together once, however many launches have it.
struct Around<'a> {
    trace: &'a Trace,
    sets: NameSets,
    /// The names of the ranges that each slice met so far is, or is in, on its lane.
    inside: FxHashMap<SliceId, SetId>,
    other_layers: OtherLayers,
}

impl<'a> Around<'a> {
    fn of(trace: &'a Trace) -> Self {
        let other_layers = OtherLayers::of(trace);
        Self { trace, sets: NameSets::new(), inside: FxHashMap::default(), other_layers }
    }

    /// The names of the ranges around a launch, on all layers of its thread.
    fn names(&mut self, launch: SliceId) -> SetId {
        let set = self.trace.slices.parent(launch).map_or(NameSets::EMPTY, |parent| self.inside(parent));
        self.other_layers.names(self.trace, launch).iter().fold(set, |set, &name| self.sets.with(set, name))
    }

    /// The names of the ranges that a slice is, or is in, on its lane.
    fn inside(&mut self, slice: SliceId) -> SetId {
        let slices = &self.trace.slices;
        let mut new: Vec<SliceId> = Vec::new();
        let mut set = NameSets::EMPTY;
        for id in std::iter::once(slice).chain(slices.ancestors(slice)) {
            if let Some(&known) = self.inside.get(&id) {
                set = known;
                break;
            }
            new.push(id);
        }
        for id in new.into_iter().rev() {
            if is_range(slices.category(id)) {
                set = self.sets.with(set, slices.name[id as usize]);
            }
            self.inside.insert(id, set);
        }
        set
    }
}

/// A range of a row, by its time and name.
type Range = (Span, StrId);

/// The ranges of each lane that lie on another layer of its thread: Paddle's ranges of Python are on the Python layer, calls on the
/// other.
struct OtherLayers {
    /// For each lane of a thread whose other layer has ranges: those ranges, by row, in order of time.
    of_lane: FxHashMap<LaneId, Vec<Vec<Range>>>,
    /// For each lane, what was open at a launch asked for last: launches mostly come in order of time.
    last: FxHashMap<LaneId, Open>,
}

impl OtherLayers {
    fn of(trace: &Trace) -> Self {
        let mut of_lane: FxHashMap<LaneId, Vec<Vec<Range>>> = FxHashMap::default();
        for lanes in Threads::of(trace).all().iter().filter(|lanes| lanes.len() > 1) {
            for &lane in lanes {
                let others = lanes.iter().filter(|&&other| other != lane);
                let rows: Vec<_> = others.flat_map(|&other| ranges(trace, other)).collect();
                if !rows.is_empty() {
                    of_lane.insert(lane, rows);
                }
            }
        }
        Self { of_lane, last: FxHashMap::default() }
    }

    /// The names of the ranges on other layers in which a launch begins, in any order.
    fn names(&mut self, trace: &Trace, launch: SliceId) -> &[StrId] {
        if self.of_lane.is_empty() {
            return &[];
        }
        let lane = trace.lane_of(launch);
        let Some(rows) = self.of_lane.get(&lane) else { return &[] };
        let start = trace.slices.start[launch as usize];
        let last = self.last.entry(lane).or_insert_with(|| Open::at(rows, start));
        if !last.during.contains(start) {
            *last = Open::at(rows, start);
        }
        &last.names
    }
}

/// The ranges of some rows that are open at a time.
struct Open {
    /// A time around that one in which no range begins or ends.
    during: Span,
    names: Vec<StrId>,
}

impl Open {
    fn at(rows: &[Vec<Range>], time: Ns) -> Self {
        let mut found = Self { during: Span { start: Ns::MIN, end: Ns::MAX }, names: Vec::new() };
        for row in rows {
            let until = row.partition_point(|(span, _)| span.start <= time);
            let next = row.get(until).map(|(span, _)| span.start);
            // Neighbours in a row may overlap by the file's time resolution.
            for &(span, name) in row[..until].iter().rev().take(2) {
                if span.contains(time) {
                    found.names.push(name);
                }
                found.limit([span.start, span.end], time);
            }
            found.limit(next, time);
        }
        found
    }

    /// Ends `during` at these times if they are nearer to `time` than its own ends.
    fn limit(&mut self, at: impl IntoIterator<Item = Ns>, time: Ns) {
        for at in at {
            if at <= time {
                self.during.start = self.during.start.max(at);
            } else {
                self.during.end = self.during.end.min(at);
            }
        }
    }
}

/// The ranges of a lane by row, without rows that have none.
fn ranges(trace: &Trace, lane: LaneId) -> Vec<Vec<Range>> {
    let slices = &trace.slices;
    let of_row = |row: u32| -> Vec<Range> {
        let ids = trace.rows[row as usize].slices().filter(|&id| is_range(slices.category(id)));
        ids.map(|id| (slices.span(id), slices.name[id as usize])).collect()
    };
    trace.lanes[lane as usize].rows.clone().map(of_row).filter(|row| !row.is_empty()).collect()
}
