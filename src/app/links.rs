//! Following what joins events: launch to device work and back, flows.

use crate::base::time::Ns;
use crate::model::{FlowKind, SliceId, Trace};

/// A link from the selected event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The other event.
    pub target: SliceId,
    /// What joins the two.
    pub kind: LinkKind,
    /// From the launch's start to the device work's start, where the link is a launch.
    pub delay: Option<Ns>,
}

/// What joins two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The target is device work that the event, or a call within it, launched.
    Work,
    /// The target launched the event.
    Launch,
    /// The target is the operator's backward.
    Backward,
    /// The target is the operator that this is the backward of.
    Forward,
    /// The target is where an arrow of the producer's leads to.
    FlowOut,
    /// The target is where an arrow of the producer's comes from.
    FlowIn,
}

impl LinkKind {
    /// True for links that lead on: to work, to the backward, along an arrow.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Work | Self::Backward | Self::FlowOut)
    }

    /// A word for it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Work => "device work",
            Self::Launch => "launched by",
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::FlowOut => "flow to",
            Self::FlowIn => "flow from",
        }
    }
}

/// Links that lead forth: work that the event or a call within it launched, its backward, flows that leave it.
pub fn forward(trace: &Trace, id: SliceId) -> Vec<Link> {
    let mut links: Vec<Link> = launches_within(trace, id)
        .map(|(launch, target)| Link {
            target,
            kind: LinkKind::Work,
            delay: Some(queue_delay(trace, launch, target)),
        })
        .collect();
    links.sort_by_key(|link| (trace.slices.start[link.target as usize], link.target));
    links.extend(trace.flows_from(id).map(|flow| Link {
        target: flow.to,
        kind: if flow.kind == FlowKind::ForwardBackward { LinkKind::Backward } else { LinkKind::FlowOut },
        delay: None,
    }));
    links
}

/// Links that lead back: the launch, the forward operator, flows that reach the event.
pub fn back(trace: &Trace, id: SliceId) -> Vec<Link> {
    let launch = trace.links.launch_of(id).into_iter();
    let mut links: Vec<Link> = launch
        .map(|target| Link { target, kind: LinkKind::Launch, delay: Some(queue_delay(trace, target, id)) })
        .collect();
    links.extend(trace.flows_to(id).map(|flow| Link {
        target: flow.from,
        kind: if flow.kind == FlowKind::ForwardBackward { LinkKind::Forward } else { LinkKind::FlowIn },
        delay: None,
    }));
    links
}

/// From the start of the launching call to the start of the work, ns.
pub fn queue_delay(trace: &Trace, launch: SliceId, work: SliceId) -> Ns {
    trace.slices.start[work as usize].saturating_sub(trace.slices.start[launch as usize])
}

/// (launch, work) of the event itself and of calls within it.
fn launches_within(trace: &Trace, id: SliceId) -> impl Iterator<Item = (SliceId, SliceId)> + '_ {
    let lane = &trace.lanes[trace.lane_of(id) as usize];
    let span = trace.slices.span(id);
    let rows = lane
        .rows
        .clone()
        .filter(move |&row| row >= trace.row_of(id))
        .map(|row| trace.rows[row as usize].slices());
    rows.flat_map(move |ids| {
        let starts = &trace.slices.start[ids.start as usize..ids.end as usize];
        let from = ids.start + starts.partition_point(|&start| start < span.start) as SliceId;
        let to = ids.start + starts.partition_point(|&start| start < span.end.max(span.start + 1)) as SliceId;
        trace.links.within(from..to.max(from)).iter().copied()
    })
    .filter(move |&(launch, _)| launch == id || trace.slices.ancestors(launch).any(|around| around == id))
}
