//! Device work in the trees: each piece hangs below the frame that launched it.
//!
//! Must not know how frames are found.

use crate::analysis::part::Part;
use crate::analysis::part::nesting::Repeats;
use proftui_base::ids::Ids;
use proftui_trace::model::{Category, LaneId, LaneKind, SliceId, Trace};

use super::names::{NO_LAUNCH, Names};
use super::tree::{NodeId, ROOT, Tree};
use super::walk::Walked;

/// Adds the device work of a part of a trace to the trees of frames.
pub(super) struct Work<'a> {
    part: &'a Part<'a>,
    names: &'a Names<'a>,
    /// True if streams are in the scope. Then work counts by its own lane, else by the lane of its launch.
    has_stream: bool,
    /// True for work inside work of the same name on its stream: the outer work's time includes its time.
    is_inner: Box<dyn Fn(SliceId) -> bool + Sync + 'a>,
}

impl<'a> Work<'a> {
    pub(super) fn of(part: &'a Part<'a>, names: &'a Names<'a>) -> Self {
        let trace = part.trace();
        let name = |_: LaneId, id: SliceId| {
            trace.slices.category(id).is_device_work().then(|| trace.slices.name[id])
        };
        let repeats = Repeats::of(part, name);
        let is_inner = Box::new(move |id: SliceId| {
            trace.slices.parent(id).is_some() && repeats.has(trace.lane_of(id), id)
        });
        let has_stream = part.scope().has_kind(trace, |kind| kind == LaneKind::Stream);
        Self { part, names, has_stream, is_inner }
    }

    /// True if slices of this lane launched device work, in the part or outside of it.
    pub(super) fn may_be_of(&self, lane: LaneId) -> bool {
        let trace = self.part.trace();
        !trace.links.within(trace.lanes[lane].slices).is_empty()
    }

    /// The lanes that launched work on the part's streams, possibly repeated; none if the scope has all lanes
    /// or no stream.
    pub(super) fn launching(&self) -> impl Iterator<Item = LaneId> + '_ {
        let trace = self.part.trace();
        let is_asked = self.has_stream && self.part.scope().lanes.is_some();
        let mut last = Ids::default();
        let lane = move |(launch, _): (SliceId, SliceId)| {
            if last.contains(launch) {
                return None;
            }
            let lane = trace.lane_of(launch);
            last = trace.lanes[lane].slices;
            Some(lane)
        };
        is_asked.then(|| self.part.links()).into_iter().flatten().filter_map(lane)
    }

    /// Adds the part's device work that a thread launched, below the frames of its launches.
    pub(super) fn add_launched(&self, walked: &mut Walked) {
        let Walked { tree, frames } = walked;
        let trace = self.part.trace();
        for (lane, first, frames) in frames {
            let is_inside = self.has_stream || self.part.scope().has_lane(*lane);
            let launches = trace.lanes[*lane].slices;
            for &(launch, work) in trace.links.within(launches).iter().filter(|_| is_inside) {
                self.add(tree, frames[(launch - *first) as usize], work);
            }
        }
    }

    /// Adds the work on the part's streams whose launch on the host is not known, below the frame
    /// [`NO_LAUNCH`].
    pub(super) fn add_others(&self, tree: &mut Tree) {
        let trace = self.part.trace();
        let LaunchedElsewhere(elsewhere) = trace.kept.get(|| LaunchedElsewhere::of(trace));
        let lanes = self.part.lanes().iter().map(|&lane| &trace.lanes[lane]);
        for lane in lanes.filter(|lane| lane.kind == LaneKind::Stream) {
            let mut launched = trace.links.launched_within(lane.slices).iter().peekable();
            for id in lane.slices {
                let is_launched = launched.next_if(|link| link.0 == id).is_some();
                if is_launched && elsewhere.binary_search(&id).is_err() {
                    continue;
                }
                if trace.slices.category(id).is_device_work() {
                    let around = tree.child(ROOT, NO_LAUNCH, Category::Other);
                    self.add(tree, around, id);
                }
            }
        }
    }

    /// Adds the slice `work` below the frame `around`, with its weights, if it is device work of the part.
    fn add(&self, tree: &mut Tree, around: NodeId, work: SliceId) {
        let trace = self.part.trace();
        let category = trace.slices.category(work);
        let is_inside = || {
            let scope = self.part.scope();
            scope.lanes.is_none() || !self.has_stream || scope.has_lane(trace.lane_of(work))
        };
        if !category.is_device_work() || !is_inside() {
            return;
        }
        let Some(piece) = self.part.piece(work) else { return };
        let node = tree.child(around, self.names.of_work(work), category);
        let node = &mut tree.nodes[node as usize];
        node.add(work, piece.dur(), piece.begins);
        if !(self.is_inner)(work) {
            node.device = node.device.saturating_add(piece.dur());
        }
        let copied = trace.copied(work).filter(|_| category != Category::Kernel);
        node.bytes = node.bytes.saturating_add(copied.map_or(0, |bytes| piece.bytes_of(bytes, trace)));
    }
}

/// Work that was launched from other lanes than the host's, by ascending number.
struct LaunchedElsewhere(Vec<SliceId>);

impl LaunchedElsewhere {
    fn of(trace: &Trace) -> Self {
        let others = trace.lanes.iter().filter(|lane| !lane.kind.is_host());
        let links = others.flat_map(|lane| trace.links.within(lane.slices));
        let mut work: Vec<SliceId> = links.map(|link| link.1).collect();
        work.sort_unstable();
        Self(work)
    }
}
