//! A process's steps: their times, and the cycles that they open and close. `step_end` calls these functions
//! in the order of its protocol.

use proftui_wire::chunk::{STEP_KIND, STEP_NAME, Tag};
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::schedule::State;
use proftui_wire::scheduler::{Action, Scheduler, Transition};
use proftui_wire::timer::{Sum, Timer};

use super::Process;
use super::outside::{Outside, StepSlice};
use super::recent::Recent;
use crate::clock;
use crate::device;
use crate::live;

/// The empty transition, for a process whose steps neither open nor close cycles.
const NO_CHANGE: Transition = Transition { actions: &[], oddity: None };

/// The current step, and the sums over the times of the steps before it.
#[derive(Default)]
pub struct Steps {
    scheduler: Scheduler,
    timer: Timer,
    /// The lengths of the last steps.
    recent: Recent,
    /// The number of the current step, from 0.
    step: u64,
    /// When the current step began, ns.
    began: u64,
    /// The number of the cycle that was open when the current step began; 0 for none.
    began_in: u64,
    /// The time around the steps that is no step.
    pub(super) outside: Outside,
    /// The number of this process's own cycle that began last; 0 before the first.
    cycle: u64,
    /// The number of this process's own cycle that ended last; 0 before one has.
    last_cycle: u64,
    /// The timer's sums over the steps that [`Steps::take_unreported`] has returned already.
    reported: Sum,
    /// True if the program profiles without steps: the trace gets no slices of steps.
    is_stepless: bool,
    /// True if steps are calls, which may overlap: no step is the current one.
    are_calls: bool,
    /// The moment at which the current step was paused; none if it was not.
    pause: Option<ClockStop>,
    /// True once the proftui process was found to have ended: no further cycle begins.
    is_orphan: bool,
}

/// The moment at which the clock of a step stops, with the values taken then.
pub struct ClockStop {
    /// When the clock stops, ns.
    pub now: u64,
    /// For how long the step waited for data, ns.
    pub waited: u64,
    /// The number of the cycle that was paused then; 0 for none.
    pub cycle: u64,
}

/// The end of a step, of all steps or of the process: decided, but its actions are still to be performed.
pub struct StepEnd {
    /// When the step ended, ns.
    pub now: u64,
    /// The scheduler's transition, whose actions are to be performed.
    pub transition: Transition,
    /// The number of the cycle that the transition ends, into which nothing is recorded any more; 0 for none.
    pub closed: u64,
    /// The number of the step that is to begin, from 0.
    pub step: u64,
}

impl ClockStop {
    /// Makes the stop of a clock at `now`, ns, without time waited and without a paused cycle.
    pub fn at(now: u64) -> Self {
        Self { now, waited: 0, cycle: 0 }
    }
}

impl Steps {
    /// Begins the first step at `now`, ns, in the cycle that the process records.
    pub fn begun(now: u64) -> Self {
        Self { began: now, began_in: live::cycle(), outside: Outside::since(now), ..Self::default() }
    }

    /// The number of the current step, from 0.
    pub fn number(&self) -> u64 {
        self.step
    }

    /// When the current step began, ns.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// True if the program profiles without steps: the trace gets no slices of steps, nor of what is no step.
    pub fn is_stepless(&self) -> bool {
        self.is_stepless
    }

    /// Makes the current step begin at `time`, ns, in the cycle that is open.
    pub fn begin_at(&mut self, time: u64) {
        (self.began, self.began_in) = (time, live::cycle());
    }

    /// Makes the current step a call that began at `time`, ns, in the cycle with this number.
    pub fn begin_call(&mut self, time: u64, cycle: u64) {
        // The first call that ends is not always the first one that began.
        self.outside.begins_until(self.began.min(time));
        (self.began, self.began_in, self.are_calls) = (time, cycle, true);
    }

    /// Makes the current step one that was not recorded from its beginning.
    pub fn is_unrecorded_from(&mut self, began: u64) {
        (self.began, self.began_in) = (began, 0);
    }

    /// The state of the current step.
    pub fn state(&self) -> State {
        self.scheduler.state()
    }

    /// The number of the cycle that ended last; 0 before one has.
    pub fn last_cycle(&self) -> u64 {
        self.last_cycle
    }

    /// The sums over the times of all steps that ended.
    pub fn timer(&self) -> &Timer {
        &self.timer
    }

    /// The sums over the steps that ended since this was last called.
    pub fn take_unreported(&mut self) -> Sum {
        let before = std::mem::replace(&mut self.reported, self.timer.all);
        self.timer.all.since(&before)
    }

    /// Continues with this step, in this state, in a process that has begun so many cycles.
    pub fn continue_at(&mut self, step: u64, state: State, cycles: u64) {
        (self.step, self.cycle, self.scheduler) = (step, cycles, Scheduler::at(state));
    }

    /// Numbers steps from 0 again and clears the timer; without `has_steps` the trace gets no slices of
    /// steps.
    pub fn count_anew(&mut self, has_steps: bool) {
        self.is_stepless = !has_steps;
        (self.step, self.are_calls) = (0, false);
        (self.timer, self.reported) = (Timer::default(), Sum::default());
        self.recent = Recent::default();
        self.outside.expect_first_step();
    }
}

impl Process {
    /// Begins the first step of a leader, and a cycle if the schedule records that step.
    pub fn begin_steps(&mut self) {
        if self.is_scheduled() {
            let transition = self.steps.scheduler.advance(self.options.schedule.state(0));
            let end = self.close_cycle(&ClockStop::at(clock::now()), transition, 0);
            self.act(&end, None);
        }
        self.steps.began_in = live::cycle();
        self.steps.outside = Outside::since(self.steps.began);
        self.update_page();
    }

    /// Makes the slice of the current step, which ends at `end`, ns; none if the step was not recorded from
    /// its beginning. The slice is not put on the thread's stack of open ranges, since ranges of the program
    /// may cross the ends of steps.
    pub fn step_slice(&mut self, end: u64) -> Option<StepSlice> {
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

    /// True if the current step may be paused: a cycle is open, this process opens and closes it, and it is
    /// not paused yet.
    pub fn may_pause(&self) -> bool {
        self.is_leader_by_steps() && self.steps.pause.is_none() && live::cycle() != 0
    }

    /// Pauses the current step at `stop`, and its cycle, into which nothing is recorded meanwhile; returns
    /// the cycle's number.
    pub fn pause(&mut self, stop: ClockStop) -> u64 {
        if let Some(folder) = self.folder() {
            folder.page.set(Word::Cycle, 0);
        }
        self.steps.pause.insert(stop).cycle
    }

    /// Ends the pause of the current step; returns when its clock stopped, or none if it was not paused.
    pub fn take_pause(&mut self) -> Option<ClockStop> {
        self.steps.pause.take()
    }

    /// Restarts the clock of the current step at `now`, ns.
    pub fn resume(&mut self, now: u64) {
        self.steps.began = now;
        self.update_page();
    }

    /// Ends the current step: adds its times to the timer, logs a recorded step, and advances the scheduler
    /// to the state of the next step, which is `to`, or that of the schedule. The next step does not begin
    /// yet.
    pub fn end_step(&mut self, stop: &ClockStop, samples: u64, to: Option<State>) -> StepEnd {
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

    /// Changes the state of the current step to `state`, without ending the step.
    pub fn restart_step(&mut self, stop: &ClockStop, state: State) -> StepEnd {
        let transition = self.steps.scheduler.advance(state);
        self.close_cycle(stop, transition, self.steps.step)
    }

    /// Ends the steps because the program's profiler stops; a cycle that is open ends with them and is whole.
    pub fn stop_steps(&mut self, stop: &ClockStop) -> StepEnd {
        let transition = self.steps.scheduler.finish(true);
        // The cycle's last step is the current one.
        self.close_cycle(stop, transition, self.steps.step + 1)
    }

    /// Ends the steps because the process ends; whether a cycle that is open is whole depends on the
    /// schedule.
    pub fn end_steps(&mut self, stop: &ClockStop) -> StepEnd {
        self.take_over_steps();
        let transition = if self.is_leader_by_steps() {
            self.steps.scheduler.finish(self.options.schedule.is_open_ended())
        } else {
            NO_CHANGE
        };
        self.close_cycle(stop, transition, self.steps.step)
    }

    /// Performs the actions of the transition, and then begins the next step: the time that the actions take
    /// counts for no step.
    pub fn begin_step(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        self.act(end, counts);
        self.steps.step = end.step;
        let began = if end.transition.actions.is_empty() { end.now } else { clock::now() };
        self.steps.begin_at(began);
        self.steps.outside.step_ended(began);
        self.forget_steps(began);
        self.update_page();
    }

    /// Sets the live page's cycle to 0 if the transition ends a cycle; a paused cycle that the transition
    /// does not end goes on. `step` is the number of the step that is to begin.
    fn close_cycle(&mut self, stop: &ClockStop, transition: Transition, step: u64) -> StepEnd {
        let &ClockStop { now, cycle: paused, .. } = stop;
        let is_closing = transition.actions.iter().any(|action| matches!(action, Action::Stop { .. }));
        let closed = if is_closing { live::cycle().max(paused) } else { 0 };
        if (closed != 0 || paused != 0)
            && let Some(folder) = self.folder()
        {
            folder.page.set(Word::Cycle, if is_closing { 0 } else { paused });
        }
        StepEnd { now, transition, closed, step }
    }

    /// True if this process records cycles of its own, which its steps open and close.
    pub fn is_leader_by_steps(&self) -> bool {
        self.leader.is_none() && self.is_scheduled()
    }

    /// True if steps open and close cycles in this run: proftui does not do so by time, and more than the
    /// timer runs.
    pub fn is_scheduled(&self) -> bool {
        !self.options.is_timer_only && !self.options.by_time
    }

    /// Makes a follower a leader, with cycles of its own; its first step is the current one. If the schedule
    /// records that step, and the cycle followed so far was open for all of it, this cycle goes on as the
    /// first of its own; else the first of its own gets the number after.
    pub fn become_leader(&mut self) {
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

    /// Performs and logs the actions of a transition; `counts` are those of the device records of the cycle
    /// that the transition ends.
    pub fn act(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
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

    /// True once the proftui process has ended: no further cycle begins then. Checked between cycles only; an
    /// open cycle ends as usual.
    pub fn is_orphan(&mut self) -> bool {
        if !self.steps.is_orphan && live::cycle() == 0 && !self.has_parent() {
            self.steps.is_orphan = true;
            self.note(NoteKind::Warning, "the proftui process has ended: no further cycle is recorded");
        }
        self.steps.is_orphan
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
            device::open(cycle, now);
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

    /// Logs, and writes to the live page, that all device records of a cycle are in their files.
    pub fn log_device(&mut self, counts: DeviceCounts) {
        if let Some(folder) = self.folder() {
            folder.save_graph_nodes();
            folder.log(Event::Device(counts));
            folder.page.set(Word::Flushed, counts.cycle);
        }
    }

    /// Brings the live page up to date with the current step.
    pub fn update_page(&mut self) {
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
}
