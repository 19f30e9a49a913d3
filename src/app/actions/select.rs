//! Selecting events, gaps and instants, and moving from one to the next along rows and lines.
//!
//! Must not know the table of commands: messages take the names of keys from `bindings`.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::SliceId;

use crate::app::input::bindings::{self, Keys};
use crate::app::session::Selection;
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::view::lines::LineKind;
use crate::app::view::timeline::events;

impl State {
    /// Replaces the selection (none selects nothing) without moving the viewport, and has a job read what the
    /// trace lacks about it. May show the Details pane.
    pub fn select(&mut self, selection: Option<Selection>) {
        if !self.selected.replace(&self.session, selection, self.source.is_snapshot()) {
            return;
        }
        if selection.is_some() {
            self.panes.offer_details();
        }
        match self.selected.to_read(&self.session) {
            // A job that reads an event never runs at once: there is no result to take here.
            Some(job) => drop(self.jobs.event.start(job)),
            None => self.jobs.event.forget(),
        }
        if self.jobs.event.is_slow() {
            self.say_reading();
        }
    }

    /// Notes in the Details pane that the rest of the selection's details is being read, if a job is to read
    /// it.
    pub(crate) fn say_reading(&mut self) {
        self.selected.say_reading(&self.session, self.jobs.event.current());
    }

    /// Selects a slice, and moves the focus, the cursor and the viewport, without zooming, as far as needed
    /// to show it.
    pub fn go_to_slice(&mut self, id: SliceId) {
        let trace = &self.session.trace;
        self.timeline.reveal(trace, trace.row_of(id));
        let span = trace.slices.span(id);
        self.timeline.put_cursor(self.timeline.cursor().clamp(span.start, (span.end - 1).max(span.start)));
        self.timeline.bring_into_view(span, trace);
        self.select(Some(Selection::Slice(id)));
        self.scroll_to_focus();
    }

    /// Selects a slice as [`Self::go_to_slice`] does and puts the cursor at its start, or at the nearest time
    /// on the screen.
    pub fn jump(&mut self, target: SliceId) {
        let start = self.session.trace.slices.start[target];
        self.timeline.put_cursor(start);
        self.go_to_slice(target);
        self.timeline.put_cursor(start);
    }

    /// Goes to the next or previous event, instant or value of the focused line, on a line of idle time as
    /// [`Self::move_to_gap`] does; says so if there is none.
    pub fn move_to_event(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        match self.timeline.focused().map(|line| line.kind) {
            Some(LineKind::Row(..) | LineKind::Merged(_)) => self.move_to_slice(direction),
            Some(LineKind::Counter(_, counter)) => {
                let ts = self.timeline.next_value(trace, counter, direction);
                self.move_cursor(ts);
            }
            Some(LineKind::Marks(lane)) => {
                let found = self.timeline.next_instant(trace, lane, self.selected.selection(), direction);
                self.move_cursor(found.map(|i| trace.instants[i as usize].ts));
                if found.is_some() {
                    self.select(found.map(Selection::Instant));
                }
            }
            Some(LineKind::Idle(_)) => self.move_to_gap(direction),
            _ => self.say("this line has no event to select"),
        }
    }

    /// Goes to the next or previous event of the focused line; says so if there is none.
    fn move_to_slice(&mut self, direction: Direction) {
        match self.timeline.next_slice(&self.session, self.selected.selection(), direction) {
            Some(id) => {
                self.timeline.put_cursor(self.session.trace.slices.start[id]);
                self.go_to_slice(id);
            }
            None => self.say(if direction == Direction::Forward {
                "no later event with a length on this line"
            } else {
                "no earlier event with a length on this line"
            }),
        }
    }

    /// Selects the next or previous event with the same name on the selected event's lane; says so if there
    /// is none.
    pub fn move_to_same_name(&mut self, direction: Direction) {
        let Some(id) = self.selected.slice() else {
            return self.say(select_first(&self.keys));
        };
        match events::same_name(&self.session.trace, id, direction) {
            Some(found) => {
                self.timeline.put_cursor(self.session.trace.slices.start[found]);
                self.go_to_slice(found);
            }
            None => self.say(match direction {
                Direction::Forward => "no later event of this name on this lane",
                Direction::Back => "no earlier event of this name on this lane",
            }),
        }
    }

    /// Goes to the longest kernel: of the focused stream, else of the process's devices; of those that start
    /// in the stretch, the selected event of the host, or else on the screen. Without kernels goes to the
    /// longest event of the focused line on the screen. Says how long it is, or that there is none.
    pub(crate) fn go_to_longest(&mut self) {
        let (span, of) = self.looked_through();
        if let Some(kernel) = self.timeline.longest_kernel(&self.session, span) {
            self.jump(kernel);
            let took = fmt::duration(self.session.trace.slices.dur[kernel]);
            return self.say(format!("the longest kernel that starts {of}: {took}"));
        }
        let Some(longest) = self.timeline.longest(&self.session) else {
            return self.say("this line has no event with a length on the screen");
        };
        self.jump(longest);
        let took = fmt::duration(self.session.trace.slices.dur[longest]);
        self.say(format!("the longest event of this line on the screen: {took}"));
    }

    /// The time of the ended stretch, else of the selected event of the host, else the time on the screen;
    /// and words for it.
    fn looked_through(&self) -> (Span, &'static str) {
        let trace = &self.session.trace;
        if let Some(stretch) = self.stretch.filter(|stretch| !stretch.is_open && !stretch.span.is_empty()) {
            return (stretch.span, "in the stretch");
        }
        let is_host = |id: &SliceId| !trace.slices.category(*id).is_device_work();
        match self.selected.slice().filter(is_host) {
            Some(id) => (trace.slices.span(id), "in the selected event"),
            None => (self.timeline.viewport(), "on the screen"),
        }
    }

    /// Moves the focus by `by` lines (negative: up), at most to the first or last one, and selects an event
    /// or gap of the new line, or nothing if none is near.
    pub fn move_focus(&mut self, by: isize) {
        if !self.timeline.move_focus(&self.session, by) {
            return;
        }
        self.scroll_to_focus();
        let selected = self.selected.slice().filter(|_| by.unsigned_abs() == 1);
        match selected.and_then(|id| self.timeline.relative(&self.session, id)) {
            Some(found) => self.go_to_slice(found),
            None => self.select_under_cursor(),
        }
    }

    /// Selects the slice of the focused line that is nearest to the cursor or, on a line of idle time, the
    /// gap at the cursor; clears the selection if there is none on the screen.
    pub fn select_under_cursor(&mut self) {
        self.select(self.timeline.under_cursor(&self.session));
    }

    fn move_cursor(&mut self, t: Option<Ns>) {
        match t {
            Some(t) => self.timeline.go_to(t, &self.session.trace),
            None => self.say("no further value or instant on this line in that direction"),
        }
    }
}

/// The message of a command that needs a selected event when none is selected.
pub(crate) fn select_first(keys: &Keys) -> String {
    let next = keys.label(bindings::NEXT_EVENT);
    format!("no event with a length is selected; in the timeline, {next} on a row selects one")
}
