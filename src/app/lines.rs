//! The lines of the timeline: the tree of groups, lanes and rows as a list, with what is folded, pinned and hidden.
//!
//! Must not know how a line is drawn.

use std::collections::{BTreeSet, HashSet};

use crate::model::{Category, LaneId, LaneKind, RowId, Trace};

use super::renumber::Renumbering;
use super::session::Session;

/// A lane with more rows than this starts folded.
const DEEP: usize = 24;

/// What one line of the timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// The heading of a group, by the group's index in the trace.
    Group(u32),
    /// The idle time of a device by cause, by the index of the device's group.
    Idle(u32),
    /// One row of slices of a lane; a folded lane shows only its first row.
    Row(LaneId, RowId),
    /// The values of a counter, by its lane and its index in the trace's counters.
    Counter(LaneId, u32),
    /// The instants of a lane that has no slices.
    Marks(LaneId),
}

/// What can be pinned and hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    /// The idle time of a device, by the index of the device's group.
    Idle(u32),
    /// A lane.
    Lane(LaneId),
}

/// One line of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the line shows.
    pub kind: LineKind,
    /// True for the first line of a lane, which shows the lane's name, and for a group's heading.
    pub is_head: bool,
    /// True for a line of a pinned lane, which stays on top while the others scroll.
    pub is_pinned: bool,
}

impl Line {
    /// What is pinned or hidden with the line; none for a group's heading.
    pub fn track(&self) -> Option<Track> {
        match self.kind {
            LineKind::Idle(group) => Some(Track::Idle(group)),
            _ => self.lane().map(Track::Lane),
        }
    }

    /// The lane that the line belongs to; none for a group's heading and for the idle time of a device.
    pub fn lane(&self) -> Option<LaneId> {
        match self.kind {
            LineKind::Group(_) | LineKind::Idle(_) => None,
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => Some(lane),
        }
    }

    /// The row of slices that the line shows, if it shows one.
    pub fn row(&self) -> Option<RowId> {
        match self.kind {
            LineKind::Row(_, row) => Some(row),
            _ => None,
        }
    }
}

/// The lines of the timeline, and the sets of folded, hidden and pinned groups and lanes from which they follow.
#[derive(Debug, Default)]
pub struct Lines {
    list: Vec<Line>,
    folded_groups: HashSet<u32>,
    folded_lanes: HashSet<LaneId>,
    hidden: HashSet<Track>,
    pinned: BTreeSet<Track>,
    /// The groups of the devices that have a line of idle time.
    idle: BTreeSet<u32>,
    /// The device whose idle time is pinned as one of its gaps is looked at, not by the user.
    looked_at: Option<u32>,
}

impl Lines {
    /// The lines of a newly opened trace: Python stacks and lanes of more than 24 rows are folded, nothing is hidden or pinned.
    pub fn new(session: &Session) -> Self {
        let trace = &session.trace;
        let lanes = 0..trace.lanes.len() as LaneId;
        let folded_lanes = lanes.filter(|&lane| starts_folded(trace, lane)).collect();
        let mut lines = Self { folded_lanes, idle: idle(session), ..Self::default() };
        lines.rebuild(trace);
        lines
    }

    /// The lines of a session with the folds, pins and hidden lanes of `old`, which `numbers` maps to its trace. Lanes that `old`
    /// lacks, or had with one row at most, start as in a newly opened trace.
    pub(super) fn renumbered(old: &Self, session: &Session, numbers: &Renumbering) -> Self {
        let trace = &session.trace;
        let track = |track: &Track| match *track {
            Track::Idle(group) => numbers.group(group).map(Track::Idle),
            Track::Lane(lane) => numbers.lane(lane).map(Track::Lane),
        };
        let lanes = |set: &HashSet<LaneId>| set.iter().filter_map(|&lane| numbers.lane(lane)).collect();
        let is_new = |lane: &LaneId| !numbers.is_settled(*lane);
        let mut folded_lanes: HashSet<LaneId> = lanes(&old.folded_lanes);
        let fresh = (0..trace.lanes.len() as LaneId).filter(is_new);
        folded_lanes.extend(fresh.filter(|&lane| starts_folded(trace, lane)));
        let mut lines = Self {
            list: Vec::new(),
            folded_groups: old.folded_groups.iter().filter_map(|&group| numbers.group(group)).collect(),
            folded_lanes,
            hidden: old.hidden.iter().filter_map(track).collect(),
            pinned: old.pinned.iter().filter_map(track).collect(),
            idle: idle(session),
            looked_at: old.looked_at.and_then(|group| numbers.group(group)),
        };
        lines.rebuild(trace);
        lines
    }

    /// All lines, top to bottom.
    pub fn list(&self) -> &[Line] {
        &self.list
    }

    /// The line at index `i`; none beyond the last.
    pub fn get(&self, i: usize) -> Option<&Line> {
        self.list.get(i)
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when there are no lines.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True when the line's group (for a heading) or lane is folded.
    pub fn is_folded(&self, line: &Line) -> bool {
        match line.kind {
            LineKind::Group(group) => self.folded_groups.contains(&group),
            _ => line.lane().is_some_and(|lane| self.folded_lanes.contains(&lane)),
        }
    }

    /// True when the line can be folded or unfolded: a group's heading, or a row of a lane with several rows.
    pub fn can_fold(trace: &Trace, line: &Line) -> bool {
        match line.kind {
            LineKind::Group(_) => true,
            LineKind::Row(lane, _) => trace.lanes[lane as usize].rows.len() > 1,
            _ => false,
        }
    }

    /// How many lanes are hidden, those of idle time among them.
    pub fn hidden(&self) -> usize {
        self.hidden.len()
    }

    /// Folds or unfolds the line's group or lane.
    pub fn toggle_fold(&mut self, trace: &Trace, line: &Line) {
        match line.kind {
            LineKind::Group(group) => toggle(&mut self.folded_groups, group),
            LineKind::Row(lane, _) => toggle(&mut self.folded_lanes, lane),
            _ => return,
        }
        self.rebuild(trace);
    }

    /// Pins a lane on top, or unpins it.
    pub fn toggle_pin(&mut self, trace: &Trace, track: Track) {
        if !self.pinned.remove(&track) {
            self.pinned.insert(track);
        }
        self.looked_at = self.looked_at.filter(|&group| track != Track::Idle(group));
        self.rebuild(trace);
    }

    /// Hides a lane, and unpins it.
    pub fn hide(&mut self, trace: &Trace, track: Track) {
        self.hidden.insert(track);
        self.pinned.remove(&track);
        self.rebuild(trace);
    }

    /// Pins the idle time of a device while its gaps are looked at; that of the device looked at before is unpinned.
    pub(super) fn look_at(&mut self, trace: &Trace, group: u32) {
        if let Some(before) = self.looked_at.take_if(|before| *before != group) {
            self.pinned.remove(&Track::Idle(before));
        }
        self.hidden.remove(&Track::Idle(group));
        if self.idle.contains(&group) && self.pinned.insert(Track::Idle(group)) {
            self.looked_at = Some(group);
        }
        self.rebuild(trace);
    }

    /// Unpins the idle time that was pinned while the gaps of its device were looked at.
    pub(super) fn look_away(&mut self, trace: &Trace) {
        if let Some(group) = self.looked_at.take() {
            self.pinned.remove(&Track::Idle(group));
            self.rebuild(trace);
        }
    }

    /// Makes the idle time of a device visible; returns the index of its line, none if the device has none.
    pub fn reveal_idle(&mut self, trace: &Trace, group: u32) -> Option<usize> {
        let is_pinned = self.pinned.contains(&Track::Idle(group));
        if self.hidden.remove(&Track::Idle(group)) | (!is_pinned && self.folded_groups.remove(&group)) {
            self.rebuild(trace);
        }
        self.find(LineKind::Idle(group))
    }

    /// Shows all hidden lanes again.
    pub fn show_all(&mut self, trace: &Trace) {
        self.hidden.clear();
        self.rebuild(trace);
    }

    /// Makes `row` visible by showing and unfolding its lane and group; returns the index of its line.
    pub fn reveal(&mut self, trace: &Trace, row: RowId) -> Option<usize> {
        let lane = trace.rows[row as usize].lane;
        let group = trace.lanes[lane as usize].group;
        let is_first = trace.lanes[lane as usize].rows.start == row;
        let mut changed = self.hidden.remove(&Track::Lane(lane)) | self.folded_groups.remove(&group);
        if !is_first {
            changed |= self.folded_lanes.remove(&lane);
        }
        if changed {
            self.rebuild(trace);
        }
        self.find(LineKind::Row(lane, row))
    }

    /// The index of the line with this content; none if no such line is shown.
    pub fn find(&self, kind: LineKind) -> Option<usize> {
        self.list.iter().position(|line| line.kind == kind)
    }

    fn rebuild(&mut self, trace: &Trace) {
        let mut list = Vec::new();
        for &track in &self.pinned {
            match track {
                Track::Idle(group) => {
                    list.push(Line { kind: LineKind::Idle(group), is_head: true, is_pinned: true });
                }
                Track::Lane(lane) => self.push_lane(trace, lane, true, &mut list),
            }
        }
        for (number, group) in (0..).zip(&trace.groups) {
            let is_free = |track: Track| !self.hidden.contains(&track) && !self.pinned.contains(&track);
            let shown = |&lane: &LaneId| !trace.lanes[lane as usize].is_empty() && is_free(Track::Lane(lane));
            let lanes: Vec<LaneId> = group.lanes.clone().filter(shown).collect();
            let has_idle = self.idle.contains(&number) && is_free(Track::Idle(number));
            if lanes.is_empty() && !has_idle {
                continue;
            }
            list.push(Line { kind: LineKind::Group(number), is_head: true, is_pinned: false });
            if self.folded_groups.contains(&number) {
                continue;
            }
            if has_idle {
                list.push(Line { kind: LineKind::Idle(number), is_head: true, is_pinned: false });
            }
            for lane in lanes {
                self.push_lane(trace, lane, false, &mut list);
            }
        }
        self.list = list;
    }

    fn push_lane(&self, trace: &Trace, number: LaneId, is_pinned: bool, list: &mut Vec<Line>) {
        let lane = &trace.lanes[number as usize];
        if let Some(counter) = lane.counter {
            list.push(Line { kind: LineKind::Counter(number, counter), is_head: true, is_pinned });
            return;
        }
        if lane.slices.is_empty() {
            list.push(Line { kind: LineKind::Marks(number), is_head: true, is_pinned });
            return;
        }
        let is_folded = self.folded_lanes.contains(&number);
        let rows = lane.rows.clone().take(if is_folded { 1 } else { usize::MAX });
        list.extend(rows.map(|row| Line {
            kind: LineKind::Row(number, row),
            is_head: row == lane.rows.start,
            is_pinned,
        }));
    }

    /// The index of the line that has the focus when a trace is opened: the first row with steps, else the first row of slices,
    /// else 0.
    pub fn first_focus(&self, trace: &Trace) -> usize {
        let rows: HashSet<RowId> = trace.steps.iter().map(|step| trace.row_of(step.slice)).collect();
        let of_step = self.list.iter().position(|line| line.row().is_some_and(|row| rows.contains(&row)));
        let of_row = || self.list.iter().position(|line| line.row().is_some());
        of_step.or_else(of_row).unwrap_or_default()
    }

    /// The number of pinned lines, which come first in the list.
    pub fn pinned_len(&self) -> usize {
        self.list.iter().take_while(|line| line.is_pinned).count()
    }
}

/// The groups of the devices that were idle between their work.
fn idle(session: &Session) -> BTreeSet<u32> {
    let devices = session.ledger.devices.iter().filter(|device| !device.idle.is_empty());
    devices.map(|device| device.group).collect()
}

/// True for a lane that is folded in a newly opened trace: a Python stack of several rows, or a lane of more than 24 rows.
fn starts_folded(trace: &Trace, lane: LaneId) -> bool {
    let lane = &trace.lanes[lane as usize];
    let is_stack = lane.kind == LaneKind::Python
        && lane.slices.clone().take(64).any(|id| trace.slices.category(id) == Category::PythonFunction);
    lane.rows.len() > 1 && is_stack || lane.rows.len() > DEEP
}

fn toggle<T: std::hash::Hash + Eq + Copy>(set: &mut HashSet<T>, value: T) {
    if !set.remove(&value) {
        set.insert(value);
    }
}
