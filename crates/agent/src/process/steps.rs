//! A process's steps: how long they take, and the cycles that they open and close.

use proftui_wire::chunk::Tag;
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::schedule::State;
use proftui_wire::scheduler::{Action, Scheduler, Transition};
use proftui_wire::timer::{Sum, Timer};

use super::{FOLLOWED, Process, cycle, device};
use crate::clock;

/// Paddle's number of a step's range.
const PROFILE_STEP: u8 = 2;
/// What follows where steps open and close nothing.
const NOTHING: Transition = Transition { actions: &[], oddity: None };

/// Where a process is in its steps.
#[derive(Default)]
pub struct Steps {
    scheduler: Scheduler,
    timer: Timer,
    /// The number of the step under way.
    step: u64,
    /// When it began.
    began: u64,
    /// The cycle in which it began; 0 for none.
    began_in: u64,
    /// The cycle that was begun last.
    cycle: u64,
    /// The cycle that ended last; 0 for none.
    ended: u64,
    /// All steps, as they were when somebody asked how long they take.
    asked: Sum,
    /// What is under way is no step.
    is_stepless: bool,
    /// What was true when the step under way took no longer, where that is before its end.
    halt: Option<Halt>,
    /// True once nobody takes what cycles leave: then there are no more.
    is_orphan: bool,
}

/// The end of a step's time.
pub struct Halt {
    /// When.
    pub now: u64,
    /// What was waited for data in the step, ns.
    pub waited: u64,
    /// The cycle whose window ended then; 0 for none.
    pub cycle: u64,
}

/// A step has ended, or the program. What follows from it is done where the state is free, and then where it is not.
pub struct StepEnd {
    /// When.
    pub now: u64,
    /// What is to be done.
    pub transition: Transition,
    /// The cycle that it closed; 0 for none. Nothing is kept in it any more.
    pub closed: u64,
    /// The step that is to begin.
    step: u64,
}

/// A step that was recorded from its beginning to its end.
pub struct Whole {
    /// The cycle.
    pub cycle: u64,
    /// Kind and name.
    pub tag: Tag,
    /// When it began.
    pub start: u64,
}

impl Steps {
    /// The first step begins.
    pub fn begun(now: u64) -> Self {
        Self { began: now, began_in: cycle(), ..Self::default() }
    }

    /// The state of the step under way.
    pub fn state(&self) -> State {
        self.scheduler.state()
    }

    /// The cycle that ended last; 0 for none.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// How long steps take.
    pub fn timer(&self) -> &Timer {
        &self.timer
    }

    /// The steps since this was last called.
    pub fn take_asked(&mut self) -> Sum {
        let before = std::mem::replace(&mut self.asked, self.timer.all);
        self.timer.all.since(&before)
    }

    /// DeviceCounts and times steps from 0 again; without `has_steps` what follows is none.
    pub fn count_anew(&mut self, has_steps: bool) {
        self.is_stepless = !has_steps;
        (self.step, self.timer, self.asked) = (0, Timer::default(), Sum::default());
    }
}

impl Process {
    /// The first step begins in a process that leads.
    pub fn begin_steps(&mut self) {
        if self.is_scheduled() {
            let transition = self.steps.scheduler.advance(self.options.schedule.state(0));
            let end = self.ended(clock::now(), 0, transition, 0);
            self.act(&end, None);
        }
        self.steps.began_in = cycle();
        self.tell();
    }

    /// The step under way, where it is recorded from its beginning. It is no range of the thread's stack: ranges of the program
    /// may reach across steps.
    pub fn whole_step(&mut self) -> Option<Whole> {
        let cycle = cycle();
        if cycle == 0 || cycle != self.steps.began_in || self.steps.is_stepless {
            return None;
        }
        let name = self.names.once(&format!("ProfileStep#{}", self.steps.step));
        Some(Whole { cycle, tag: Tag::new(PROFILE_STEP, name), start: self.steps.began })
    }

    /// True where the step under way may take no longer while it goes on: it is recorded, and this process says so.
    pub fn may_halt(&self) -> bool {
        self.leads_by_steps() && self.steps.halt.is_none() && cycle() != 0
    }

    /// The step under way takes no longer, and nothing more is kept in its cycle, which is returned.
    pub fn halt(&mut self, halt: Halt) -> u64 {
        if let Some(folder) = self.folder() {
            folder.page.set(Word::Cycle, 0);
        }
        self.steps.halt.insert(halt).cycle
    }

    /// When the step under way took no longer, if that is before now.
    pub fn take_halt(&mut self) -> Option<Halt> {
        self.steps.halt.take()
    }

    /// The step under way begins.
    pub fn resume(&mut self, now: u64) {
        self.steps.began = now;
        self.tell();
    }

    /// The step under way has ended. The next one, which has not begun, has the state `to`, or that of the schedule.
    pub fn end_step(&mut self, halt: &Halt, samples: u64, to: Option<State>) -> StepEnd {
        let &Halt { now, waited, cycle } = halt;
        if self.leader.is_some() && self.is_scheduled() {
            self.lead();
        }
        let batch = now.saturating_sub(self.steps.began);
        let samples = if self.options.batch_size > 0 { self.options.batch_size } else { samples };
        self.steps.timer.add(batch, waited, samples);
        let step = self.steps.step;
        // Of steps that are not recorded the page has the sums: a long program's log stays short.
        if self.steps.scheduler.state().is_recording() {
            self.log_at(now, Event::Step { step, batch, reader: waited, samples });
        }
        let next = step + 1;
        let transition = if self.is_scheduled() {
            self.steps.scheduler.advance(to.unwrap_or_else(|| self.options.schedule.state(next)))
        } else {
            NOTHING
        };
        self.ended(now, cycle, transition, next)
    }

    /// The step under way, which goes on or begins, has this state from now on.
    pub fn turn_step(&mut self, now: u64, state: State) -> StepEnd {
        let transition = self.steps.scheduler.advance(state);
        self.ended(now, 0, transition, self.steps.step)
    }

    /// Steps end, and with them, whole, a cycle that is open.
    pub fn rest(&mut self, halt: &Halt) -> StepEnd {
        let transition = self.steps.scheduler.finish(true);
        // Its last step is the one under way.
        self.ended(halt.now, halt.cycle, transition, self.steps.step + 1)
    }

    /// The next step begins; returns its state. What was done since the last one ended is no step's time.
    pub fn begin_step(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) -> State {
        self.act(end, counts);
        self.steps.step = end.step;
        let began = if end.transition.actions.is_empty() { end.now } else { clock::now() };
        (self.steps.began, self.steps.began_in) = (began, cycle());
        self.tell();
        self.steps.scheduler.state()
    }

    /// The program ends, and its cycle with it.
    pub fn end_steps(&mut self) -> StepEnd {
        let transition = if self.leads_by_steps() {
            self.steps.scheduler.finish(self.options.schedule.is_open_ended())
        } else {
            NOTHING
        };
        let halt = self.steps.halt.take().unwrap_or_else(|| Halt { now: clock::now(), waited: 0, cycle: 0 });
        self.ended(halt.now, halt.cycle, transition, self.steps.step)
    }

    /// Nothing more is kept in a cycle that this ends; another one goes on, also where it was halted.
    fn ended(&mut self, now: u64, halted: u64, transition: Transition, step: u64) -> StepEnd {
        let is_closing = transition.actions.iter().any(|action| matches!(action, Action::Stop { .. }));
        let closed = if is_closing { cycle().max(halted) } else { 0 };
        if (closed != 0 || halted != 0)
            && let Some(folder) = self.folder()
        {
            folder.page.set(Word::Cycle, if is_closing { 0 } else { halted });
        }
        StepEnd { now, transition, closed, step }
    }

    /// True where steps of this process open and close its cycles.
    pub fn leads_by_steps(&self) -> bool {
        self.leader.is_none() && self.is_scheduled()
    }

    /// True where steps open and close cycles.
    pub fn is_scheduled(&self) -> bool {
        !self.options.is_timer_only && !self.options.by_time
    }

    /// From here on the process has cycles of its own. The cycle that it followed is the first of them where its first step is to be
    /// recorded and was, from its beginning; else they are numbered on from that.
    pub fn lead(&mut self) {
        let cycle = cycle();
        let state = self.options.schedule.state(0);
        let is_recorded = state.is_recording() && cycle != 0 && cycle == self.steps.began_in;
        let (began, followed) = (self.steps.began, cycle.max(self.budget.cycle));
        let Some(folder) = self.folder() else { return };
        if is_recorded {
            folder.log_at(began, Event::Begin { cycle, step: 0 });
            folder.page.set(Word::Cycle, cycle);
        }
        FOLLOWED.set(folder.page);
        self.leader = None;
        self.steps.cycle = followed;
        if is_recorded {
            self.steps.scheduler.advance(state);
        }
    }

    /// Does what follows before the next step.
    pub fn act(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        for action in end.transition.actions {
            match action {
                Action::Stop { is_whole } if end.closed != 0 => {
                    self.stop(end.step.saturating_sub(1), *is_whole, counts);
                }
                Action::Start if !self.is_orphan() => self.start(end.step),
                // What costs time at first was paid where the state is free.
                Action::Prepare | Action::Discard | Action::Start | Action::Stop { .. } => {}
            }
        }
        if let Some(oddity) = end.transition.oddity {
            self.note(NoteKind::Warning, oddity.text());
        }
    }

    /// True once nobody takes what cycles leave. Looked at only between cycles: one that is open ends as any other.
    fn is_orphan(&mut self) -> bool {
        if !self.steps.is_orphan && cycle() == 0 && !self.has_parent() {
            self.steps.is_orphan = true;
            self.note(NoteKind::Warning, "proftui is gone: no further cycle is recorded");
        }
        self.steps.is_orphan
    }

    fn start(&mut self, step: u64) {
        self.steps.cycle += 1;
        let cycle = self.steps.cycle;
        if let Some(folder) = self.folder() {
            folder.log_clock();
            let now = clock::now();
            folder.log_at(now, Event::Begin { cycle, step });
            folder.page.set(Word::Cycle, cycle);
            device::open(cycle, now);
        }
    }

    fn stop(&mut self, step: u64, is_whole: bool, counts: Option<DeviceCounts>) {
        let cycle = self.steps.cycle;
        self.steps.ended = cycle;
        self.log_lost();
        if let Some(counts) = counts {
            self.log_device(counts);
        }
        if let Some(folder) = self.folder() {
            folder.log(Event::End { cycle, step, is_whole });
            folder.log_clock();
        }
    }

    /// All that there will be of a cycle's devices is in their files.
    pub fn log_device(&mut self, counts: DeviceCounts) {
        if let Some(folder) = self.folder() {
            folder.log(Event::Device(counts));
            folder.page.set(Word::Flushed, counts.cycle);
        }
    }

    /// Puts on the page what is true now.
    pub fn tell(&mut self) {
        let (state, step, began) = (self.steps.scheduler.state() as u64, self.steps.step, self.steps.began);
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
