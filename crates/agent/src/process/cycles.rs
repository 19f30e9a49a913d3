//! What a process does where a step begins and ends: logs it, and opens and closes cycles of its own. The
//! protocol by which a step ends calls these functions in its order, and must not be known here.

use proftui_wire::device::reason::OFF;
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::options::DeviceOption;
use proftui_wire::schedule::{Schedule, State};
use proftui_wire::scheduler::{Action, Transition};

use super::outside::Outside;
use super::state::Process;
use super::steps::{ClockStop, StepEnd};
use crate::clock;
use crate::device;
use crate::live;

/// The empty transition: no action and no oddity.
const NO_CHANGE: Transition = Transition { actions: &[], oddity: None };

impl Process {
    /// Begins the first step of a leader, and, in a run that [is scheduled](Self::is_scheduled), a cycle if
    /// the schedule records that step.
    pub(crate) fn begin_steps(&mut self) {
        if self.is_scheduled() {
            let transition = self.steps.scheduler.advance(self.options.schedule.state(0));
            let end = self.close_cycle(&ClockStop::at(clock::now()), transition, 0);
            self.act(&end, None);
        }
        self.steps.began_in = live::cycle();
        self.steps.outside = Outside::since(self.steps.began);
        self.update_page();
    }

    /// True if the current step may be paused: a cycle of this process's own is open and not paused.
    pub(crate) fn may_pause(&self) -> bool {
        self.is_leader_by_steps() && self.steps.pause.is_none() && live::cycle() != 0
    }

    /// Pauses the current step, whose clock stopped at `stop`, and recording in the open cycle. Returns the
    /// cycle's number.
    pub(crate) fn pause(&mut self, stop: ClockStop) -> u64 {
        if let Some(folder) = self.folder() {
            folder.page.set(Word::Cycle, 0);
        }
        self.steps.pause.insert(stop).cycle
    }

    /// Removes the pause of the current step and returns it; `None` if there was none. Recording does not go
    /// on yet.
    pub(crate) fn take_pause(&mut self) -> Option<ClockStop> {
        self.steps.pause.take()
    }

    /// Restarts the clock of the current step at `now`, ns, and updates the live page.
    pub(crate) fn resume(&mut self, now: u64) {
        self.steps.began = now;
        self.update_page();
    }

    /// Ends the current step at `stop`, counts its times, may log them, and decides the transition to the
    /// next step's state: usually `to`, or the schedule's if `None`.
    pub(crate) fn end_step(&mut self, stop: &ClockStop, samples: u64, to: Option<State>) -> StepEnd {
        let &ClockStop { now, waited, .. } = stop;
        if self.leader.is_some() && self.is_scheduled() && !self.steps_for_leader() {
            self.become_leader();
        }
        self.take_over_steps();
        let batch = now.saturating_sub(self.steps.began);
        let samples = if self.options.batch_size > 0 { self.options.batch_size } else { samples };
        self.steps.timer.add(batch, waited, samples);
        let step = self.steps.step;
        // The log has only recorded steps, which keeps a long program's log short; the live page has the sums
        // over all steps.
        if self.steps.scheduler.state().is_recording() && !self.is_ring() {
            self.log_at(now, Event::Step { step, batch, reader: waited, samples });
        }
        if let Some(median) = self.steps.recent.exceeded(batch, self.options.slow_step) {
            let since = self.first_kept_with_current();
            self.log_at(now, Event::Slow { step, batch, median, since });
        }
        let next = step + 1;
        self.steps.outside.has_first_step();
        if self.steps_for_leader() {
            return self.end_leaders_step(stop);
        }
        let transition = if self.is_scheduled() {
            self.steps.scheduler.advance(to.unwrap_or_else(|| self.options.schedule.state(next)))
        } else {
            NO_CHANGE
        };
        self.close_cycle(stop, transition, next)
    }

    /// Changes the state of the current step to `state`, without ending the step, and closes the open cycle
    /// if the transition ends it.
    pub(crate) fn restart_step(&mut self, stop: &ClockStop, state: State) -> StepEnd {
        let transition = self.steps.scheduler.advance(state);
        self.close_cycle(stop, transition, self.steps.step)
    }

    /// Ends the steps although the process goes on, such as when the program's profiler stops. An open cycle
    /// of the process's own ends and counts as whole.
    pub(crate) fn stop_steps(&mut self, stop: &ClockStop) -> StepEnd {
        let transition = self.steps.scheduler.finish(true);
        // The cycle's last step is the current one.
        self.close_cycle(stop, transition, self.steps.step + 1)
    }

    /// Ends the steps because the process ends; an open cycle of the process's own is whole only if the
    /// schedule lets it last until then.
    pub(crate) fn end_steps(&mut self, stop: &ClockStop) -> StepEnd {
        self.take_over_steps();
        let transition = if self.is_leader_by_steps() {
            self.steps.scheduler.finish(self.options.schedule.is_open_ended())
        } else {
            NO_CHANGE
        };
        self.close_cycle(stop, transition, self.steps.step)
    }

    /// Performs what `end` asks for, and then begins the step with the number `end.step`. `counts` are those
    /// of the device records of the cycle that ended.
    pub(crate) fn begin_step(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        self.act(end, counts);
        self.steps.step = end.step;
        let began = if end.transition.actions.is_empty() { end.now } else { clock::now() };
        self.steps.begin_at(began);
        self.steps.outside.step_ended(began);
        self.forget_steps(began);
        self.update_page();
    }

    /// Makes the end of a step whose clock stopped at `stop`, with `step` as [`StepEnd::step`]. Closes the
    /// open cycle if `transition` asks for that; else a paused cycle goes on.
    fn close_cycle(&mut self, stop: &ClockStop, transition: Transition, step: u64) -> StepEnd {
        let &ClockStop { now, cycle: paused, .. } = stop;
        let is_closing = transition.actions.iter().any(|action| matches!(action, Action::Stop { .. }));
        let closed = if is_closing { live::cycle().max(paused) } else { 0 };
        if (closed != 0 || paused != 0)
            && let Some(folder) = self.folder()
        {
            folder.page.set(Word::Cycle, if is_closing { 0 } else { paused });
        }
        StepEnd { now, transition, closed, step, is_over: self.options.schedule.is_over(step) }
    }

    /// Makes a follower a leader whose first step is the current one, if its folder can be made. A cycle that
    /// it followed may go on as its own.
    pub(crate) fn become_leader(&mut self) {
        let cycle = live::cycle();
        let state = self.options.schedule.state(0);
        let is_recorded = state.is_recording() && cycle != 0 && cycle == self.steps.began_in;
        let (began, followed) = (self.steps.began, cycle.max(self.budget.cycle));
        let Some(folder) = self.folder() else { return };
        if is_recorded {
            folder.log_at(began, Event::Begin { cycle, step: 0 });
            folder.page.set(Word::Cycle, cycle);
        }
        folder.page.set(Word::Cycles, followed);
        live::follow(folder.page);
        self.leader = None;
        self.steps.cycle = followed;
        if is_recorded {
            self.steps.scheduler.advance(state);
        }
    }

    /// Ends and usually begins this process's own cycles as the transition in `end` asks for, and logs its
    /// oddity. Also logs `counts`, those of the ending cycle's device records.
    pub(crate) fn act(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        if self.steps_for_leader() {
            // The leader's cycles are open or closed by now.
            return counts.into_iter().for_each(|counts| self.log_device(counts));
        }
        for action in end.transition.actions {
            match action {
                Action::Stop { is_whole } if end.closed != 0 => {
                    self.end_cycle(end.step.saturating_sub(1), *is_whole, counts);
                }
                Action::Start if !self.is_orphan() => self.begin_cycle(end.step),
                // The device recorder has prepared already, with the process's state unlocked.
                Action::Prepare | Action::Discard | Action::Start | Action::Stop { .. } => {}
            }
        }
        if let Some(oddity) = end.transition.oddity {
            self.note(NoteKind::Warning, oddity.text());
        }
    }

    fn begin_cycle(&mut self, step: u64) {
        self.steps.cycle += 1;
        let cycle = self.steps.cycle;
        if let Some(folder) = self.folder() {
            folder.page.set(Word::Cycles, cycle);
            folder.log_clock();
            let now = clock::now();
            folder.log_at(now, Event::Begin { cycle, step });
            folder.page.set(Word::Cycle, cycle);
            if self.options.has(DeviceOption::Off) {
                self.note(NoteKind::Fact, &format!("{OFF}=cycle {cycle}"));
            } else {
                device::open(cycle, now);
            }
        }
    }

    fn end_cycle(&mut self, step: u64, is_whole: bool, counts: Option<DeviceCounts>) {
        let cycle = self.steps.cycle;
        self.steps.last_cycle = cycle;
        self.log_lost();
        if let Some(counts) = counts {
            self.log_device(counts);
        }
        if let Some(folder) = self.folder() {
            folder.log(Event::End { cycle, step, is_whole });
            folder.log_clock();
        }
    }

    /// Writes the timer's sums and what is known of the current step to this process's live page; makes the
    /// process's folder if need be.
    pub(crate) fn update_page(&mut self) {
        let (state, step) = (self.steps.scheduler.state() as u64, self.steps.step);
        // Where steps are calls, none is cut if the process is killed.
        let began = if self.steps.are_calls { 0 } else { self.steps.began };
        let timer = self.steps.timer;
        if let Some(folder) = self.folder() {
            folder.page.set_timer(&timer);
            folder.page.set(Word::Reader, 0);
            folder.page.set(Word::Began, began);
            folder.page.set(Word::Step, step);
            folder.page.set(Word::State, state);
        }
    }

    /// True if the program's own profiler may select the recorded steps: the command line does not limit
    /// them, and gives neither `--window` nor `--timer-only`.
    pub(crate) fn may_control(&self) -> bool {
        self.is_scheduled() && matches!(self.options.schedule, Schedule::All | Schedule::Manual)
    }

    /// Hands control to the program's own profiler: the process counts steps from `first`, as a leader.
    /// Without `has_steps` these get no slices.
    pub(crate) fn take_over(&mut self, has_steps: bool, first: u64) {
        self.options.schedule = Schedule::Manual;
        self.publish_ring();
        if self.leader.is_some() {
            self.become_leader();
        }
        self.steps.count_anew(has_steps);
        self.steps.step = first;
    }

    /// When the current step began, ns.
    pub(crate) fn step_began(&self) -> u64 {
        self.steps.began()
    }

    /// Sets the beginning of the current step to `began`, ns, and leaves the step without a slice.
    pub(crate) fn step_is_unrecorded_from(&mut self, began: u64) {
        self.steps.is_unrecorded_from(began);
    }

    /// The state of the current step in the process's own scheduler.
    pub(crate) fn own_state(&self) -> State {
        self.steps.state()
    }
}
