//! Device work in the trees: each piece hangs below the frame that launched it.
//!
//! Must not know how frames are found.

use crate::analysis::nesting::Repeats;
use crate::analysis::part::Part;
use crate::model::{Category, LaneId, LaneKind, SliceId, Trace};

use super::names::{NO_LAUNCH, Names};
use super::tree::{NodeId, ROOT, Tree};
use super::walk::Walked;

/// The device work of a part of a trace.
pub(super) struct Work<'a> {
    part: &'a Part<'a>,
    names: &'a Names<'a>,
    /// True if the scope has a stream: work then counts by its own lane, else by that of its launch.
    has_stream: bool,
    /// True for work whose time is part of other work's.
    is_inner: Box<dyn Fn(SliceId) -> bool + Sync + 'a>,
}

impl<'a> Work<'a> {
    pub(super) fn of(part: &'a Part<'a>, names: &'a Names<'a>) -> Self {
        let trace = part.trace();
        let name = |_: LaneId, id: SliceId| {
            trace.slices.category(id).is_device_work().then(|| trace.slices.name[id as usize])
        };
        let repeats = Repeats::of(trace, name);
        let is_inner = Box::new(move |id: SliceId| {
            trace.slices.parent(id).is_some() && repeats.has(trace.lane_of(id), id)
        });
        let has_stream = part.scope().has_kind(trace, |kind| kind == LaneKind::Stream);
        Self { part, names, has_stream, is_inner }
    }

    /// True if there may be work of the part that slices of these lanes launched.
    pub(super) fn may_be_of(&self, lanes: &[LaneId]) -> bool {
        let trace = self.part.trace();
        let has = |&lane: &LaneId| !trace.links.within(trace.lanes[lane as usize].slices.clone()).is_empty();
        lanes.iter().any(has)
    }

    /// Adds the work that a thread launched to its frames.
    pub(super) fn add_launched(&self, walked: &mut Walked) {
        let Walked { tree, frames } = walked;
        let trace = self.part.trace();
        for (lane, first, frames) in frames {
            let is_inside = self.has_stream || self.part.scope().has_lane(*lane);
            let launches = trace.lanes[*lane as usize].slices.clone();
            for &(launch, work) in trace.links.within(launches).iter().filter(|_| is_inside) {
                self.add(tree, frames[(launch - *first) as usize], work);
            }
        }
    }

    /// Adds the work whose launch is not on a lane of the host.
    pub(super) fn add_others(&self, tree: &mut Tree) {
        let trace = self.part.trace();
        let mut elsewhere = launched_elsewhere(trace);
        elsewhere.sort_unstable();
        for lane in trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream && self.has_stream) {
            let mut launched = trace.links.launched_within(lane.slices.clone()).iter().peekable();
            for id in lane.slices.clone() {
                let is_launched = launched.next_if(|link| link.0 == id).is_some();
                if is_launched && elsewhere.binary_search(&id).is_err() {
                    continue;
                }
                if trace.slices.category(id).is_device_work() && self.part.scope().has_lane(trace.lane_of(id))
                {
                    let around = tree.child(ROOT, NO_LAUNCH, Category::Other);
                    self.add(tree, around, id);
                }
            }
        }
    }

    /// Adds a piece of work below a frame, if the part has some of it.
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

/// The work whose launch is a slice of a lane that is none of the host.
fn launched_elsewhere(trace: &Trace) -> Vec<SliceId> {
    let others = trace.lanes.iter().filter(|lane| !lane.kind.is_host());
    others.flat_map(|lane| trace.links.within(lane.slices.clone())).map(|link| link.1).collect()
}
