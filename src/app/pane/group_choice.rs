//! The user's choice of the lanes that summaries cover: all, those of one worker (rank), of one process or
//! device, or one lane.
//!
//! Must not know how the choice is made or shown. The time that summaries cover is chosen apart from this
//! ([`ScopeChoice`](super::table_pane::ScopeChoice)).

use proftui_base::text::SafeText;
use proftui_insight::analysis::Scope;
use proftui_trace::model::{GroupId, GroupKind, LaneId, Trace, WorkerId};

use crate::app::session::renumber::Renumbering;

/// The user's choice of the lanes that summaries cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupChoice {
    /// All lanes.
    #[default]
    All,
    /// The lanes of the processes and devices of one worker, by its index in `Meta::workers`.
    Worker(WorkerId),
    /// The lanes of one process or device, by its index in `Trace::groups`.
    Group(GroupId),
    /// One lane, by its index in `Trace::lanes`.
    Lane(LaneId),
}

impl GroupChoice {
    /// The lanes chosen, ascending; none for all lanes.
    pub(crate) fn lanes(self, trace: &Trace) -> Option<Vec<LaneId>> {
        let group = |lane: LaneId| trace.lanes[lane].group;
        match self {
            Self::All => None,
            Self::Worker(worker) => {
                Scope::of_lanes(trace, |lane| trace.groups[group(lane)].worker == worker).lanes
            }
            Self::Group(chosen) => Scope::of_lanes(trace, |lane| group(lane) == chosen).lanes,
            Self::Lane(lane) => Some(vec![lane]),
        }
    }

    /// The worker of the chosen lanes, by its index in `Meta::workers`; none for all lanes, and if `trace`
    /// lacks the chosen process, device or lane.
    pub fn worker(self, trace: &Trace) -> Option<WorkerId> {
        match self {
            Self::All => None,
            Self::Worker(worker) => Some(worker),
            Self::Group(group) => trace.groups.get(group).map(|group| group.worker),
            Self::Lane(lane) => {
                let group = trace.lanes.get(lane)?.group;
                trace.groups.get(group).map(|group| group.worker)
            }
        }
    }

    /// The choice's name on the screen, such as `rank 1`, `rank 1 · GPU 0` or `python 4242`; none for all
    /// lanes, and if `trace` lacks what is chosen.
    pub fn title(self, trace: &Trace) -> Option<SafeText<'static>> {
        let title = match self {
            Self::All => return None,
            Self::Worker(worker) => trace.meta.workers.get(worker)?.clone(),
            Self::Lane(lane) => trace.lane_title(trace.lanes.get(lane)?),
            Self::Group(group) => {
                let group = trace.groups.get(group)?;
                let title = trace.group_title(group);
                // The number distinguishes devices; the model's name takes room.
                let named = title.split(" · ").position(|part| {
                    group.kind == GroupKind::Device && (part.starts_with("GPU ") || part.starts_with("NPU "))
                });
                let parts: Vec<&str> = title.split(" · ").collect();
                named.map_or_else(|| title.clone(), |at| parts[..=at].join(" · "))
            }
        };
        Some(SafeText::from(title))
    }

    /// The same choice in the trace `new` of the same files; none if `new` lacks the worker, process, device
    /// or lane.
    pub(crate) fn renumbered(self, numbers: &Renumbering, new: &Trace) -> Option<Self> {
        match self {
            Self::All => Some(self),
            Self::Worker(worker) => new.groups.iter().any(|group| group.worker == worker).then_some(self),
            Self::Group(group) => numbers.group(group).map(Self::Group),
            Self::Lane(lane) => numbers.lane(lane).map(Self::Lane),
        }
    }
}
