//! The device work launched in ranges: for each piece, the ranges around its launch on the launching thread.
//!
//! Must not know tables.

use rustc_hash::FxHashMap;

use crate::analysis::owner::Owners;
use crate::analysis::tally::Tally;
use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneId, LaneKind, SliceId, Trace};

/// True for the categories of ranges that a script or a library names.
pub(super) fn is_range(category: Category) -> bool {
    matches!(category, Category::UserDefined | Category::PythonUserDefined)
}

/// The device work of a part of a trace by the ranges that it was launched in.
pub(super) struct Launched {
    /// For each name of ranges, the work by its own name.
    pub by_range: FxHashMap<StrId, FxHashMap<StrId, Tally>>,
    /// The time of all device work, whether or not a range launched it, ns.
    pub all: Ns,
    pub has_device: bool,
}

impl Launched {
    pub(super) fn of(owners: &Owners<'_>) -> Self {
        let trace = owners.part().trace();
        let other_layers = OtherLayers::of(trace);
        let mut found = Self { by_range: FxHashMap::default(), all: 0, has_device: false };
        let mut names: Vec<StrId> = Vec::new();
        for work in owners.work() {
            found.has_device = true;
            found.all = found.all.saturating_add(work.time());
            let Some(launch) = work.launch else { continue };
            names.clear();
            let around = trace.slices.ancestors(launch).filter(|&id| is_range(trace.slices.category(id)));
            names.extend(around.map(|id| trace.slices.name[id as usize]));
            other_layers.add_names(trace, launch, &mut names);
            names.sort_unstable();
            names.dedup();
            let name = trace.slices.name[work.piece.id as usize];
            for &range in &names {
                let of_range = found.by_range.entry(range).or_default();
                of_range.entry(name).or_default().add(work.piece, work.is_outer);
            }
        }
        found
    }
}

/// A range of a row, by its time and name.
type Range = (Span, StrId);

/// The ranges of each lane that lie on another layer of its thread: Paddle's ranges of Python are on the Python layer, calls on the
/// other.
struct OtherLayers {
    /// For each lane of a thread whose other layer has ranges: those ranges, by row, in order of time.
    of_lane: FxHashMap<LaneId, Vec<Vec<Range>>>,
}

impl OtherLayers {
    fn of(trace: &Trace) -> Self {
        let is_layer = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        let mut threads: FxHashMap<(u32, StrId), Vec<LaneId>> = FxHashMap::default();
        for (lane, of_trace) in (0..).zip(&trace.lanes).filter(|(_, lane)| is_layer(lane.kind)) {
            threads.entry((of_trace.group, of_trace.tid)).or_default().push(lane);
        }
        let mut of_lane: FxHashMap<LaneId, Vec<Vec<Range>>> = FxHashMap::default();
        for lanes in threads.values().filter(|lanes| lanes.len() > 1) {
            for &lane in lanes {
                let others = lanes.iter().filter(|&&other| other != lane);
                let rows: Vec<_> = others.flat_map(|&other| ranges(trace, other)).collect();
                if !rows.is_empty() {
                    of_lane.insert(lane, rows);
                }
            }
        }
        Self { of_lane }
    }

    /// Adds the names of the ranges on other layers in which a launch begins.
    fn add_names(&self, trace: &Trace, launch: SliceId, names: &mut Vec<StrId>) {
        if self.of_lane.is_empty() {
            return;
        }
        let start = trace.slices.start[launch as usize];
        for row in self.of_lane.get(&trace.lane_of(launch)).into_iter().flatten() {
            let until = row.partition_point(|(span, _)| span.start <= start);
            // Neighbours in a row may overlap by the file's time resolution.
            let near = row[..until].iter().rev().take(2);
            names.extend(near.filter(|(span, _)| span.contains(start)).map(|&(_, name)| name));
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
