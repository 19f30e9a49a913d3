//! A run while it goes on: looks at its processes, opens and closes the window by time, saves what is over.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use proftui_wire::log::NoteKind;
use proftui_wire::schedule::Schedule;

use crate::base::fmt;

use super::family::Family;
use super::folder::RunFolder;
use super::gpu::Gpu;
use super::process::{Cycle, CycleEnd, Process};
use super::requests;
use super::results::Results;
use super::saver::Saver;
use super::{Plan, TICK, child, closing, monotonic};

/// How often a process is looked at that is waited for.
const MOMENT: Duration = Duration::from_millis(10);
/// How often is looked for what processes ask for, where they do.
const ASKING: Duration = Duration::from_millis(20);
/// The fact that a process tells whose script has a profiler of ours: it may ask for its results. What it says is for the person.
const PROFILER: &str = "profiler";

/// How a process ended that said nothing.
const KILLED: &str = "the process was killed";

/// A run while it goes on.
#[derive(Debug)]
pub struct Watch<'a> {
    pub(super) plan: &'a Plan,
    pub(super) run: &'a RunFolder,
    /// The program.
    pub(super) pid: u32,
    /// When it was started, ns of the monotonic clock.
    pub(super) started: u64,
    pub(super) family: Family,
    pub(super) saver: Saver,
    /// The window by time: opened at, closed at.
    opened: Option<u64>,
    closed: Option<u64>,
    /// Warnings and failures that were told.
    told: Vec<String>,
    /// What processes may ask for.
    results: Results,
    /// True where some may.
    is_asked: bool,
    /// When all was looked at, ns of the monotonic clock.
    looked: u64,
}

impl<'a> Watch<'a> {
    /// Of a program that was just started.
    pub fn new(plan: &'a Plan, run: &'a RunFolder, saver: Saver, pid: u32, started: u64) -> Self {
        let family = Family::default();
        let is_asked = plan.options.schedule == Schedule::Manual;
        let (opened, closed, told, results) = (None, None, Vec::new(), Results::default());
        let looked = 0;
        let mut watch =
            Self { plan, run, pid, started, family, saver, opened, closed, told, results, is_asked, looked };
        watch.sample();
        watch
    }

    /// Looks at what was added, and saves what is over.
    pub fn look(&mut self) {
        self.answer();
        let now = monotonic();
        // Between two looks that are due only what is asked for is seen to.
        if self.is_asked && now < self.looked.saturating_add(nanoseconds(self.pause_of_looks())) {
            return;
        }
        self.looked = now;
        self.sample();
        self.family.look(self.run);
        self.turn_window();
        self.save(false, KILLED);
        self.saver.turn_hooks();
        self.results.forget_the_gone(&self.family);
        self.tell_notes();
        self.saver.status.show(&self.family);
    }

    /// Writes what processes ask for.
    fn answer(&mut self) {
        let asked = if self.is_asked { requests::pending(self.run.path()) } else { Vec::new() };
        if asked.is_empty() {
            return;
        }
        // The use of processors up to a cycle's end.
        self.sample();
        self.family.look(self.run);
        self.save(false, KILLED);
        for request in asked {
            let outcome = match self.results.of(&request.folder, request.cycle) {
                Some(over) => self.saver.put(&self.family, over, request.form, &request.path),
                // Its devices still have something to tell.
                None if self.family.is_waiting() => continue,
                None => Err("there is a newer result, or none".to_owned()),
            };
            if let Err(why) = request.answer(outcome) {
                self.saver.status.say(&format!("{}: no answer: {why}", self.run.path().display()));
            }
        }
    }

    /// How long until there is something to look at.
    pub fn pause(&self) -> Duration {
        let pause = self.pause_of_looks();
        if self.is_asked { pause.min(ASKING) } else { pause }
    }

    fn pause_of_looks(&self) -> Duration {
        let Some((wait, length)) = self.plan.window else { return TICK };
        let edge = match (self.opened, self.closed) {
            (None, _) => self.started.saturating_add(nanoseconds(wait)),
            (Some(opened), None) => opened.saturating_add(nanoseconds(length)),
            _ => return TICK,
        };
        TICK.min(Duration::from_nanos(edge.saturating_sub(monotonic())))
    }

    fn sample(&mut self) {
        let now = monotonic();
        let pids: Vec<u32> = self
            .family
            .leaders()
            .filter(|process| !process.is_foreign())
            .map(|process| process.pid)
            .chain([self.pid])
            .collect();
        pids.into_iter().for_each(|pid| self.saver.sample(pid, now));
        if let Some(sampler) = self.saver.gpu.as_ref().and_then(Gpu::sampler) {
            let is_open = self.opened.is_some() && self.closed.is_none();
            sampler.want(is_open || self.family.all().any(Process::is_recording));
        }
    }

    /// Saves the cycles that are over; with `is_final` all, those of processes that did not say how they ended because of `how`.
    fn save(&mut self, is_final: bool, how: &str) {
        let over = self.family.over(is_final, |process| match process.is_alive() {
            true if process.is_foreign() => {
                "how the process ended is not known: it was in a container".into()
            }
            true => "the process goes on without us".into(),
            false => how.to_owned(),
        });
        if !over.is_empty() {
            // Those that follow may have been looked at, or not been there, before the cycle was seen to be over.
            self.family.look(self.run);
        }
        for over in over {
            let leader = self.family.all().find(|process| process.folder == over.folder);
            let is_kept = leader.is_some_and(|leader| leader.is_alive() && leader.fact(PROFILER).is_some());
            // Where the program profiles itself, nothing is written but what it asks for.
            let is_spare = self.plan.options.schedule == Schedule::Manual
                || self.saver.save(&self.family, &over, is_kept);
            if is_kept {
                self.results.add(&self.family, over, is_spare);
            }
        }
    }

    /// Opens and closes the window by time, for all processes at once.
    fn turn_window(&mut self) {
        let Some((wait, length)) = self.plan.window else { return };
        let since = |from: u64| Duration::from_nanos(monotonic().saturating_sub(from));
        if self.opened.is_none() && since(self.started) >= wait {
            self.opened = Some(monotonic());
            self.set_cycle(1);
        }
        if self.closed.is_none() && self.opened.is_some_and(|opened| since(opened) >= length) {
            self.closed = Some(monotonic());
            self.set_cycle(0);
        }
        let Some(opened) = self.opened else { return };
        for process in self.family.all_mut().filter(|process| process.leader.is_none()) {
            // Of one that came or went outside of the window there is nothing.
            let end = self.closed.map(|time| CycleEnd { time, last_step: process.steps, is_whole: true });
            match process.cycles.first_mut() {
                Some(cycle) => cycle.end = cycle.end.or(end),
                None => {
                    process.cycles.push(Cycle { number: 1, start: opened, first_step: process.steps, end });
                }
            }
        }
    }

    fn set_cycle(&mut self, cycle: u64) {
        if let Err(why) = self.run.set_cycle(cycle) {
            self.saver
                .status
                .tell(&format!("{}: the window cannot be turned: {why}", self.run.path().display()));
        }
    }

    /// Tells the person what the processes had to say, each thing once.
    fn tell_notes(&mut self) {
        for news in self.family.all().filter_map(|process| process.fact(PROFILER)).collect::<Vec<_>>() {
            self.is_asked = true;
            if !self.told.contains(&news) {
                self.saver.status.tell(&news);
                self.told.push(news);
            }
        }
        for kind in [NoteKind::Warning, NoteKind::Failure] {
            let notes: Vec<String> = self.family.all().flat_map(|process| process.notes_of(kind)).collect();
            for note in notes {
                if self.told.contains(&note) {
                    continue;
                }
                match kind {
                    NoteKind::Failure => self.saver.status.say(&note),
                    _ => self.saver.status.tell(&note),
                }
                self.told.push(note);
            }
        }
    }

    /// The program has ended: saves what is left, and says what there is to say.
    pub fn finish(&mut self, status: ExitStatus) {
        self.saver.status.clear();
        self.sample();
        self.family.look(self.run);
        let ended = monotonic();
        self.turn_window();
        // Of processes that outlive the program; those that are gone owe nothing.
        while self.family.is_waiting() {
            std::thread::sleep(MOMENT);
            self.family.look(self.run);
        }
        let how = child::words(status);
        self.save(true, how.as_deref().unwrap_or("the program ended"));
        self.tell_notes();
        closing::tell(self, ended, how);
    }

    /// Waits for the person's command to be done with all traces; `pause` waits for a moment, and says whether the person still does.
    pub fn finish_hooks(&mut self, pause: impl Fn() -> bool) {
        loop {
            match self.saver.turn_hooks() {
                0 => return,
                _ if pause() => {}
                left => {
                    let command = self.plan.on_trace_ready.as_deref().unwrap_or_default();
                    let left = fmt::counted(left as u64, "trace");
                    return self.saver.status.say(&format!("{command}: not done with {left}"));
                }
            }
        }
    }

    /// The traces that were written, and whether one could not be.
    pub fn outcome(self) -> (Vec<PathBuf>, bool) {
        (self.saver.traces, self.saver.has_failed)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    // Far beyond any capture where it does not fit.
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 4)
}
