//! The device work launched in ranges: for each piece, the ranges around its launch on the launching thread.
//!
//! Must not know rows or columns.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use crate::analysis::part::Part;
use crate::analysis::part::owner::Owners;
use crate::analysis::part::threads::Threads;
use crate::analysis::table::tally::Tally;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

use super::name_sets::{MOST_NAMES, NameSets, SetId};

/// True for the categories of ranges that a script or a library names.
pub(super) fn is_range(category: Category) -> bool {
    matches!(category, Category::UserDefined | Category::PythonUserDefined)
}

/// The device work of a part of a trace, by the names of the ranges in which it was launched.
pub(super) struct Launched {
    /// For each name of a range, the sets in `by_set` that contain it, by ascending number.
    pub sets_of_range: FxHashMap<StrId, Vec<SetId>>,
    /// For each set of range names, the device work launched in ranges of all these names and usually of no
    /// others, by the work's own name.
    by_set: FxHashMap<SetId, FxHashMap<StrId, Tally>>,
    /// The summed time of all device work in the part, whether or not a range launched it, ns.
    pub all: Ns,
    pub has_device: bool,
    /// True if a launch lies in ranges of more than [`MOST_NAMES`] names, of which some do not count.
    pub is_cut: bool,
}

impl Launched {
    pub(super) fn of(owners: &Owners<'_>) -> Self {
        let trace = owners.part().trace();
        let mut around = Around::of(owners.part());
        let mut by_set: FxHashMap<SetId, FxHashMap<StrId, Tally>> = FxHashMap::default();
        let (mut all, mut has_device): (Ns, bool) = (0, false);
        // What is open on other layers is found in order of time.
        let mut works: Vec<_> = owners.work().collect();
        works.sort_by_key(|work| work.launch.map(|launch| trace.slices.start[launch]));
        for work in works {
            has_device = true;
            all = all.saturating_add(work.time());
            let Some(launch) = work.launch else { continue };
            let set = around.names(launch);
            if set != NameSets::EMPTY {
                let of_name = by_set.entry(set).or_default();
                let name = trace.slices.name[work.piece.id];
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
        Self { sets_of_range, by_set, all, has_device, is_cut: around.sets.is_cut }
    }

    /// The device work of all these sets together, by its own name.
    pub(super) fn work(&self, sets: &[SetId]) -> FxHashMap<StrId, Tally> {
        let mut found: FxHashMap<StrId, Tally> = FxHashMap::default();
        for (&name, tally) in sets.iter().filter_map(|set| self.by_set.get(set)).flatten() {
            found.entry(name).or_default().merge(tally.clone());
        }
        found
    }
}

/// Finds the names of the ranges around launches.
struct Around<'a> {
    trace: &'a Trace,
    sets: NameSets,
    /// The results of the method `inside` so far.
    inside: FxHashMap<SliceId, SetId>,
    other_layers: OtherLayers,
}

impl<'a> Around<'a> {
    fn of(part: &Part<'a>) -> Self {
        let (trace, other_layers) = (part.trace(), OtherLayers::of(part));
        Self { trace, sets: NameSets::new(), inside: FxHashMap::default(), other_layers }
    }

    /// The set of the names of the ranges around a launch, on all lanes of its thread; [`MOST_NAMES`] at
    /// most.
    fn names(&mut self, launch: SliceId) -> SetId {
        let set = self.trace.slices.parent(launch).map_or(NameSets::EMPTY, |parent| self.inside(parent));
        let Some(open) = self.other_layers.at(self.trace, launch) else { return set };
        let names = open.ranges.iter().map(|(_, _, name)| *name).take(MOST_NAMES + 1);
        let sets = &mut self.sets;
        *open.sets.entry(set).or_insert_with(|| names.fold(set, |set, name| sets.with(set, name)))
    }

    /// The set of the names of the ranges around a slice on its lane, with its own name if it is a range;
    /// [`MOST_NAMES`] at most.
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
                set = self.sets.with(set, slices.name[id]);
            }
            self.inside.insert(id, set);
        }
        set
    }
}

/// For each lane, the ranges on the other lanes of its thread.
struct OtherLayers {
    /// The ranges on the other lanes of a lane's thread; a lane without such ranges has no entry.
    of_lane: FxHashMap<LaneId, Layer>,
}

/// The ranges on the other lanes of a lane's thread, and which are open at the time asked for last. Times
/// should be asked for in ascending order.
#[derive(Default)]
struct Layer {
    /// The time and name of each range, in order of start.
    ranges: Vec<(Span, StrId)>,
    /// How many of `ranges` began no later than `last`, the time asked for last.
    begun: usize,
    last: Ns,
    open: Open,
}

/// The ranges of a [`Layer`] that are open at one time.
#[derive(Default)]
struct Open {
    /// The open ranges as start, end (ns) and name, in order of start.
    ranges: BTreeSet<(Ns, Reverse<Ns>, StrId)>,
    /// The open ranges as end, start and name; the one that ends first is on top.
    ends: BinaryHeap<Reverse<(Ns, Ns, StrId)>>,
    /// For each set asked for, the set that also has the names of the open ranges.
    sets: FxHashMap<SetId, SetId>,
}

impl OtherLayers {
    /// Finds, for each lane of the part's workers, the ranges on the other lanes of its thread.
    fn of(part: &Part<'_>) -> Self {
        let trace = part.trace();
        let mut of_lane: FxHashMap<LaneId, Layer> = FxHashMap::default();
        let threads = Threads::of(trace);
        let of_workers =
            threads.of_lanes(part.lanes_of_workers().iter()).into_iter().map(|at| &threads.all()[at]);
        for lanes in of_workers.filter(|lanes| lanes.len() > 1) {
            for &lane in lanes {
                let others = lanes.iter().filter(|&&other| other != lane);
                let mut ranges: Vec<_> = others.flat_map(|&other| ranges(trace, other)).collect();
                if !ranges.is_empty() {
                    ranges.sort_unstable_by_key(|(span, _)| span.start);
                    of_lane.insert(lane, Layer { ranges, ..Layer::default() });
                }
            }
        }
        Self { of_lane }
    }

    /// The ranges that are open when a launch begins, on the other lanes of its thread; `None` if these lanes
    /// have no ranges.
    fn at(&mut self, trace: &Trace, launch: SliceId) -> Option<&mut Open> {
        if self.of_lane.is_empty() {
            return None;
        }
        let layer = self.of_lane.get_mut(&trace.lane_of(launch))?;
        layer.go(trace.slices.start[launch]);
        Some(&mut layer.open)
    }
}

impl Layer {
    /// Sets `open` to the ranges that have begun by `time` (ns) and not ended.
    fn go(&mut self, time: Ns) {
        if time < self.last {
            (self.begun, self.open) = (0, Open::default());
        }
        self.last = time;
        let new = self.ranges[self.begun..].partition_point(|(span, _)| span.start <= time);
        let open = &mut self.open;
        for &(Span { start, end }, name) in &self.ranges[self.begun..self.begun + new] {
            if end > time && open.ranges.insert((start, Reverse(end), name)) {
                open.ends.push(Reverse((end, start, name)));
                open.sets.clear();
            }
        }
        self.begun += new;
        while let Some(&Reverse((end, start, name))) =
            open.ends.peek().filter(|Reverse((end, ..))| *end <= time)
        {
            open.ends.pop();
            open.ranges.remove(&(start, Reverse(end), name));
            open.sets.clear();
        }
    }
}

/// The time and name of each range of a lane, in the order of its slices.
fn ranges(trace: &Trace, lane: LaneId) -> impl Iterator<Item = (Span, StrId)> + '_ {
    let slices = &trace.slices;
    let ids = trace.lanes[lane].slices.iter().filter(|&id| is_range(slices.category(id)));
    ids.map(|id| (slices.span(id), slices.name[id]))
}
