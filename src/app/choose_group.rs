//! The list from which the user chooses the worker (rank), process or device that summaries cover.
//!
//! Must not know how a table is made.

use crate::base::fmt;
use crate::base::text::SafeText;
use crate::model::{Group, GroupKind, Lane, SliceFlags, SliceId, Trace};

use super::group_choice::GroupChoice;
use super::overlay::{List, ListItem, Overlay, Target};
use super::state::State;

/// The lanes of a process or device.
fn lanes<'a>(trace: &'a Trace, group: &Group) -> &'a [Lane] {
    &trace.lanes[group.lanes.start as usize..group.lanes.end as usize]
}

/// True for a lane with slices that summaries count: none that other lanes repeat, nor the profiler's own span alone.
fn has_events(trace: &Trace, lane: &Lane) -> bool {
    let is_own = |id: SliceId| !trace.slices.flags[id as usize].has(SliceFlags::PROFILER);
    !lane.kind.repeats() && lane.slices.clone().any(is_own)
}

/// The processes and devices that have events, with their indices in `Trace::groups`.
fn groups(trace: &Trace) -> impl Iterator<Item = (u32, &Group)> {
    let has_some = |group: &Group| lanes(trace, group).iter().any(|lane| has_events(trace, lane));
    (0..).zip(&trace.groups).filter(move |(_, group)| has_some(group))
}

/// How many processes and devices among `groups`, in words: `1 process, 2 devices`.
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

/// What a process or device has: `3 threads · 1,718 events`, `2 streams · 597 events`.
fn contents(trace: &Trace, group: &Group) -> String {
    let own = || lanes(trace, group).iter().filter(|lane| has_events(trace, lane));
    let mut threads: Vec<_> = own().map(|lane| lane.tid).collect();
    threads.sort_unstable();
    threads.dedup();
    let what = if group.kind == GroupKind::Device { "stream" } else { "thread" };
    let events = own().map(|lane| lane.slices.len() as u64).sum();
    format!("{} · {}", fmt::counted(threads.len() as u64, what), fmt::counted(events, "event"))
}

/// The items of the list: all, then each worker (if there are several) with its processes and devices below.
fn items(trace: &Trace) -> Vec<(GroupChoice, ListItem)> {
    let item = |choice: GroupChoice, title: String, note: String| {
        let (title, note) = (SafeText::from(title), SafeText::from(note));
        (choice, ListItem { title, note, target: Target::Group(choice) })
    };
    let all = count(groups(trace).map(|(_, group)| group));
    let mut items = vec![item(GroupChoice::All, "all".into(), all)];
    let has_workers = trace.meta.workers.len() > 1;
    for worker in 0..trace.meta.workers.len().max(1) as u16 {
        let own = || groups(trace).filter(|(_, group)| group.worker == worker);
        let name = trace.meta.workers.get(usize::from(worker)).filter(|_| has_workers);
        if let Some(name) = name.filter(|_| own().next().is_some()) {
            let note = count(own().map(|(_, group)| group));
            items.push(item(GroupChoice::Worker(worker), name.clone(), note));
        }
        let indent = if has_workers { "  " } else { "" };
        for (number, group) in own() {
            let title = format!("{indent}{}", trace.group_title(group));
            items.push(item(GroupChoice::Group(number), title, contents(trace, group)));
        }
    }
    items
}

/// The heading of the list: what there is to choose among.
fn heading(trace: &Trace) -> String {
    let count = count(groups(trace).map(|(_, group)| group));
    match trace.meta.workers.len() {
        0 | 1 => format!("summaries cover … (this trace has {count})"),
        workers => format!("summaries cover … ({}, {count})", fmt::counted(workers as u64, "worker")),
    }
}

impl State {
    /// Opens the list of workers, processes and devices, on the one that summaries cover.
    pub(super) fn list_groups(&mut self) {
        let trace = &self.session.trace;
        let (choices, items): (Vec<GroupChoice>, Vec<ListItem>) = items(trace).into_iter().unzip();
        let chosen = choices.iter().position(|choice| *choice == self.group_choice).unwrap_or_default();
        self.overlay = Some(Overlay::List(List { title: SafeText::from(heading(trace)), items, chosen }));
    }

    /// Limits all summaries to the lanes of `choice`.
    pub(super) fn choose_group(&mut self, choice: GroupChoice) {
        self.group_choice = choice;
        self.forget_tables();
        self.say_scope();
    }

    /// Keeps the choice when the session is replaced by another one: `renumbered` is the choice there, none if that trace, read
    /// from the same files as `old`, lacks the chosen lanes.
    pub(super) fn keep_group_choice(&mut self, renumbered: Option<GroupChoice>, old: &Trace) {
        if renumbered.is_none() {
            let title = self.group_choice.title(old).unwrap_or_default();
            self.say(format!("{title} is no longer in the trace; summaries cover all processes and devices"));
        }
        self.group_choice = renumbered.unwrap_or_default();
    }
}
