//! The process's part in the run: its name, and whose steps it ends.
//!
//! A child that ends steps ends those of its leader, unless it is another rank: they are numbered together,
//! on the leader's page, and open and close the leader's cycles. One process at a time does that, by a lock
//! on a file of the run. Once the leader itself ends a step, the schedule is its own again; steps of its
//! children are then no more than ranges in its cycles.

use std::fs::File;

use proftui_wire::live::Word;
use proftui_wire::log::{Event, NoteKind};
use proftui_wire::options::FILE;
use proftui_wire::schedule::{Schedule, State};
use proftui_wire::scheduler::{Action, Scheduler, Transition};

use super::state::{Process, with};
use super::steps::{ClockStop, StepEnd};
use crate::clock;
use crate::errno::keep;
use crate::live;

/// Gives the process a name, which is logged as soon as the process has a folder.
pub(crate) fn name_process(text: &str) {
    with(|process| {
        let is_new = process.title.as_deref() != Some(text);
        process.title = Some(text.to_owned());
        if is_new && process.folder.is_some() {
            process.log_title();
        }
    });
}

/// Notes whether the process is another rank than its leader. Returns false if the steps that the process
/// ends are its leader's.
pub(crate) fn ends_own_steps(is_other_rank: bool) -> bool {
    with(|process| {
        process.is_other_rank = is_other_rank;
        !process.steps_for_leader()
    })
    .unwrap_or(true)
}

/// True if this process follows a leader: it has no cycles of its own.
pub(crate) fn is_child() -> bool {
    with(|process| process.leader.is_some()).unwrap_or_default()
}

/// Claims the end of the leader's step for this process, until the returned file is closed; may wait for
/// another process. `None` if that fails or is not needed.
pub(crate) fn claim_step() -> Option<File> {
    let run =
        with(|process| (process.steps_for_leader() && process.opens_cycles()).then(|| process.run.clone()))??;
    keep(|| run.lock(FILE).ok())
}

impl Process {
    /// True if the steps that this process ends are its leader's.
    pub(crate) fn steps_for_leader(&self) -> bool {
        let is_scheduled = self.is_scheduled() && self.options.schedule != Schedule::Manual;
        self.leader.is_some() && is_scheduled && !self.is_other_rank
    }

    /// False for [`Schedule::All`], by which no end of a step opens or closes a cycle; else true.
    fn opens_cycles(&self) -> bool {
        self.options.schedule != Schedule::All
    }

    /// Returns the number of the step that ends. Must be called at most once per step, since the call may
    /// count the step on the leader's page.
    pub(crate) fn step_number(&self) -> u64 {
        match self.steps_for_leader() {
            true if self.opens_cycles() => live::followed().get(Word::Followed),
            true => live::followed().count(Word::Followed),
            false => self.steps.number(),
        }
    }

    /// The state of the current step: that of the leader's current step, if this process ends its leader's
    /// steps.
    pub(crate) fn state(&self) -> State {
        let page = live::followed();
        match self.steps_for_leader() {
            false => self.steps.state(),
            true if page.get(Word::Step) == 0 => self.options.schedule.state(page.get(Word::Followed)),
            true => u8::try_from(page.get(Word::State)).ok().and_then(State::of).unwrap_or_default(),
        }
    }

    /// Ends a step of the leader at `stop`, and usually opens and closes the leader's cycle as the schedule
    /// asks for. Callers first call [`claim_step`].
    pub(crate) fn end_leaders_step(&mut self, stop: &ClockStop) -> StepEnd {
        let page = live::followed();
        let next = self.steps.number() + 1;
        let mut end = StepEnd {
            now: stop.now,
            transition: Transition { actions: &[], oddity: None },
            closed: 0,
            step: next,
            is_over: false,
        };
        if !self.opens_cycles() {
            return end;
        }
        let step = page.count(Word::Followed);
        if page.get(Word::Step) > 0 {
            return end;
        }
        let states = [step, step + 1].map(|step| self.options.schedule.state(step));
        end.transition = Scheduler::at(states[0]).advance(states[1]);
        end.is_over = self.options.schedule.is_over(step + 1);
        for action in end.transition.actions {
            match *action {
                Action::Stop { is_whole } if live::cycle() != 0 => {
                    end.closed = live::cycle();
                    self.log_at(stop.now, Event::EndFor { cycle: end.closed, step, is_whole });
                    page.set(Word::Cycle, 0);
                }
                Action::Start if !self.is_orphan() => {
                    let cycle = page.count(Word::Cycles) + 1;
                    self.log_at(clock::now(), Event::BeginFor { cycle, step: step + 1 });
                    page.set(Word::Cycle, cycle);
                }
                Action::Prepare | Action::Discard | Action::Start | Action::Stop { .. } => {}
            }
        }
        end
    }

    /// True once the proftui process is known to have ended: then no further cycle begins. The first such
    /// call logs a warning.
    pub(crate) fn is_orphan(&mut self) -> bool {
        if !self.steps.is_orphan && live::cycle() == 0 && !self.has_parent() {
            self.steps.is_orphan = true;
            self.note(NoteKind::Warning, "the proftui process has ended: no further cycle is recorded");
        }
        self.steps.is_orphan
    }

    /// Makes a leader whose steps open cycles, and that has ended none itself, continue at the step that its
    /// followers have come to.
    pub(crate) fn take_over_steps(&mut self) {
        let Some(page) = self.folder.as_ref().map(|folder| folder.page) else { return };
        let followed = page.get(Word::Followed);
        if self.is_leader_by_steps() && self.opens_cycles() && followed > 0 && page.get(Word::Step) == 0 {
            self.steps.continue_at(followed, self.options.schedule.state(followed), page.get(Word::Cycles));
        }
    }
}
