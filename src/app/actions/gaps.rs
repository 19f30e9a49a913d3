//! Going through the times in which a device was idle, looking at one with what ended it, and going to a
//! location of the trace.
//!
//! Must not know which key does what, nor why a device was idle.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::ledger::DeviceLedger;
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::model::LaneId;

use super::select::Direction;
use crate::app::session::{Selection, Session};
use crate::app::state::{Pane, Region, State};
use crate::app::view::lines::{Line, LineKind};
use crate::app::view::viewport;

/// The viewport around a gap that is looked at: a third of its length on both sides.
fn around(gap: Span, bounds: Span) -> Span {
    let room = gap.len() / 3;
    let wide = Span { start: gap.start.saturating_sub(room), end: gap.end.saturating_add(room) };
    viewport::fit(wide, bounds)
}

impl State {
    /// The shortest gap that is gone to: two columns, and 1 µs, ns.
    fn shortest_gap(&self) -> Ns {
        (self.ns_per_column() * 2).max(1_000)
    }

    /// The device of the focused line: of a thread the first of its process; without gaps there, the first
    /// device that has some.
    fn device_with_gaps<'a>(&self, session: &'a Session) -> Option<&'a DeviceLedger> {
        let (trace, ledger) = (&session.trace, &session.ledger);
        let own = self.lines.get(self.focus).and_then(|line| match line.kind {
            LineKind::Idle(group) | LineKind::Merged(group) | LineKind::More(group) => session.device(group),
            LineKind::Group(group) => ledger.device_of(trace, trace.groups[group as usize].lanes.start),
            _ => ledger.device_of(trace, line.lane()?),
        });
        let has_gaps = |device: &&DeviceLedger| !device.idle.is_empty();
        own.filter(has_gaps).or_else(|| ledger.devices.iter().find(has_gaps))
    }

    /// Selects the next or previous gap of the focused line's device, skipping gaps narrower than two columns
    /// or shorter than 1 µs; if all are, the longest one. In a trace without such devices, of the focused
    /// row.
    pub fn move_to_gap(&mut self, direction: Direction) {
        let session = Arc::clone(&self.session);
        let Some(device) = self.device_with_gaps(&session) else { return self.move_to_gap_of_row(direction) };
        let min = self.shortest_gap();
        let at = match self.selection {
            Some(Selection::Idle(of, gap)) if of == device.group => gap,
            _ => Span { start: self.cursor, end: self.cursor },
        };
        let gap = match direction {
            Direction::Forward => device.idle.next_gap(at.end, min),
            Direction::Back => device.idle.prev_gap(at.start, min),
        };
        let longest = device.idle.longest_gap().filter(|longest| longest.len() < min && *longest != at);
        if let Some(gap) = longest {
            self.go_to_gap(device.group, gap);
            let min = fmt::duration(min);
            return self.say(format!("no gap of at least {min} on the device: this is the longest"));
        }
        let Some(gap) = gap else {
            let min = fmt::duration(min);
            return self.say(format!(
                "no {} gap of at least {min} on the device; zoom in to find shorter gaps",
                if direction == Direction::Forward { "later" } else { "earlier" }
            ));
        };
        self.go_to_gap(device.group, gap);
    }

    fn go_to_gap(&mut self, group: u32, gap: Span) {
        self.bring_into_view(gap);
        self.select_gap(group, gap);
        self.region = Region::Timeline;
    }

    /// Selects a gap of a device, on its line, and shows its details instead of the verdict.
    fn select_gap(&mut self, group: u32, gap: Span) {
        let session = Arc::clone(&self.session);
        if let Some(line) = self.lines.reveal_idle(&session.trace, group) {
            self.focus = line;
        }
        self.cursor = gap.start;
        self.keep_cursor();
        self.select(Some(Selection::Idle(group, gap)));
        if Some(self.pane) == Pane::verdict() {
            self.pane = Pane::Details;
        }
        self.scroll_to_focus();
    }

    /// Fits the viewport to the selected gap of a device, with room around it, and brings the device's idle
    /// time and the thread that ended the gap onto the screen. False if another thing is selected, or the
    /// viewport is there already.
    pub fn look_at_gap(&mut self) -> bool {
        let Some(Selection::Idle(group, gap)) = self.selection else { return false };
        if self.viewport == around(gap, self.session.trace.span) {
            return false;
        }
        self.show_gap(group, gap, gap);
        true
    }

    /// Selects a gap of a device, fits the viewport to `span`, which is in it, pins the device's idle time,
    /// and scrolls to the thread that launched the work that ended it; without that to the work.
    fn show_gap(&mut self, group: u32, gap: Span, span: Span) {
        let session = Arc::clone(&self.session);
        let trace = &session.trace;
        self.viewport = around(span, trace.span);
        self.lines.look_at(trace, group);
        let sides = session.device(group).and_then(|device| device.sides(trace, gap));
        if let Some(sides) = sides {
            let row = trace.row_of(sides.launch.unwrap_or(sides.after));
            self.lines.reveal(trace, row);
            let lane = trace.rows[row as usize].lane;
            self.scroll = self.head_of(lane).unwrap_or(self.scroll);
        }
        self.select_gap(group, gap);
        self.cursor = span.start;
        self.keep_cursor();
    }

    /// Unpins the idle time of the device whose gap was looked at; the focus stays on its line.
    pub fn leave_gap(&mut self) {
        let focused = self.lines.get(self.focus).map(|line| line.kind);
        self.lines.look_away(&self.session.trace);
        self.focus = focused.and_then(|kind| self.lines.find(kind)).unwrap_or(self.focus);
        self.scroll_to_focus();
    }

    /// The index of the first line of a lane.
    fn head_of(&self, lane: LaneId) -> Option<usize> {
        self.lines.list().iter().position(|line| line.lane() == Some(lane) && line.is_head)
    }

    /// Goes to a location: selects the gap of the device that holds it, or the lane's event there, and fits
    /// the viewport. An instant is only brought to the middle of the screen.
    pub fn go_to_location(&mut self, location: Location) {
        let session = Arc::clone(&self.session);
        let trace = &session.trace;
        let Location { span, at } = location;
        if let Some(Subject::Device(group)) = at {
            let gap = session.device(group).and_then(|device| device.idle.gap_at(span.start));
            if let Some(gap) = gap.filter(|gap| gap.contains(span.start) || gap.overlaps(span)) {
                let shown = if span.is_empty() { gap } else { span };
                return self.show_gap(group, gap, shown);
            }
        }
        self.viewport = if span.is_empty() {
            viewport::center(self.viewport, span.start, trace.span)
        } else {
            viewport::fit(span, trace.span)
        };
        self.cursor = span.start;
        self.keep_cursor();
        let line = match at {
            Some(Subject::Device(group)) => self.lines.reveal_idle(trace, group),
            Some(Subject::Lane(lane)) => {
                let rows = trace.lanes[lane as usize].rows.clone();
                rows.clone()
                    .next()
                    .and_then(|row| self.lines.reveal(trace, row))
                    .or_else(|| self.head_of(lane))
            }
            None => None,
        };
        self.focus = line.unwrap_or(self.focus);
        self.select_under_cursor();
        self.scroll_to_focus();
    }

    /// Goes to the location with which the explorer was opened, if there is one.
    pub(crate) fn go_to_opening_location(&mut self) {
        let Some(text) = self.opening_location.take() else { return };
        match Location::parse(&text, &self.session.trace) {
            Ok(location) => self.go_to_location(location),
            Err(why) => self.say(why.to_string()),
        }
    }

    /// Selects the next or previous gap of the focused row.
    fn move_to_gap_of_row(&mut self, direction: Direction) {
        let Some(row) = self.lines.get(self.focus).and_then(Line::row) else {
            return self.say("no device in the trace was idle between its work, and this line has no events");
        };
        let min = self.shortest_gap();
        let Session { trace, index, .. } = &*self.session;
        let at = match self.selection {
            Some(Selection::Gap(of, gap)) if of == row => gap,
            _ => Span { start: self.cursor, end: self.cursor },
        };
        let gap = match direction {
            Direction::Forward => index.next_gap(trace, row, at.end, min),
            Direction::Back => index.prev_gap(trace, row, at.start, min),
        };
        let Some(gap) = gap else {
            let min = fmt::duration(min);
            return self.say(format!(
                "no {} gap of at least {min} on this row; zoom in to find shorter gaps",
                if direction == Direction::Forward { "later" } else { "earlier" }
            ));
        };
        self.cursor = gap.start;
        self.bring_into_view(gap);
        self.cursor = gap.start.max(self.viewport.start);
        self.select(Some(Selection::Gap(row, gap)));
    }
}
