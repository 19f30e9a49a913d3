//! Going through the times in which a device was idle, looking at one with what ended it, and going to a
//! location of the trace.
//!
//! Must not know which key does what, nor why a device was idle.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::model::{GroupId, Lane, Row, SliceId, Trace};

use crate::app::pane::panes::Region;
use crate::app::session::{Selection, Session};
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::view::line::Line;
use crate::app::view::viewport;

/// Commands that go from gap to gap usually skip gaps below this length, ns, at every zoom.
const SHORTEST_GAP: Ns = 1_000;

/// The viewport in which a gap, or a time range that overlaps one, is looked at, with room around it as far
/// as the trace goes.
fn around(gap: Span, trace: &Trace) -> Span {
    let (room, bounds) = (gap.len() / 3, trace.main_span);
    let wide = Span {
        start: gap.start.saturating_sub(room).max(bounds.start.min(gap.start)),
        end: gap.end.saturating_add(room).min(bounds.end.max(gap.end)),
    };
    viewport::fit(wide, trace.span)
}

/// The part of a message that advises zooming in to look for gaps below `min` ns; empty if `min` is
/// [`SHORTEST_GAP`].
fn zoom_advice(min: Ns) -> &'static str {
    if min > SHORTEST_GAP { "; zoom in to look for shorter gaps" } else { "" }
}

/// The event that has exactly the time of a location, of several the innermost: of its device or lane or, if
/// it has none, a step. Without one, the innermost event of the lane around that time; none if there is none
/// either.
fn event_of(trace: &Trace, Location { span, at }: Location) -> Option<SliceId> {
    let slices = &trace.slices;
    let in_row = |row: &Row| {
        let starts = &slices.start[row.slices()];
        let first = starts.partition_point(|&start| start < span.start);
        let same = starts[first..].iter().take_while(|&&start| start == span.start).count();
        row.slices().part(first..first + same).into_iter().find(|&id| slices.span(id) == span)
    };
    let in_lane = |lane: &Lane| trace.rows[lane.rows].iter().rev().find_map(in_row);
    let around = |lane: &Lane| {
        let of_row = |row: &Row| {
            let begun = slices.start[row.slices()].partition_point(|&start| start <= span.start);
            let last = begun.checked_sub(1).map(|last| row.slices().at(last))?;
            (!span.is_empty() && slices.span(last).end >= span.end).then_some(last)
        };
        trace.rows[lane.rows].iter().rev().find_map(of_row)
    };
    match at {
        Some(Subject::Device(group)) => trace.lanes[trace.groups[group].lanes].iter().find_map(in_lane),
        Some(Subject::Lane(lane)) => in_lane(&trace.lanes[lane]).or_else(|| around(&trace.lanes[lane])),
        None => trace.steps.iter().find(|step| step.span == span).map(|step| step.slice),
    }
}

impl State {
    /// The length, ns, below which commands that go from gap to gap usually skip a gap: two columns of the
    /// timeline, but at least [`SHORTEST_GAP`].
    fn shortest_gap(&self) -> Ns {
        (self.ns_per_column() * 2).max(SHORTEST_GAP)
    }

    /// Usually selects the next or previous gap of the focused line's device, or of the focused row if no
    /// device has gaps. Says so if there is none.
    pub fn move_to_gap(&mut self, direction: Direction) {
        let session = Arc::clone(&self.session);
        let Some(device) = self.timeline.device_with_gaps(&session) else {
            return self.move_to_gap_of_row(direction);
        };
        let min = self.shortest_gap();
        let at = match self.selected.selection() {
            Some(Selection::Idle(of, gap)) if of == device.group => gap,
            _ => Span { start: self.timeline.cursor(), end: self.timeline.cursor() },
        };
        // From outside of gaps, the one at the cursor comes first.
        let here = device.idle.gap_at(at.start).filter(|gap| *gap != at && gap.contains(at.start));
        let gap = here.filter(|gap| at.is_empty() && gap.len() >= min).or_else(|| match direction {
            Direction::Forward => device.idle.next_gap(at.end, min),
            Direction::Back => device.idle.prev_gap(at.start, min),
        });
        let longest = device.idle.longest_gap().filter(|longest| longest.len() < min && *longest != at);
        if let Some(gap) = longest {
            self.go_to_gap(device.group, gap);
            let min = fmt::duration(min);
            return self
                .say(format!("the longest gap of the device; at this zoom only gaps from {min} on count"));
        }
        let Some(gap) = gap else {
            let (min, advice) = (fmt::duration(min), zoom_advice(min));
            return self.say(format!(
                "no {} gap of at least {min} on the device{advice}",
                if direction == Direction::Forward { "later" } else { "earlier" }
            ));
        };
        self.go_to_gap(device.group, gap);
    }

    fn go_to_gap(&mut self, group: GroupId, gap: Span) {
        self.timeline.bring_into_view(gap, &self.session.trace);
        self.panes.focus(Region::Timeline);
        self.select_gap(group, gap);
    }

    /// Selects a gap of a device, and moves the focus to the device's idle time, if that can be shown, and
    /// the cursor to the gap's start or the nearest time on the screen.
    fn select_gap(&mut self, group: GroupId, gap: Span) {
        self.timeline.reveal_idle(&self.session.trace, group);
        self.timeline.put_cursor(gap.start);
        self.select(Some(Selection::Idle(group, gap)));
        self.scroll_to_focus();
    }

    /// Fits the viewport to the selected gap of a device, and scrolls to what ended the gap. False, without a
    /// change, if no such gap is selected or the viewport is fitted already.
    pub fn look_at_gap(&mut self) -> bool {
        let Some(Selection::Idle(group, gap)) = self.selected.selection() else { return false };
        if self.timeline.viewport() == around(gap, &self.session.trace) {
            return false;
        }
        self.show_gap(group, gap, gap);
        true
    }

    /// Selects a gap of a device, and scrolls to what ended it. The viewport is fitted to `span`: the gap, or
    /// a time range that overlaps it.
    fn show_gap(&mut self, group: GroupId, gap: Span, span: Span) {
        let session = Arc::clone(&self.session);
        let trace = &session.trace;
        self.timeline.show(around(span, trace));
        let sides = session.device(group).and_then(|device| device.sides(trace, gap));
        let slice = sides.and_then(|sides| sides.launch.or(sides.after).or(sides.before));
        let row = slice.map(|id| trace.row_of(id));
        self.timeline.look_at(trace, group, row);
        self.select_gap(group, gap);
        self.timeline.put_cursor(span.start);
    }

    /// Unpins the idle time of the device whose gap was looked at, unless the user pinned it.
    pub fn leave_gap(&mut self) {
        self.timeline.look_away(&self.session.trace);
        self.scroll_to_focus();
    }

    /// Shows a location on the timeline, usually with the cursor at its start and an event or gap nearby
    /// selected.
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
        if span.is_empty() {
            self.timeline.center(span.start, trace);
        } else {
            self.timeline.fit(span, trace);
        }
        self.timeline.put_cursor(span.start);
        if let Some(id) = event_of(trace, location) {
            return self.go_to_slice(id);
        }
        match at {
            Some(Subject::Device(group)) => self.timeline.reveal_idle(trace, group),
            Some(Subject::Lane(lane)) => {
                let first = trace.lanes[lane].rows.iter().next();
                if !first.is_some_and(|row| self.timeline.reveal(trace, row)) {
                    self.timeline.focus_on_lane(lane);
                }
            }
            None => {}
        }
        self.select_under_cursor();
        self.scroll_to_focus();
    }

    /// Goes to the location with which the explorer was opened, if there is one; says why if the location
    /// cannot be read. Only the first call does so.
    pub(crate) fn go_to_opening_location(&mut self) {
        let Some(text) = self.source.take_location() else { return };
        match Location::parse(&text, &self.session.trace) {
            Ok(location) => self.go_to_location(location),
            Err(why) => self.say(why.to_string()),
        }
    }

    /// Selects the next or previous gap of the focused row, skipping gaps below `shortest_gap`; says so if
    /// there is none.
    fn move_to_gap_of_row(&mut self, direction: Direction) {
        let Some(row) = self.timeline.focused().and_then(Line::row) else {
            return self.say("no device was idle between its work, and this line is no row of events");
        };
        let min = self.shortest_gap();
        let Session { trace, index, .. } = &*self.session;
        let at = match self.selected.selection() {
            Some(Selection::Gap(of, gap)) if of == row => gap,
            _ => Span { start: self.timeline.cursor(), end: self.timeline.cursor() },
        };
        let gap = match direction {
            Direction::Forward => index.next_gap(trace, row, at.end, min),
            Direction::Back => index.prev_gap(trace, row, at.start, min),
        };
        let Some(gap) = gap else {
            let (min, advice) = (fmt::duration(min), zoom_advice(min));
            return self.say(format!(
                "no {} gap of at least {min} on this row{advice}",
                if direction == Direction::Forward { "later" } else { "earlier" }
            ));
        };
        self.timeline.bring_into_view(gap, trace);
        self.timeline.put_cursor(gap.start);
        self.select(Some(Selection::Gap(row, gap)));
    }
}
