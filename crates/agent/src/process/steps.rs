//! A process's steps: how long they take, and the cycles that they open and close.

use proftui_wire::chunk::Tag;
use proftui_wire::course::{Action, Course, Turn};
use proftui_wire::live::Word;
use proftui_wire::log::{Event, NoteKind};
use proftui_wire::schedule::{Schedule, State};
use proftui_wire::timer::Timer;

use super::{FOLLOWED, Process, cycle};

/// Paddle's number of a step's range.
const PROFILE_STEP: u8 = 2;

/// Where a process is in its steps.
#[derive(Default)]
pub struct Steps {
    course: Course,
    timer: Timer,
    /// The number of the step under way.
    step: u64,
    /// When it began.
    began: u64,
    /// The cycle in which it began; 0 for none.
    began_in: u64,
    /// The cycle that was begun last.
    cycle: u64,
    /// True once nobody takes what cycles leave: then there are no more.
    is_orphan: bool,
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
}

impl Process {
    /// The first step begins in a process that leads.
    pub fn begin_steps(&mut self) {
        if self.is_scheduled() {
            self.turn_to(0);
        }
        self.steps.began_in = cycle();
        self.tell();
    }

    /// The step under way, where it is recorded from its beginning. It is no range of the thread's stack: ranges of the program
    /// may reach across steps.
    pub fn whole_step(&mut self) -> Option<Whole> {
        let cycle = cycle();
        if cycle == 0 || cycle != self.steps.began_in {
            return None;
        }
        let name = self.names.once(&format!("ProfileStep#{}", self.steps.step));
        Some(Whole { cycle, tag: Tag::new(PROFILE_STEP, name), start: self.steps.began })
    }

    /// The step under way has ended; returns the state of the next.
    pub fn end_step(&mut self, now: u64, waited: u64, samples: u64) -> State {
        if self.leader.is_some() && self.is_scheduled() {
            self.lead();
        }
        let batch = now.saturating_sub(self.steps.began);
        let samples = if self.options.batch_size > 0 { self.options.batch_size } else { samples };
        self.steps.timer.add(batch, waited, samples);
        let step = self.steps.step;
        // Of steps that are not recorded the page has the sums: a long program's log stays short.
        if self.steps.course.state().is_recording() {
            self.log_at(now, Event::Step { step, batch, reader: waited, samples });
        }
        if self.is_scheduled() {
            self.turn_to(step + 1);
        }
        self.steps.step += 1;
        (self.steps.began, self.steps.began_in) = (now, cycle());
        self.tell();
        self.steps.course.state()
    }

    /// The program ends, and its cycle with it.
    pub fn end_steps(&mut self) {
        if self.leader.is_none() && self.is_scheduled() {
            let turn = self.steps.course.end(self.options.schedule == Schedule::All);
            self.act(turn, self.steps.step);
            self.tell();
        }
    }

    /// True where steps open and close cycles.
    fn is_scheduled(&self) -> bool {
        !self.options.is_timer_only && !self.options.by_time
    }

    /// From here on the process has cycles of its own, numbered on from the one it followed.
    fn lead(&mut self) {
        let followed = cycle().max(self.budget.cycle);
        let Some(folder) = self.folder() else { return };
        FOLLOWED.set(folder.page);
        self.leader = None;
        self.steps.cycle = followed;
    }

    fn turn_to(&mut self, step: u64) {
        let turn = self.steps.course.step(self.options.schedule.state(step));
        self.act(turn, step);
    }

    /// Does what follows before this step.
    fn act(&mut self, turn: Turn, step: u64) {
        for action in turn.actions {
            match action {
                // Nothing here costs more at first than later.
                Action::Prepare | Action::Discard => {}
                Action::Start | Action::Stop { .. } if self.is_orphan() => {}
                Action::Start => self.start(step),
                Action::Stop { is_whole } => self.stop(step.saturating_sub(1), *is_whole),
            }
        }
        if let Some(oddity) = turn.oddity {
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
            folder.log(Event::Begin { cycle, step });
            folder.page.set(Word::Cycle, cycle);
        }
    }

    fn stop(&mut self, step: u64, is_whole: bool) {
        let cycle = self.steps.cycle;
        if let Some(folder) = self.folder() {
            folder.page.set(Word::Cycle, 0);
        }
        self.log_lost();
        if let Some(folder) = self.folder() {
            folder.log(Event::End { cycle, step, is_whole });
            folder.log_clock();
        }
    }

    /// Puts on the page what is true now.
    fn tell(&mut self) {
        let (state, step, began) = (self.steps.course.state() as u64, self.steps.step, self.steps.began);
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
