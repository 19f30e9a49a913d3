//! The list of what summaries can cover (all, the focused lane, workers or ranks, processes, devices), made
//! by a job: a trace may have any number of them.
//!
//! Must not know how the list is drawn, nor what is done with a choice.

use std::sync::Arc;

use proftui_base::text::SafeText;
use proftui_base::{cancel, fmt};
use proftui_trace::model::{Group, GroupId, GroupKind, Lane, LaneId, SliceFlags, SliceId, Trace};

use super::group_choice::GroupChoice;
use super::overlay::{ListItem, Overlay, Target};
use crate::app::run::Run;
use crate::app::session::Session;

/// Estimated time to look at a lane or to describe a process or device, ns.
const PER_LANE: u64 = 500;

/// The job of making the list from which the user chooses the lanes that summaries cover.
#[derive(Clone, Debug)]
pub struct ListJob {
    pub(crate) session: Arc<Session>,
    /// The present choice: its item, if the list has it, is chosen in the list.
    pub(crate) chosen: GroupChoice,
    /// The lane with the focus, which the list offers if summaries count events of it; none if no lane has
    /// the focus.
    pub(crate) lane: Option<LaneId>,
}

/// The result of a [`ListJob`]: the list, and the session whose lanes it offers.
#[derive(Debug)]
pub struct Listed {
    pub(crate) session: Arc<Session>,
    pub(crate) list: Overlay,
}

impl Run for ListJob {
    type Done = Listed;

    fn cost(&self) -> u64 {
        PER_LANE * (self.session.trace.groups.len() + self.session.trace.lanes.len()) as u64
    }

    fn run(self) -> Listed {
        let trace = &self.session.trace;
        let items = items(trace, self.lane);
        let is_chosen = |item: &ListItem| item.target == Target::Group(self.chosen);
        let chosen = items.iter().position(is_chosen).unwrap_or_default();
        let list = Overlay::list_at(SafeText::from(heading(trace)), items, chosen);
        Listed { session: self.session, list }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.chosen == other.chosen && self.lane == other.lane
    }
}

fn lanes<'a>(trace: &'a Trace, group: &Group) -> &'a [Lane] {
    &trace.lanes[group.lanes]
}

/// True if the lane has slices that summaries count.
fn has_events(trace: &Trace, lane: &Lane) -> bool {
    let is_own = |id: SliceId| !trace.slices.flags[id].has(SliceFlags::PROFILER);
    !lane.kind.repeats() && lane.slices.iter().any(is_own)
}

/// The processes and devices with events that summaries count, with their indices in `Trace::groups`.
fn groups(trace: &Trace) -> impl Iterator<Item = (GroupId, &Group)> {
    let has_some = |group: &Group| {
        cancel::check();
        lanes(trace, group).iter().any(|lane| has_events(trace, lane))
    };
    trace.groups.iter_with_ids().filter(move |(_, group)| has_some(group))
}

/// The numbers of processes and devices among `groups`, in words: `1 process, 2 devices`.
fn count<'a>(groups: impl Iterator<Item = &'a Group>) -> String {
    let (mut processes, mut devices) = (0, 0);
    for group in groups {
        match group.kind {
            GroupKind::Process => processes += 1,
            GroupKind::Device => devices += 1,
        }
    }
    let processes = if processes == 1 { "1 process".into() } else { format!("{processes} processes") };
    let devices = if devices == 0 { "no device".into() } else { fmt::counted(devices, "device") };
    format!("{processes}, {devices}")
}

/// How many threads or streams, and how many events, the lanes of a process or device have whose events
/// summaries count, in words such as `3 threads · 1,718 events`.
fn contents(trace: &Trace, group: &Group) -> String {
    let own = || lanes(trace, group).iter().filter(|lane| has_events(trace, lane));
    let mut threads: Vec<_> = own().map(|lane| lane.tid).collect();
    threads.sort_unstable();
    threads.dedup();
    let what = if group.kind == GroupKind::Device { "stream" } else { "thread" };
    let events = own().map(|lane| lane.slices.len() as u64).sum();
    format!("{} · {}", fmt::counted(threads.len() as u64, what), fmt::counted(events, "event"))
}

/// The items of the list: all lanes, `lane`, then, by worker, processes and devices, below an item for the
/// worker if there are several. All but the first only if summaries count events of them.
fn items(trace: &Trace, lane: Option<LaneId>) -> Vec<ListItem> {
    let item = |choice: GroupChoice, title: String, note: String| {
        cancel::check();
        ListItem { title: SafeText::from(title), note: SafeText::from(note), target: Target::Group(choice) }
    };
    let mut by_worker: Vec<(GroupId, &Group)> = groups(trace).collect();
    let of_all = |groups: &[(GroupId, &Group)]| count(groups.iter().map(|(_, group)| *group));
    let mut items = vec![item(GroupChoice::All, "all".into(), of_all(&by_worker))];
    if let Some(lane) = lane.filter(|&lane| has_events(trace, &trace.lanes[lane])) {
        let it = &trace.lanes[lane];
        let title = format!("the focused lane: {}", trace.lane_title(it));
        items.push(item(GroupChoice::Lane(lane), title, fmt::counted(it.slices.len() as u64, "event")));
    }
    by_worker.sort_by_key(|(_, group)| group.worker);
    let has_workers = trace.meta.workers.len() > 1;
    let indent = if has_workers { "  " } else { "" };
    for own in by_worker.chunk_by(|(_, a), (_, b)| a.worker == b.worker) {
        let worker = own[0].1.worker;
        if let Some(name) = trace.meta.workers.get(worker).filter(|_| has_workers) {
            items.push(item(GroupChoice::Worker(worker), name.clone(), of_all(own)));
        }
        for &(number, group) in own {
            let title = format!("{indent}{}", trace.group_title(group));
            items.push(item(GroupChoice::Group(number), title, contents(trace, group)));
        }
    }
    items
}

/// The heading of the list, with the number of workers, if several, and those of processes and devices
/// listed.
fn heading(trace: &Trace) -> String {
    let count = count(groups(trace).map(|(_, group)| group));
    match trace.meta.workers.len() {
        0 | 1 => format!("summaries cover … ({count} with events)"),
        workers => format!("summaries cover … ({}, {count})", fmt::counted(workers as u64, "worker")),
    }
}
