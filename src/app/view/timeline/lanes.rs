//! Changing the lines: folding, merging, pinning, hiding, filtering, ordering, and the lines of another
//! session. The focus stays on what its line shows, as long as that is shown.
//!
//! Must not know the time shown, but for the order by it.

use std::collections::HashSet;
use std::sync::Arc;

use proftui_base::time::Span;
use proftui_trace::model::{GroupId, LaneId, RowId, Trace};

use super::Timeline;
use crate::app::session::Session;
use crate::app::session::renumber::Renumbering;
use crate::app::view::in_view::InView;
use crate::app::view::lines::{KeptLines, LineKind, Lines, Track};
use crate::app::view::{busy, labels};

impl Timeline {
    /// Changes the lines by `change`, and keeps the focus on what its line showed; false if no line shows
    /// this any more.
    fn change(&mut self, change: impl FnOnce(&mut Lines)) -> bool {
        let focused = self.focused().map(|line| line.kind);
        change(&mut self.lines);
        let again = focused.and_then(|kind| self.lines.find(kind));
        self.focus_on(again.unwrap_or(self.focus));
        again.is_some()
    }

    /// Folds, merges, pins and hides lines as `kept` says, whose numbers must be those of this trace.
    pub(crate) fn restore_lines(&mut self, session: &Session, kept: &KeptLines) {
        self.change(|lines| lines.restore(&session.trace, kept));
    }

    /// Folds or unfolds what the focused line stands for: a heading, a lane or merged streams. False if the
    /// line cannot be folded.
    pub(crate) fn toggle_fold(&mut self, trace: &Trace) -> bool {
        let Some(&line) = self.focused() else { return true };
        if !Lines::can_fold(trace, &line) {
            return false;
        }
        let is_shown = self.change(|lines| lines.toggle_fold(trace, &line));
        if let Some(lane) = line.lane().filter(|_| !is_shown) {
            let first = self.lines.list().iter().position(|other| other.lane() == Some(lane));
            self.focus_on(first.unwrap_or(self.focus));
        }
        true
    }

    /// Merges streams of a device into one line, or gives each a line again. False if there are too few to
    /// merge.
    pub(crate) fn toggle_merged(&mut self, trace: &Trace, group: GroupId) -> bool {
        let mut has_several = false;
        if !self.change(|lines| has_several = lines.toggle_merged(trace, group)) {
            let heading = self.lines.find(LineKind::Group(group));
            let joined = self.lines.find(LineKind::Merged(group));
            self.focus_on(joined.or(heading).unwrap_or(self.focus));
        }
        has_several
    }

    /// Pins a lane or the idle time of a device on top, or unpins it. False if the line with the focus is not
    /// shown any more.
    pub(crate) fn toggle_pin(&mut self, trace: &Trace, track: Track) -> bool {
        self.change(|lines| lines.toggle_pin(trace, track))
    }

    /// Hides a lane or the idle time of a device, and unpins it. False if the line with the focus is not
    /// shown any more.
    pub(crate) fn hide(&mut self, trace: &Trace, track: Track) -> bool {
        self.change(|lines| lines.hide(trace, track))
    }

    /// Makes `row` visible and moves the focus to its line; false if the row cannot be shown.
    pub fn reveal(&mut self, trace: &Trace, row: RowId) -> bool {
        let mut line = None;
        self.change(|lines| line = lines.reveal(trace, row));
        self.focus_on(line.unwrap_or(self.focus));
        line.is_some()
    }

    /// Makes the idle time of a device visible, and moves the focus to its line, if there is one.
    pub(crate) fn reveal_idle(&mut self, trace: &Trace, group: GroupId) {
        let mut line = None;
        self.change(|lines| line = lines.reveal_idle(trace, group));
        self.focus_on(line.unwrap_or(self.focus));
    }

    /// Pins the idle time of a device, if it is not pinned, until [`Self::look_away`] or a call for another
    /// device, and scrolls to the lane of `row`, if there is one. The focus usually stays on its line.
    pub(crate) fn look_at(&mut self, trace: &Trace, group: GroupId, row: Option<RowId>) {
        self.change(|lines| {
            lines.look_at(trace, group);
            row.map(|row| lines.reveal(trace, row));
        });
        if let Some(row) = row {
            self.scroll_to_lane(trace, row);
        }
    }

    /// Unpins the idle time that [`Self::look_at`] pinned, if any.
    pub(crate) fn look_away(&mut self, trace: &Trace) {
        self.change(|lines| lines.look_away(trace));
    }

    /// The text by which lanes are filtered; empty without a filter.
    pub(crate) fn filter(&self) -> &str {
        &self.filter
    }

    /// Filters lanes and lines of idle time by the words of `text`; an empty text ends the filter.
    pub(crate) fn filter_by(&mut self, trace: &Trace, text: &str) {
        self.filter_after(trace, text, |_| ());
    }

    /// Does `change`, then filters lanes and lines of idle time by `text`. The focus moves if its line is
    /// gone.
    fn filter_after(&mut self, trace: &Trace, text: &str, change: impl FnOnce(&mut Lines)) {
        text.trim().clone_into(&mut self.filter);
        let only = (!self.filter.is_empty()).then(|| self.matching(trace));
        let is_shown = self.change(|lines| {
            change(lines);
            lines.show_only(trace, only);
        });
        if !is_shown {
            self.focus_on(self.lines.first_focus(trace));
        }
    }

    /// The lanes and lines of idle time that match the filter, hidden ones among them; all without a filter.
    fn matching(&self, trace: &Trace) -> HashSet<Track> {
        let mut words: Vec<(bool, String)> = Vec::new();
        let mut is_wanted = true;
        for word in self.filter.to_lowercase().split_whitespace() {
            if word == "not" {
                is_wanted = false;
            } else {
                words.push((std::mem::replace(&mut is_wanted, true), word.to_owned()));
            }
        }
        let meets = |title: &str| {
            let title = title.to_lowercase();
            words.iter().all(|(is_wanted, word)| title.contains(word.as_str()) == *is_wanted)
        };
        let of_group = |group: GroupId| trace.group_title(&trace.groups[group]);
        let is_met = |&id: &LaneId| {
            let lane = &trace.lanes[id];
            let (name, layer) = labels::lane(trace, lane);
            let role = self.lines.roles().get(id).unwrap_or_default();
            meets(&format!("{} {name} {layer} {role}", of_group(lane.group)))
        };
        let lanes = trace.lanes.ids().iter().filter(is_met).map(Track::Lane);
        let idle = self.lines.idle_groups().filter(|&group| meets(&format!("{} idle", of_group(group))));
        lanes.chain(idle.map(Track::Idle)).collect()
    }

    /// How many lanes and lines of idle time match the filter, hidden ones among them; all without a filter.
    pub(crate) fn count_matching(&self, trace: &Trace) -> usize {
        self.matching(trace).len()
    }

    /// Pins (`is_pinned` is true) all lanes and lines of idle time that match the filter, or hides those not
    /// pinned, and ends the filter. Returns how many match.
    pub(crate) fn pin_or_hide_matching(&mut self, trace: &Trace, is_pinned: bool) -> usize {
        let lanes = self.matching(trace);
        let count = lanes.len();
        self.filter_after(trace, "", |lines| lines.set_all(trace, lanes.into_iter(), is_pinned));
        count
    }

    /// Shows all hidden lanes and lines of idle time again, and ends the filter.
    pub(crate) fn show_all(&mut self, trace: &Trace) {
        self.filter_after(trace, "", |lines| lines.show_all(trace));
    }

    /// Switches the order of the lanes between that of a newly opened trace and busy time in the viewport;
    /// true for busy time.
    pub(crate) fn toggle_order(&mut self, session: &Session) -> bool {
        let trace = &session.trace;
        let is_first = Arc::ptr_eq(self.lines.order(), &session.order);
        let order = if is_first {
            let (view, all) = (self.viewport, trace.span);
            let seen = Span { start: view.start.max(all.start), end: view.end.min(all.end) };
            let busy = |lane: LaneId| {
                let row = busy::row_of(&trace.lanes[lane])?;
                Some(session.index.sum(trace, row, seen).busy)
            };
            Arc::new(session.order.by(trace, busy))
        } else {
            Arc::clone(&session.order)
        };
        self.change(|lines| lines.reorder(trace, order));
        is_first
    }

    /// Shows another session of the same files, in which `numbers` finds the lanes of the `old` trace. The
    /// focus usually stays on its line.
    pub(crate) fn renumber(
        &mut self,
        old: &Trace,
        session: &Session,
        numbers: &Renumbering,
        has_selection: bool,
    ) {
        let new = &session.trace;
        let is_first = self.focus == self.lines.first_focus(old);
        let focused = self.focused().map(|line| line.kind).filter(|_| !is_first || has_selection);
        self.lines = Lines::renumbered(&self.lines, session, numbers);
        let line = focused.and_then(|kind| self.lines.find(kind.renumbered(numbers, old, new)?));
        self.focus_on(line.unwrap_or_else(|| self.lines.first_focus(new)));
        self.in_view = InView::default();
        self.history.forget_numbers();
        self.grow(old, new);
    }
}
