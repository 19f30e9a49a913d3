//! Recording a program: started with an agent inside, watched while it runs, its cycles written as traces as they end.
//!
//! Nothing that goes wrong here changes what the program computes, prints or returns. Must not know the command line.
//!
//! - [`folder`] is the run's private folder, [`inside`] what processes load from it
//! - [`child`] is the program, [`signals`] what is sent on to it
//! - [`process`] is one captured process as it tells of itself, [`family`] all of them
//! - [`cycle`] makes a recording of a cycle, [`output`] writes it
//! - [`status`] and [`timer`] tell how it goes and went, [`doctor`] whether it would

pub mod child;
pub mod cycle;
pub mod doctor;
pub mod family;
pub mod folder;
pub mod inside;
pub mod output;
pub mod process;
pub mod secrets;
pub mod signals;
pub mod status;
pub mod timer;
pub mod usage;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crossbeam_channel::bounded;
use proftui_wire::live::Word;
use proftui_wire::log::NoteKind;
use proftui_wire::options::Options;
use proftui_wire::place;

use crate::export::recording::{Range, Recording, Thread};

use cycle::gather;
use family::{Family, Over};
use folder::RunFolder;
use output::Output;
use process::{Cycle, CycleEnd, Process};
use status::Status;
use usage::Sample;

/// How often the processes are looked at.
const TICK: Duration = Duration::from_millis(200);

/// Samples of processor use that are kept of a process: ten minutes of them.
const SAMPLES: usize = 3000;

/// What to record, and where to put it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// What its processes are asked to do.
    pub options: Options,
    /// Recording begins this long after the start and goes on for so long; by steps where there is none.
    pub window: Option<(Duration, Duration)>,
    /// Where traces go.
    pub output: Output,
    /// Where the run's folder is made; the system's place for such things by default.
    pub spool: Option<PathBuf>,
    /// Leave the run's folder.
    pub keeps_spool: bool,
    /// A command that is given each trace, as it is written.
    pub on_trace_ready: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// How the program ended.
    pub status: ExitStatus,
    /// The traces that were written.
    pub traces: Vec<PathBuf>,
}

/// Why there was nothing to wait for.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The traces would have no place.
    #[error("{path}: cannot be written to: {why}; --out names another folder")]
    Output {
        /// The folder.
        path: String,
        /// What the system says.
        why: io::Error,
    },
    /// The run would have no folder.
    #[error("no folder for the run: {0}; --spool names another place")]
    Folder(io::Error),
    /// The program cannot be run.
    #[error("{}", .0.why)]
    NotStarted(child::NotStarted),
    /// The system does not let us watch it.
    #[error("the program cannot be watched: {0}")]
    Watch(io::Error),
}

/// Runs the program and records it.
///
/// # Errors
/// When it was not started.
pub fn run(plan: &Plan) -> Result<Outcome, CaptureError> {
    plan.output
        .prepare()
        .map_err(|why| CaptureError::Output { path: plan.output.folder.display().to_string(), why })?;
    let run = RunFolder::make(plan.spool.as_deref(), &plan.options, plan.keeps_spool)
        .map_err(CaptureError::Folder)?;
    let target = signals::Target::default();
    let (wake, woken) = bounded(1);
    signals::pass_on(target.clone(), wake).map_err(CaptureError::Watch)?;
    let started = monotonic();
    let mut child = child::start(&plan.command, &run.environment()).map_err(CaptureError::NotStarted)?;
    target.set(&child);
    let mut watch = Watch::new(plan, &run, child.id(), started);
    let status = loop {
        if let Some(status) = target.try_wait(&mut child).map_err(CaptureError::Watch)? {
            break status;
        }
        watch.look();
        // A signal, the program's end among them, or time to look again.
        let _ = woken.recv_timeout(TICK);
    };
    Ok(Outcome { traces: watch.finish(status), status })
}

/// ns of the monotonic clock.
fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// The lead of the wall clock over the monotonic one, ns.
fn lead() -> i64 {
    let wall = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    wall.tv_sec * 1_000_000_000 + wall.tv_nsec - monotonic().cast_signed()
}

/// A run while it goes on.
struct Watch<'a> {
    plan: &'a Plan,
    run: &'a RunFolder,
    pid: u32,
    started: u64,
    family: Family,
    status: Status,
    /// Processor use of processes, by time.
    samples: HashMap<u32, Vec<(u64, Sample)>>,
    /// The window by time: opened at, closed at.
    opened: Option<u64>,
    closed: Option<u64>,
    traces: Vec<PathBuf>,
    /// Warnings and failures that were told.
    told: Vec<String>,
}

impl<'a> Watch<'a> {
    fn new(plan: &'a Plan, run: &'a RunFolder, pid: u32, started: u64) -> Self {
        let (family, status) = (Family::default(), Status::default());
        let mut watch = Self {
            plan,
            run,
            pid,
            started,
            family,
            status,
            samples: HashMap::new(),
            opened: None,
            closed: None,
            traces: Vec::new(),
            told: Vec::new(),
        };
        watch.sample();
        watch
    }

    fn look(&mut self) {
        self.sample();
        self.family.look(self.run);
        self.turn_window();
        let over = self.family.over(false, |_| "the process was killed".into());
        over.iter().for_each(|over| self.save(over));
        self.tell_notes();
        self.status.show(&self.family);
    }

    fn sample(&mut self) {
        let pids = self.family.leaders().map(|process| process.pid).chain([self.pid]).collect::<Vec<_>>();
        for pid in pids {
            if let Some(sample) = Sample::of(pid) {
                let samples = self.samples.entry(pid).or_default();
                if samples.len() >= SAMPLES {
                    samples.drain(..SAMPLES / 2);
                }
                samples.push((monotonic(), sample));
            }
        }
    }

    /// Opens and closes the window by time, in all processes that are there.
    fn turn_window(&mut self) {
        let Some((wait, length)) = self.plan.window else { return };
        let since = |from: u64| Duration::from_nanos(monotonic().saturating_sub(from));
        if self.opened.is_none() && since(self.started) >= wait {
            self.opened = Some(monotonic());
        }
        if let (Some(opened), None) = (self.opened, self.closed)
            && since(opened) >= length
        {
            self.closed = Some(monotonic());
        }
        let Some(opened) = self.opened else { return };
        let closed = self.closed;
        for process in self.family.all_mut().filter(|process| process.leader == 0) {
            let end = closed.map(|time| CycleEnd { time, last_step: process.steps, is_whole: true });
            match process.cycles.first_mut() {
                Some(cycle) if cycle.end.is_none() && end.is_some() => {
                    cycle.end = end;
                    open_or_close(&process.folder, 0);
                }
                None if end.is_none() => {
                    let cycle = Cycle { number: 1, start: opened, first_step: process.steps, end };
                    process.cycles.push(cycle);
                    open_or_close(&process.folder, 1);
                }
                _ => {}
            }
        }
    }

    /// Writes a cycle that is over, and lets go of what it was made of.
    fn save(&mut self, over: &Over) {
        let processes = self.family.with_followers(&over.folder);
        let Some(&leader) = processes.first() else { return };
        let mut gathered = gather(&processes, over.cycle.number, over.cycle.end.map(|end| end.time));
        let is_last = leader.cycles.last().is_some_and(|last| last.number == over.cycle.number);
        let elsewhere = processes.iter().map(|process| process.lost(over.cycle.number, is_last));
        let lost = gathered.lost + elsewhere.sum::<u64>();
        let has_steps =
            over.cycle.end.is_some_and(|end| end.last_step > over.cycle.first_step) || leader.steps > 0;
        if gathered.ranges == 0 && lost == 0 && !has_steps {
            // A launcher, a helper: nothing happened in it that was to be recorded.
            gathered.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
            return;
        }
        gathered.recording.facts = self.facts(leader, over, lost, gathered.last, &gathered.faults);
        let worker = output::worker(leader.pid, leader.fact("RANK").as_deref());
        let what = format!("{} ranges{}", crate::base::fmt::count(gathered.ranges), lost_words(lost));
        match self.plan.output.write(&worker, &gathered.recording) {
            Ok(path) => {
                let cause =
                    over.cause.as_ref().map_or_else(String::new, |cause| format!("; incomplete: {cause}"));
                self.status.tell(&format!("{}: {what}{cause}", path.display()));
                self.ready(&path);
                self.traces.push(path);
            }
            Err(why) => {
                let folder = self.plan.output.folder.display();
                self.status.tell(&format!("{folder}: a trace of {what} cannot be written: {why}"));
            }
        }
        // What is written need not be kept twice.
        gathered.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
    }

    /// What stands beside the events of a trace.
    fn facts(
        &self,
        leader: &Process,
        over: &Over,
        lost: u64,
        last: u64,
        faults: &[String],
    ) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut add = |key: &str, value: String| facts.push((key.to_owned(), value));
        if let Some(usage) = self.usage(leader.pid, over.cycle.start, last) {
            add("System Cpu Utilization", format!("{:.6}", usage.system));
            add("Process Cpu Utilization", format!("{:.6}", usage.process));
        }
        add("proftui.version", env!("CARGO_PKG_VERSION").into());
        add("proftui.command", command(&self.plan.command));
        add("proftui.cycle", over.cycle.number.to_string());
        let last_step = over.cycle.end.map_or(leader.steps, |end| end.last_step);
        add("proftui.steps", format!("{}..{last_step}", over.cycle.first_step));
        add("proftui.lost", lost.to_string());
        if let Some(cause) = &over.cause {
            add("proftui.incomplete", cause.clone());
        }
        for fact in leader.notes_of(NoteKind::Fact) {
            if let Some((key, value)) = fact.split_once('=') {
                add(&format!("proftui.{key}"), value.to_owned());
            }
        }
        let oddities = leader.notes_of(NoteKind::Warning).chain(leader.notes_of(NoteKind::Failure));
        for (number, text) in (1..).zip(oddities.chain(faults.iter().cloned())) {
            add(&format!("proftui.note.{number}"), text);
        }
        facts
    }

    /// Processor use between two times, from the samples around them.
    fn usage(&self, pid: u32, start: u64, end: u64) -> Option<usage::Usage> {
        let samples = self.samples.get(&pid)?;
        let before = samples.iter().rev().find(|sample| sample.0 <= start).or(samples.first())?;
        let after = samples.iter().find(|sample| sample.0 >= end).or(samples.last())?;
        (before.0 < after.0).then(|| after.1.since(&before.1))
    }

    /// Tells the person what the processes had to say, each thing once.
    fn tell_notes(&mut self) {
        let kinds = [NoteKind::Warning, NoteKind::Failure];
        let notes: Vec<String> = (self.family.all())
            .flat_map(|process| kinds.into_iter().flat_map(|kind| process.notes_of(kind).collect::<Vec<_>>()))
            .collect();
        for note in notes {
            if !self.told.contains(&note) {
                self.status.tell(&note);
                self.told.push(note);
            }
        }
    }

    /// Gives a trace to the person's command.
    fn ready(&mut self, path: &Path) {
        let Some(command) = &self.plan.on_trace_ready else { return };
        let ran = Command::new("sh").arg("-c").arg(format!("{command} \"$1\"")).arg("sh").arg(path).status();
        match ran {
            Ok(status) if status.success() => {}
            Ok(status) => self.status.tell(&format!("{command}: {status}")),
            Err(why) => self.status.tell(&format!("{command}: {why}")),
        }
    }

    /// The program has ended: saves what is left, and says what there is to say.
    fn finish(mut self, status: ExitStatus) -> Vec<PathBuf> {
        self.sample();
        self.family.look(self.run);
        let ended = monotonic();
        let end = child::words(status);
        self.turn_window();
        let how = end.clone().unwrap_or_else(|| "the program ended".into());
        let over = self.family.over(true, |process| {
            if process.is_alive() { "the process goes on without us".into() } else { how.clone() }
        });
        over.iter().for_each(|over| self.save(over));
        self.tell_notes();
        self.status.clear();
        if self.plan.options.is_timer_only {
            self.tell_timers();
        } else if self.traces.is_empty() {
            self.explain(ended, end);
        }
        self.traces
    }

    fn tell_timers(&mut self) {
        let leaders: Vec<(u32, Option<String>)> =
            self.family.all().map(|process| (process.pid, timer::summary(&process.live().timer()))).collect();
        let has_several = leaders.iter().filter(|(_, text)| text.is_some()).count() > 1;
        for (pid, text) in leaders.iter().filter_map(|(pid, text)| Some((pid, text.as_ref()?))) {
            let whose = if has_several { format!("process {pid}: ") } else { String::new() };
            self.status.tell(&format!("{whose}{}", text.trim_end()));
        }
        if leaders.iter().all(|(_, text)| text.is_none()) {
            self.status.tell("no step was seen; --step-on says what ends one");
        }
    }

    /// Why there is no trace; of a program that cannot be looked into, one of its own life.
    fn explain(&mut self, ended: u64, end: Option<String>) {
        let first = self.plan.options.schedule.first();
        let steps = self.family.all().map(|process| process.steps).max();
        match steps {
            None => {
                let why = "no Python process of the program could be looked into (python -I, -E or -S, or another language)";
                self.life(ended, end, why);
            }
            Some(0) if first > 0 => self.status.tell(&format!(
                "nothing was recorded: no step was seen, so step {first} never came; --step-on says what ends a step"
            )),
            Some(steps) if steps <= first => self.status.tell(&format!(
                "nothing was recorded: recording begins with step {first}, and the program ended in step {steps}"
            )),
            Some(_) => self.status.tell("nothing was recorded: nothing that could be happened while it was on"),
        }
    }

    /// Writes a trace of nothing but the program's own beginning and end.
    fn life(&mut self, ended: u64, end: Option<String>, why: &str) {
        let lead = lead();
        let wall = |time: u64| time.checked_add_signed(lead).unwrap_or(time);
        let range = Range { start: wall(self.started), end: wall(ended), kind: 7, name: 0, is_cut: false };
        let name = Path::new(&self.plan.command[0]).file_name().unwrap_or_default().to_string_lossy();
        let mut facts = vec![
            ("proftui.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("proftui.command".to_owned(), command(&self.plan.command)),
            ("proftui.note.1".to_owned(), why.to_owned()),
        ];
        facts.extend(end.map(|end| ("proftui.end".to_owned(), end)));
        let recording = Recording {
            index: 0,
            names: vec![name.as_bytes().to_vec()],
            threads: vec![Thread {
                pid: self.pid,
                tid: self.pid,
                name: name.into_owned(),
                ranges: vec![range],
            }],
            facts,
        };
        match self.plan.output.write(&output::worker(self.pid, None), &recording) {
            Ok(path) => {
                self.status
                    .tell(&format!("{}: only the program's own beginning and end: {why}", path.display()));
                self.ready(&path);
                self.traces.push(path);
            }
            Err(why) => self.status.tell(&format!("{}: {why}", self.plan.output.folder.display())),
        }
    }
}

/// Writes the cycle's number on the live page of a process; 0 ends it.
fn open_or_close(folder: &Path, cycle: u64) {
    let page = std::fs::OpenOptions::new().write(true).open(folder.join(place::LIVE));
    // A process that has no page records nothing.
    let _ = page.and_then(|page| page.write_all_at(&cycle.to_le_bytes(), Word::Cycle as u64 * 8));
}

/// The command line as it may be written down.
fn command(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    secrets::hide(&words).join(" ")
}

fn lost_words(lost: u64) -> String {
    if lost == 0 { ", none lost".into() } else { format!(", {} lost", crate::base::fmt::count(lost)) }
}
