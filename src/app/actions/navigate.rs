//! Moving the viewport: to a time, step or cycle, to the selection or the whole trace, through the history.
//!
//! Must not know which key does what.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};

use super::select::{Direction, select_first};
use crate::app::session::Selection;
use crate::app::state::State;
use crate::app::view::timefmt::step_at;
use crate::app::view::viewport;

impl State {
    /// Moves the cursor to the time `t` (limited to the trace's extent), centers the viewport there if `t` is
    /// off the screen, and selects the event under the cursor.
    pub fn go_to_time(&mut self, t: Ns) {
        let span = self.session.trace.span;
        let t = t.clamp(span.start, span.end);
        self.cursor = t;
        if !self.viewport.contains(t) {
            self.viewport = viewport::center(self.viewport, t, span);
        }
        self.keep_cursor();
        self.select_under_cursor();
    }

    /// Fits the viewport to the next or previous step and selects it; to the step at the cursor instead, if
    /// there is one and the viewport is longer than that step.
    pub fn move_to_step(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        if trace.steps.is_empty() {
            return self.say(if self.is_snapshot() {
                "the trace is still being read: no step is read so far"
            } else {
                "the trace has no steps"
            });
        }
        let worker = self.worker();
        let mut steps = trace.steps.iter().filter(|step| step.worker == worker);
        let here = step_at(trace, worker, self.cursor)
            .filter(|step| viewport::fit(step.span, trace.span).len() < self.viewport.len());
        let found = here.or_else(|| match direction {
            Direction::Forward => steps.find(|step| step.span.start > self.cursor),
            Direction::Back => steps.rfind(|step| step.span.end <= self.cursor),
        });
        let Some(&step) = found else {
            return self.say(if direction == Direction::Forward {
                "this is the last step"
            } else {
                "this is the first step"
            });
        };
        self.viewport = viewport::fit(step.span, trace.span);
        self.cursor = step.span.start;
        self.go_to_slice(step.slice);
        self.cursor = step.span.start;
    }

    /// Fits the viewport to the stretch that was ended, else to the selection.
    pub fn fit_selection(&mut self) {
        let trace = &self.session.trace;
        if let Some(stretch) = self.stretch.filter(|stretch| !stretch.is_open && !stretch.span.is_empty()) {
            self.viewport = viewport::fit(stretch.span, trace.span);
            return self.keep_cursor();
        }
        let span = match self.selection {
            Some(Selection::Instant(i)) => {
                let ts = trace.instants[i as usize].ts;
                Some(Span { start: ts, end: ts })
            }
            _ => self.selected_span(),
        };
        let Some(span) = span else { return self.say(select_first(&self.keys)) };
        self.viewport = viewport::fit(span, trace.span);
        self.cursor = span.start;
        self.keep_cursor();
    }

    /// Fits the viewport to the trace without far outliers; if the viewport shows exactly that already, to
    /// the whole trace.
    pub fn fit_all(&mut self) {
        let trace = &self.session.trace;
        let main = viewport::fit(trace.main_span, trace.span);
        self.viewport = if self.viewport == main { viewport::fit(trace.span, trace.span) } else { main };
        self.keep_cursor();
    }

    /// Restores the previous or next entry of the history.
    pub fn move_in_history(&mut self, direction: Direction) {
        let here = self.history_entry();
        let entry = match direction {
            Direction::Back => self.history.back(here),
            Direction::Forward => self.history.forward(here),
        };
        let Some(entry) = entry else {
            return self.say(if direction == Direction::Back {
                "there is no earlier time range in the history"
            } else {
                "there is no later time range in the history"
            });
        };
        (self.viewport, self.cursor) = (entry.viewport, entry.cursor);
        if let Some(line) = entry.line.and_then(|kind| self.lines.find(kind)) {
            self.focus = line;
        }
        self.select(entry.selection);
        self.scroll_to_focus();
        self.keep_cursor();
    }

    /// Fits the viewport to the next or previous recorded cycle of the worker whose line has the focus; to
    /// the cycle at the cursor instead, if the viewport is longer than that cycle.
    pub fn move_to_cycle(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        let worker = self.worker();
        let name = trace.meta.workers.get(worker as usize).cloned().unwrap_or_default();
        let mut cycles = trace.cycles.iter().filter(|cycle| cycle.worker == worker);
        let all = cycles.clone().count();
        if all < 2 {
            return self.say("this process has only one recorded cycle in the opened files");
        }
        let around = cycles.clone().find(|cycle| cycle.span.contains(self.cursor));
        let is_wide =
            around.is_some_and(|cycle| viewport::fit(cycle.span, trace.span).len() < self.viewport.len());
        let found = match direction {
            _ if is_wide => around,
            Direction::Forward => cycles.find(|cycle| cycle.span.start > self.cursor),
            Direction::Back => cycles.rfind(|cycle| cycle.span.end <= self.cursor),
        };
        let Some(cycle) = found else {
            return self.say(if direction == Direction::Forward {
                "this is the last cycle"
            } else {
                "this is the first cycle"
            });
        };
        let (span, number) = (cycle.span, cycle.number);
        self.viewport = viewport::fit(span, trace.span);
        self.cursor = span.start;
        self.keep_cursor();
        self.select_under_cursor();
        self.say(format!("cycle {number} of {name} ({all} cycles), {}", fmt::duration(span.len())));
    }
}
