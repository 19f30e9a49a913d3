//! Moving the viewport: to a time, step or cycle, to the selection or the whole trace, through the history.
//!
//! Must not know which key does what.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::Step;

use super::select::select_first;
use crate::app::pane::details::script::python_stack;
use crate::app::session::Selection;
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::view::timefmt::step_at;

impl State {
    /// Moves the cursor to the time `t`, ns, or to the nearest time of the trace, brings it onto the screen,
    /// and selects as [`Self::select_under_cursor`] does.
    pub fn go_to_time(&mut self, t: Ns) {
        let span = self.session.trace.span;
        let t = t.clamp(span.start, span.end);
        self.timeline.go_to(t, &self.session.trace);
        self.select_under_cursor();
    }

    /// Fits the viewport to a step of the focused line's worker, and selects it: the next or previous one or,
    /// from a wider viewport, the one at the cursor. Says so if there is none.
    pub fn move_to_step(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        if trace.steps.is_empty() {
            return self.say(if self.source.is_snapshot() {
                "the trace is still being read: no step is loaded so far"
            } else {
                "no step is loaded"
            });
        }
        let (worker, cursor) = (self.worker(), self.timeline.cursor());
        let mut steps = trace.steps.iter().filter(|step| step.worker == worker);
        let here =
            step_at(trace, worker, cursor).filter(|step| self.timeline.is_wider_than(step.span, trace));
        let found = here.or_else(|| match direction {
            Direction::Forward => steps.find(|step| step.span.start > cursor),
            Direction::Back => steps.rfind(|step| step.span.end <= cursor),
        });
        let Some(&step) = found else {
            return self.say(if direction == Direction::Forward {
                "no step of this process starts after the cursor"
            } else {
                "no step of this process ends before the cursor"
            });
        };
        self.show_step(step);
    }

    /// Selects a step and fits the viewport to it.
    pub(crate) fn show_step(&mut self, step: Step) {
        self.timeline.fit(step.span, &self.session.trace);
        self.timeline.put_cursor(step.span.start);
        self.go_to_slice(step.slice);
        self.timeline.put_cursor(step.span.start);
    }

    /// Selects the step at the cursor and fits the viewport to it; says so if there is none.
    pub(crate) fn go_to_step_here(&mut self) {
        match step_at(&self.session.trace, self.worker(), self.timeline.cursor()).copied() {
            Some(step) => self.show_step(step),
            None => self.say("the cursor is in no step"),
        }
    }

    /// Goes to the event in which the selected one is nested, or to the Python function in which it was
    /// called if that began later; says so if there is neither.
    pub(crate) fn go_to_parent(&mut self) {
        let Some(id) = self.selected.slice() else { return self.say(select_first(&self.keys)) };
        let slices = &self.session.trace.slices;
        let function = python_stack(&self.session, id).into_iter().next();
        let around = slices.parent(id).into_iter().chain(function);
        match around.max_by_key(|&around| (slices.start[around], std::cmp::Reverse(slices.dur[around]))) {
            Some(parent) => self.jump(parent),
            None => self.say("this event is in no other event"),
        }
    }

    /// Fits the viewport to the stretch if one was ended and is not empty, else to what is selected; says so
    /// if nothing is selected.
    pub fn fit_selection(&mut self) {
        let trace = &self.session.trace;
        if let Some(stretch) = self.stretch.filter(|stretch| !stretch.is_open && !stretch.span.is_empty()) {
            return self.timeline.fit(stretch.span, trace);
        }
        let span = match self.selected.selection() {
            Some(Selection::Instant(i)) => {
                let ts = trace.instants[i as usize].ts;
                Some(Span { start: ts, end: ts })
            }
            _ => self.selected.span(&self.session.trace),
        };
        let Some(span) = span else { return self.say(select_first(&self.keys)) };
        self.timeline.fit(span, trace);
        self.timeline.put_cursor(span.start);
    }

    /// Restores the viewport and cursor of the previous or next entry of the history and, if they are still
    /// known, its focus and selection; says so if there is none.
    pub fn move_in_history(&mut self, direction: Direction) {
        let Some(entry) = self.timeline.move_in_history(direction, self.selected.selection()) else {
            return self.say(if direction == Direction::Back {
                "there is no earlier time range in the history"
            } else {
                "there is no later time range in the history"
            });
        };
        self.select(entry.selection);
        self.scroll_to_focus();
    }

    /// Fits the viewport to a recorded cycle of the focused line's worker: the next or previous one or, from
    /// a wider viewport, the one at the cursor. Says which it is, or why there is none.
    pub fn move_to_cycle(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        let worker = self.worker();
        let name = trace.meta.workers.get(worker).cloned().unwrap_or_default();
        let mut cycles = trace.cycles.iter().filter(|cycle| cycle.worker == worker);
        let all = cycles.clone().count();
        if all < 2 {
            return self.say("fewer than two recorded cycles of this process are loaded");
        }
        let cursor = self.timeline.cursor();
        let around = cycles.clone().find(|cycle| cycle.span.contains(cursor));
        let is_wide = around.is_some_and(|cycle| self.timeline.is_wider_than(cycle.span, trace));
        let found = match direction {
            _ if is_wide => around,
            Direction::Forward => cycles.find(|cycle| cycle.span.start > cursor),
            Direction::Back => cycles.rfind(|cycle| cycle.span.end <= cursor),
        };
        let Some(cycle) = found else {
            return self.say(if direction == Direction::Forward {
                "no recorded cycle of this process starts after the cursor"
            } else {
                "no recorded cycle of this process ends before the cursor"
            });
        };
        let (span, number) = (cycle.span, cycle.number);
        self.timeline.fit(span, trace);
        self.timeline.put_cursor(span.start);
        self.select_under_cursor();
        let took = fmt::duration(span.len());
        self.say(format!("recorded cycle {number} of {name} ({all} cycles, counted from 0), {took}"));
    }
}
