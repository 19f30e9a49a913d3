//! The lines of the timeline: the tree of groups, lanes and rows as a list, with what is folded, merged,
//! pinned and hidden.
//!
//! `build` makes the list and decides how a newly opened trace is shown. Must not know how a line is drawn.

mod build;
mod kept;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use proftui_trace::model::{GroupId, LaneId, LaneKind, RowId, Trace};

pub use super::line::{Line, LineKind, Track};
use crate::app::session::Session;
use crate::app::session::order::{self, Order};
use crate::app::session::renumber::Renumbering;
use crate::app::session::roles::Roles;

use build::{Built, Choices};
pub use kept::KeptLines;

/// The lines of the timeline, and the choices from which they follow.
#[derive(Debug, Default)]
pub struct Lines {
    choices: Choices,
    built: Built,
    /// The device whose idle time [`Self::look_away`] is to unpin; none if there is none.
    looked_at: Option<GroupId>,
}

impl Lines {
    /// The lines of a newly opened trace, on a screen of `screen` lines: some groups and lanes may start
    /// folded, some streams merged.
    pub fn new(session: &Session, screen: u16) -> Self {
        let trace = &session.trace;
        let choices = Choices::of_new(session, idle(session), screen);
        Self { built: choices.build(trace), choices, looked_at: None }
    }

    /// The lines of a session, unfiltered, with the folds, merged streams, pins and hidden lanes of `old`, as
    /// far as `numbers` finds them again.
    pub(crate) fn renumbered(old: &Self, session: &Session, numbers: &Renumbering) -> Self {
        let trace = &session.trace;
        let track = |track: &Track| match *track {
            Track::Idle(group) => numbers.group(group).map(Track::Idle),
            Track::Lane(lane) => numbers.lane(lane).map(Track::Lane),
        };
        let (looked_at, old) = (old.looked_at, &old.choices);
        let is_new = |lane: &LaneId| !numbers.is_settled(*lane);
        let fresh = trace.lanes.ids().iter().filter(is_new);
        let fresh = fresh.filter(|&lane| build::starts_folded(trace, lane));
        let again = old.folded_lanes.iter().filter_map(|&lane| numbers.lane(lane));
        let apart = old.apart.iter().filter_map(|(&group, &apart)| Some((numbers.group(group)?, apart)));
        let choices = Choices {
            folded_groups: old.folded_groups.iter().filter_map(|&group| numbers.group(group)).collect(),
            folded_lanes: again.chain(fresh).collect(),
            hidden: old.hidden.iter().filter_map(track).collect(),
            pinned: old.pinned.iter().filter_map(track).collect(),
            only: None,
            idle: idle(session),
            apart: apart.collect(),
            less: old.less.iter().filter_map(|&group| numbers.group(group)).collect(),
            order: Arc::clone(&session.order),
            roles: Arc::clone(&session.roles),
            has_others: old.has_others,
        };
        let looked_at = looked_at.and_then(|group| numbers.group(group));
        Self { built: choices.build(trace), choices, looked_at }
    }

    /// What is folded, merged, pinned and hidden, to be written down, without idle time that only
    /// [`Self::look_at`] pinned.
    pub(crate) fn kept(&self) -> KeptLines {
        self.choices.kept(self.looked_at.map(Track::Idle))
    }

    /// Folds, merges, pins and hides as `kept` says, whose numbers must be those of this trace.
    pub(crate) fn restore(&mut self, trace: &Trace, kept: &KeptLines) {
        self.choices.restore(kept);
        self.built = self.choices.build(trace);
    }

    /// All lines, top to bottom.
    pub fn list(&self) -> &[Line] {
        &self.built.list
    }

    /// The line at index `i`; none beyond the last.
    pub fn get(&self, i: usize) -> Option<&Line> {
        self.built.list.get(i)
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.built.list.len()
    }

    /// True when there are no lines.
    pub fn is_empty(&self) -> bool {
        self.built.list.is_empty()
    }

    /// True when no stream of a device has a line of its own, as when all are merged.
    pub fn merges_all(&self, trace: &Trace, group: GroupId) -> bool {
        let has_own = |line: &Line| {
            line.lane().is_some_and(|lane| {
                let lane = &trace.lanes[lane];
                lane.group == group && lane.kind == LaneKind::Stream
            })
        };
        !self.built.list.iter().any(has_own)
    }

    /// One column more than the longest label usually takes uncut; headings of groups do not count.
    pub fn label_width(&self) -> usize {
        self.built.label_width
    }

    /// The rows of slices that a line shows: one, or those of merged streams; empty for a line without
    /// slices.
    pub fn rows_of<'a>(&'a self, line: &'a Line) -> &'a [RowId] {
        match &line.kind {
            LineKind::Row(_, row) => std::slice::from_ref(row),
            LineKind::Merged(group) => self.built.merged.get(group).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    /// Shows only lanes and lines of idle time that are in `only` or pinned; none ends this filter.
    pub(crate) fn show_only(&mut self, trace: &Trace, only: Option<HashSet<Track>>) {
        self.choices.only = only;
        self.built = self.choices.build(trace);
    }

    /// Pins these lanes and lines of idle time if `is_pinned`, or else hides them; hiding does not unpin.
    pub(crate) fn set_all(&mut self, trace: &Trace, tracks: impl Iterator<Item = Track>, is_pinned: bool) {
        if is_pinned {
            self.choices.pinned.extend(tracks);
        } else {
            self.choices.hidden.extend(tracks);
        }
        self.built = self.choices.build(trace);
    }

    /// Shows groups and lanes in this order.
    pub(crate) fn reorder(&mut self, trace: &Trace, order: Arc<Order>) {
        self.choices.order = order;
        self.built = self.choices.build(trace);
    }

    /// The groups of the devices that have a line of idle time, whether or not it is shown.
    pub(crate) fn idle_groups(&self) -> impl Iterator<Item = GroupId> {
        self.choices.idle.iter().copied()
    }

    /// The order in which groups and lanes are shown.
    pub(crate) fn order(&self) -> &Arc<Order> {
        &self.choices.order
    }

    /// How many lanes of ranges and counters a device has below a heading of their own; 0 without such a
    /// heading.
    pub fn more(&self, group: GroupId) -> usize {
        self.built.more.get(&group).copied().unwrap_or_default()
    }

    /// How many groups the profiler recorded of itself.
    pub fn others(&self) -> usize {
        self.built.others
    }

    /// What lanes are for.
    pub fn roles(&self) -> &Roles {
        &self.choices.roles
    }

    /// True if the group, lane or other content of the line is folded; always true for merged streams.
    pub fn is_folded(&self, line: &Line) -> bool {
        match line.kind {
            LineKind::Group(group) => self.choices.folded_groups.contains(&group),
            LineKind::Merged(_) => true,
            LineKind::More(group) => self.choices.less.contains(&group),
            LineKind::Others => !self.choices.has_others,
            _ => line.lane().is_some_and(|lane| self.choices.folded_lanes.contains(&lane)),
        }
    }

    /// True when the line can be folded or unfolded: a heading, merged streams, or a row of a lane with
    /// several rows.
    pub fn can_fold(trace: &Trace, line: &Line) -> bool {
        match line.kind {
            LineKind::Group(_) | LineKind::Merged(_) | LineKind::More(_) | LineKind::Others => true,
            LineKind::Row(lane, _) => trace.lanes[lane].rows.len() > 1,
            _ => false,
        }
    }

    /// How many lanes and lines of idle time the user has hidden; what only a filter leaves out does not
    /// count.
    pub fn hidden(&self) -> usize {
        self.choices.hidden.len()
    }

    /// Folds or unfolds the line's group or lanes; merged streams get lines of their own.
    pub fn toggle_fold(&mut self, trace: &Trace, line: &Line) {
        match line.kind {
            LineKind::Group(group) => toggle(&mut self.choices.folded_groups, group),
            LineKind::Merged(group) => drop(self.choices.apart.remove(&group)),
            LineKind::More(group) => toggle(&mut self.choices.less, group),
            LineKind::Others => self.choices.has_others = !self.choices.has_others,
            LineKind::Row(lane, _) => toggle(&mut self.choices.folded_lanes, lane),
            _ => return,
        }
        self.built = self.choices.build(trace);
    }

    /// Merges a device's streams into one line or, if some are merged, gives each a line of its own. False if
    /// there are too few streams to merge.
    pub fn toggle_merged(&mut self, trace: &Trace, group: GroupId) -> bool {
        if self.choices.apart.remove(&group).is_none() {
            self.choices.apart.insert(group, 0);
        }
        self.built = self.choices.build(trace);
        self.built.merged.contains_key(&group) || self.choices.apart.remove(&group).is_none()
    }

    /// Pins a lane or the idle time of a device on top, or unpins it.
    pub fn toggle_pin(&mut self, trace: &Trace, track: Track) {
        if !self.choices.pinned.remove(&track) {
            self.choices.pinned.insert(track);
        }
        self.looked_at = self.looked_at.filter(|&group| track != Track::Idle(group));
        self.built = self.choices.build(trace);
    }

    /// Hides a lane or the idle time of a device, and unpins it.
    pub fn hide(&mut self, trace: &Trace, track: Track) {
        self.choices.hidden.insert(track);
        self.choices.pinned.remove(&track);
        self.built = self.choices.build(trace);
    }

    /// Unhides a device's idle time and, unless the user pinned it, pins it until [`Self::look_away`] or a
    /// call for another device.
    pub(crate) fn look_at(&mut self, trace: &Trace, group: GroupId) {
        if let Some(before) = self.looked_at.take_if(|before| *before != group) {
            self.choices.pinned.remove(&Track::Idle(before));
        }
        self.choices.hidden.remove(&Track::Idle(group));
        if self.choices.idle.contains(&group) && self.choices.pinned.insert(Track::Idle(group)) {
            self.looked_at = Some(group);
        }
        self.built = self.choices.build(trace);
    }

    /// Unpins the idle time that [`Self::look_at`] pinned, if any.
    pub(crate) fn look_away(&mut self, trace: &Trace) {
        if let Some(group) = self.looked_at.take() {
            self.choices.pinned.remove(&Track::Idle(group));
            self.built = self.choices.build(trace);
        }
    }

    /// Makes the line of a device's idle time visible and returns its index; none if no such line can be
    /// shown.
    pub fn reveal_idle(&mut self, trace: &Trace, group: GroupId) -> Option<usize> {
        let is_pinned = self.choices.pinned.contains(&Track::Idle(group));
        if self.choices.hidden.remove(&Track::Idle(group))
            | (!is_pinned && self.choices.folded_groups.remove(&group))
        {
            self.built = self.choices.build(trace);
        }
        self.find(LineKind::Idle(group))
    }

    /// Unhides all lanes and lines of idle time.
    pub fn show_all(&mut self, trace: &Trace) {
        self.choices.hidden.clear();
        self.built = self.choices.build(trace);
    }

    /// Makes `row` visible by unhiding and unfolding as needed, and returns the index of its line. None if no
    /// line can show the row.
    pub fn reveal(&mut self, trace: &Trace, row: RowId) -> Option<usize> {
        let lane = trace.rows[row].lane;
        let group = trace.lanes[lane].group;
        let is_first = trace.lanes[lane].rows.start == row;
        let mut changed =
            self.choices.hidden.remove(&Track::Lane(lane)) | self.choices.folded_groups.remove(&group);
        if order::is_profilers(trace, group) {
            changed |= !std::mem::replace(&mut self.choices.has_others, true);
        }
        if build::is_more(trace, lane) {
            changed |= self.choices.less.remove(&group);
        }
        if !is_first {
            changed |= self.choices.folded_lanes.remove(&lane);
        }
        if changed {
            self.built = self.choices.build(trace);
        }
        let is_merged = self.built.merged.get(&group).is_some_and(|rows| rows.contains(&row));
        self.find(if is_merged { LineKind::Merged(group) } else { LineKind::Row(lane, row) })
    }

    /// The index of the line with this content; none if no such line is shown.
    pub fn find(&self, kind: LineKind) -> Option<usize> {
        self.built.list.iter().position(|line| line.kind == kind)
    }

    /// The index of the first line of a lane; none if the lane has no line of its own.
    pub(crate) fn head_of(&self, lane: LaneId) -> Option<usize> {
        self.built.list.iter().position(|line| line.lane() == Some(lane) && line.is_head)
    }

    /// The index of the line that has the focus when a trace is opened: preferably the first stream of a
    /// device, else a row with steps.
    pub fn first_focus(&self, trace: &Trace) -> usize {
        let rows: HashSet<RowId> = trace.steps.iter().map(|step| trace.row_of(step.slice)).collect();
        let position = |is_it: &dyn Fn(RowId) -> bool| {
            self.built.list.iter().position(|line| line.row().is_some_and(is_it))
        };
        let is_stream = |row: RowId| trace.lanes[trace.rows[row].lane].kind == LaneKind::Stream;
        let of_stream = position(&is_stream);
        let of_step = || position(&|row| rows.contains(&row));
        of_stream.or_else(of_step).or_else(|| position(&|_| true)).unwrap_or_default()
    }

    /// The number of pinned lines, which come first in the list.
    pub fn pinned_len(&self) -> usize {
        self.built.list.iter().take_while(|line| line.is_pinned).count()
    }
}

/// The groups of the devices with gaps between their work.
fn idle(session: &Session) -> BTreeSet<GroupId> {
    let devices = session.ledger.devices.iter().filter(|device| !device.idle.is_empty());
    devices.map(|device| device.group).collect()
}

fn toggle<T: std::hash::Hash + Eq + Copy>(set: &mut HashSet<T>, value: T) {
    if !set.remove(&value) {
        set.insert(value);
    }
}
