//! Makes the slices of steps and of what is no step: they are written by others, with the process's state
//! unlocked.

use proftui_wire::chunk::{STEP_KIND, STEP_NAME, Tag};
use proftui_wire::outside::{KIND, RECORDER, START_UP, TEARDOWN, VALIDATION};

use super::outside::{Moment, StepSlice};
use super::state::Process;
use crate::live;

impl Process {
    /// Makes the slice of the current step, which ends at `end`, ns; `None` if the step began outside of the
    /// open cycle or the program profiles without steps.
    pub(crate) fn step_slice(&mut self, end: u64) -> Option<StepSlice> {
        let cycle = live::cycle();
        if cycle == 0 || cycle != self.steps.began_in || self.steps.is_stepless {
            return None;
        }
        self.take_over_steps();
        self.steps.outside.step_is_written(cycle);
        let number = self.step_number() as u32;
        let tag = Tag::new(STEP_KIND, self.names.number(STEP_NAME));
        Some(StepSlice { cycle, tag, start: self.steps.began, end, number })
    }

    /// Makes the slice of the start-up, which usually ends where the first step begins. `None` once a step of
    /// the current count has ended, or if no slice is to be written.
    pub(crate) fn start_up_slice(&mut self) -> Option<StepSlice> {
        let (since, end) = self.steps.outside.start_up(self.steps.began())?;
        if self.steps_for_leader() { None } else { self.slice(START_UP, since, end) }
    }

    /// Makes the slice of a pass of validation from `start` to `end`, ns, without the time before the latest
    /// end or restart of a step. `None` if no slice is to be written.
    pub(crate) fn validation_slice(&mut self, start: u64, end: u64) -> Option<StepSlice> {
        // Not before the open cycle, which began with the last step's end or before.
        let start = start.max(self.steps.outside.earliest());
        self.slice(VALIDATION, Moment::at(start), end)
    }

    /// Makes the slice of the time that the recorder takes for itself from `start` to `end`, ns; `None` if no
    /// slice is to be written, such as before the first step of a cycle.
    pub(crate) fn recorder_slice(&mut self, start: u64, end: u64) -> Option<StepSlice> {
        let start = Moment::at(start.max(self.steps.outside.earliest()));
        if self.steps.outside.has_written_in(start.cycle) { self.slice(RECORDER, start, end) } else { None }
    }

    /// Makes the slice of the teardown, from the end of the last step to `now`, ns; `None` if no slice is to
    /// be written.
    pub(crate) fn teardown_slice(&mut self, now: u64) -> Option<StepSlice> {
        let last = self.steps.outside.teardown()?;
        if self.steps_for_leader() { None } else { self.slice(TEARDOWN, last, now) }
    }

    /// Makes a slice with this name from `start` to `end`, ns; `None` if it is empty, `start` is not in the
    /// open cycle, or the program profiles without steps.
    fn slice(&mut self, name: &str, start: Moment, end: u64) -> Option<StepSlice> {
        let cycle = live::cycle();
        if cycle == 0 || cycle != start.cycle || end <= start.time || self.steps.is_stepless() {
            return None;
        }
        let tag = Tag::new(KIND, self.names.number(name));
        Some(StepSlice { cycle, tag, start: start.time, end, number: 0 })
    }
}
