//! Supervises a run: reads its processes at intervals, opens and closes the time window, has ended cycles
//! written, answers requests.

pub mod answer;
pub(super) mod dump_requests;
mod final_report;
mod request_error;
pub mod requests;
mod slow_steps;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use proftui_wire::log::NoteKind;
use proftui_wire::process_key::ProcessKey;
use proftui_wire::schedule::Schedule;

use proftui_base::fmt;

use super::gpu::Gpu;
use super::plan::Plan;
use super::process::{Cycle, CycleEnd, Process, Stop};
use super::trace_writer::TraceWriter;
use crate::capture::cycle::newest_cycles::NewestCycles;
use crate::capture::files::run_folder::RunFolder;
use crate::capture::process::ends::Ends;
use crate::capture::process::states::{self as process_states, States};
use crate::capture::process::tree::ProcessTree;
use crate::capture::supervisor::dump_requests::{DumpRequest, NoDump};
use crate::capture::supervisor::request_error::RequestError;
use crate::capture::supervisor::slow_steps::SlowSteps;
use crate::capture::system::child;
use crate::capture::system::clock::{LOOK_INTERVAL, monotonic};
use crate::capture::trace_writer::error::TraceError;
use final_report::Ending;

/// Longest pause between two looks for requests for traces, while processes of the run may make any.
const REQUEST_INTERVAL: Duration = Duration::from_millis(20);
/// Interval at which processes are read while the end of the run waits for them.
const FLUSH_INTERVAL: Duration = Duration::from_millis(10);
/// How long after the program's end the run waits at most for other processes to end.
const OUTLIVING: Duration = Duration::from_millis(250);
/// Key of the fact that a process's script may request traces; the value is a message for the user.
const PROFILER: &str = "profiler";

/// End of the message about a process that can no longer open its folder: what its records lack, what to do.
const PARTLY: &str = "what the process did since then is recorded in part or not at all; start proftui as \
    the user, and in the root folder, that the process has now";

/// Cause of an incomplete cycle whose process ended in a way that neither it nor the system reports.
const UNKNOWN: &str = "the process ended without running its exit handlers";

/// The supervisor of one run.
#[derive(Debug)]
pub struct Supervisor<'a> {
    plan: &'a Plan,
    folder: &'a RunFolder,
    pid: u32,
    /// When the program or its supervision began, ns of the monotonic clock.
    started: u64,
    tree: ProcessTree,
    writer: TraceWriter,
    /// When the time window was opened, ns of the monotonic clock; `None` before, and without a time window.
    window_opened: Option<u64>,
    /// When the time window was closed, ns of the monotonic clock; `None` before, and without a time window.
    window_closed: Option<u64>,
    /// Messages from and about processes that need not be printed again.
    printed: Vec<String>,
    /// The newest ended cycle of each process that may request a trace of it.
    newest: NewestCycles,
    /// How the processes ended that the tree has forgotten.
    past: States,
    slow_steps: SlowSteps,
    /// True if, as far as known, processes may request traces.
    takes_requests: bool,
    /// When the requests for dumps that are answered next were found, ns of the monotonic clock, and these
    /// requests.
    dumps: (u64, Vec<DumpRequest>),
    /// When [`Supervisor::look`] last began a full look, ns of the monotonic clock; 0 before.
    looked: u64,
}

impl<'a> Supervisor<'a> {
    /// Makes the supervisor of the program with process id `pid`. At `started`, ns of the monotonic clock,
    /// the program or its supervision began.
    pub fn new(plan: &'a Plan, folder: &'a RunFolder, writer: TraceWriter, pid: u32, started: u64) -> Self {
        let is_open_ended = plan.options.schedule.is_open_ended() || plan.window.is_some();
        let ends = Ends::listen(&folder.inside());
        let takes_requests = plan.options.schedule == Schedule::Manual;
        let mut supervisor = Self {
            plan,
            folder,
            pid,
            started,
            tree: ProcessTree::new(ends, is_open_ended),
            writer,
            window_opened: None,
            window_closed: None,
            printed: Vec::new(),
            newest: NewestCycles::default(),
            past: States::default(),
            slow_steps: SlowSteps::default(),
            takes_requests,
            dumps: (0, Vec::new()),
            looked: 0,
        };
        supervisor.sample();
        supervisor
    }

    /// Answers requests for traces, and, where due, reads the processes, writes dumps and traces, and prints
    /// messages and the status row.
    pub fn look(&mut self) {
        self.answer_requests();
        let now = monotonic();
        // If processes may make requests, this function is called more often than processes need to be read.
        if self.takes_requests && now < self.looked.saturating_add(nanoseconds(self.look_pause())) {
            return;
        }
        self.looked = now;
        self.sample();
        self.tree.look(self.folder);
        self.update_window();
        self.answer_dumps(false);
        let delivered = self.tree.delivered(now);
        self.slow_steps.write(&mut self.writer, &self.tree, delivered);
        self.write_ended(false);
        self.writer.run_trace_ready();
        let overdue = self.writer.first_line.take_overdue(now);
        overdue.iter().for_each(|line| self.writer.status.print_unless_quiet(line));
        self.newest.forget_gone(&self.tree);
        if self.plan.options.is_ring {
            let Self { tree, past, .. } = self;
            tree.forget_past(|tree, process| past.add(tree, process));
        }
        self.print_notes();
        self.writer.status.show(&self.tree);
    }

    /// Writes the traces that processes request, and answers with success or an error; a request may stay
    /// until device records have come.
    fn answer_requests(&mut self) {
        let pending = if self.takes_requests { requests::pending(&self.folder.inside()) } else { Vec::new() };
        if pending.is_empty() {
            return;
        }
        // A sample is taken now, since processor use must be known up to the cycle's end.
        self.sample();
        self.tree.look(self.folder);
        self.write_ended(false);
        for request in pending {
            let outcome = match self.newest.of(&request.folder, request.cycle) {
                Some(ended) => {
                    let written = self.writer.write_to(
                        &self.tree,
                        ended,
                        (request.format, &request.path),
                        &request.metadata,
                    );
                    written.map_err(RequestError::from)
                }
                // The cycle has not ended while device records may still arrive: the request stays.
                None if self.tree.awaits_device_records() => continue,
                None => Err(RequestError::NotNewest),
            };
            if let Err(why) = request.answer(outcome) {
                self.writer.status.print(&format!(
                    "{}: cannot answer the script's request for a trace: {why}",
                    self.folder.path().display()
                ));
            }
        }
    }

    /// Writes the dump that `proftui dump` requests, and answers with the paths of the traces or an error.
    /// Unless `is_final`, the request may stay until device records are delivered.
    fn answer_dumps(&mut self, is_final: bool) {
        let now = monotonic();
        if self.dumps.1.is_empty() {
            self.dumps = (now, dump_requests::pending(&self.folder.inside()));
        }
        let is_delivered = is_final || self.dumps.0 <= self.tree.delivered(now);
        if self.dumps.1.is_empty() || !is_delivered {
            return;
        }
        let (until, pending) = std::mem::take(&mut self.dumps);
        let answer = if self.plan.options.is_ring {
            // All names of ranges before this moment are read after it.
            self.sample();
            self.tree.look(self.folder);
            dump(&mut self.writer, &self.tree, until).map_err(RequestError::from)
        } else {
            Err(RequestError::NoRing)
        };
        let answer = answer.map_err(|why| NoDump(why.to_string()));
        for request in pending {
            if let Err(why) = request.answer(&answer) {
                let path = self.folder.path().display();
                self.writer.status.print(&format!("{path}: cannot answer proftui dump: {why}"));
            }
        }
    }

    /// How long to wait at most before the next call of [`Supervisor::look`].
    pub fn pause(&self) -> Duration {
        let pause = self.look_pause();
        if self.takes_requests { pause.min(REQUEST_INTERVAL) } else { pause }
    }

    /// The pause between two looks at the processes: [`LOOK_INTERVAL`], or the time until the time window
    /// opens or closes, if that is shorter.
    fn look_pause(&self) -> Duration {
        let Some((delay, length)) = self.plan.window else { return LOOK_INTERVAL };
        let edge = match (self.window_opened, self.window_closed) {
            (None, _) => self.started.saturating_add(nanoseconds(delay)),
            (Some(opened), None) => opened.saturating_add(nanoseconds(length)),
            _ => return LOOK_INTERVAL,
        };
        LOOK_INTERVAL.min(Duration::from_nanos(edge.saturating_sub(monotonic())))
    }

    /// Samples the processor use of the program and of processes with cycles, except those in containers, and
    /// switches the sampling of GPUs on or off.
    fn sample(&mut self) {
        let now = monotonic();
        let pids: Vec<u32> = self
            .tree
            .with_cycles()
            .filter(|process| !process.is_foreign())
            .map(|process| process.pid)
            .chain([self.pid])
            .collect();
        pids.into_iter().for_each(|pid| self.writer.sample(pid, now));
        if let Some(sampler) = self.writer.gpu.as_ref().and_then(Gpu::sampler) {
            let is_open = self.window_opened.is_some() && self.window_closed.is_none();
            sampler.set_active(is_open || self.tree.all().any(Process::is_recording));
        }
    }

    /// Writes traces of newly ended cycles, with a manual schedule none, and keeps the cycles of which
    /// processes may request traces; with `is_final`, open cycles count as ended.
    fn write_ended(&mut self, is_final: bool) {
        // A script that requests traces waits for them itself.
        self.tree.waits_for_files = !self.takes_requests;
        let all_ended = self.tree.take_ended(is_final, UNKNOWN);
        if !all_ended.is_empty() {
            // A follower may have been read before its leader's cycle ended, or have started since: all are
            // read once more.
            self.tree.look(self.folder);
        }
        for ended in all_ended {
            let leader = self.tree.all().find(|process| process.folder == ended.folder);
            let is_kept = leader.is_some_and(|leader| leader.is_alive() && leader.fact(PROFILER).is_some());
            // For a program that profiles itself, only the traces that it requests are written.
            let is_disposable = self.plan.options.schedule == Schedule::Manual
                || self.writer.write_ended(&self.tree, &ended, is_kept);
            if is_kept {
                self.newest.add(&self.tree, ended, is_disposable);
            }
        }
    }

    /// Opens and closes the time window, if there is one, when its time has come, and enters it as a cycle of
    /// each rank.
    fn update_window(&mut self) {
        let Some((delay, length)) = self.plan.window else { return };
        let since = |from: u64| Duration::from_nanos(monotonic().saturating_sub(from));
        if self.window_opened.is_none() && since(self.started) >= delay {
            self.window_opened = Some(monotonic());
            self.set_cycle(1);
        }
        if self.window_closed.is_none() && self.window_opened.is_some_and(|opened| since(opened) >= length) {
            self.window_closed = Some(monotonic());
            self.set_cycle(0);
        }
        let Some(opened) = self.window_opened else { return };
        let ranks = self.tree.all().filter(|process| self.tree.is_rank(process));
        let ranks: HashSet<ProcessKey> = ranks.map(|process| process.key).collect();
        for process in self.tree.all_mut().filter(|process| ranks.contains(&process.key)) {
            // A process that ran only outside of the window gets a cycle, too, which will be empty.
            let end =
                self.window_closed.map(|time| CycleEnd { time, last_step: process.steps, is_whole: true });
            if let Some(cycle) = process.cycles.first_mut() {
                cycle.end = cycle.end.or(end);
            } else {
                let first_step = process.steps;
                process.cycles.push(Cycle { number: 1, start: opened, first_step, end, is_dropped: false });
            }
        }
    }

    /// Publishes in the run folder the number of the cycle that all processes are to record, 0 for none.
    fn set_cycle(&mut self, cycle: u64) {
        if let Err(why) = self.folder.set_cycle(cycle) {
            let path = self.folder.path().display();
            self.writer
                .status
                .print_unless_quiet(&format!("{path}: cannot start or end the time window: {why}"));
        }
    }

    /// Prints what processes report, each text once; with `--quiet` only failures. Also notes whether scripts
    /// may request traces.
    fn print_notes(&mut self) {
        for news in self.tree.all().filter_map(|process| process.fact(PROFILER)).collect::<Vec<_>>() {
            self.takes_requests = true;
            if !self.printed.contains(&news) {
                self.writer.status.print_unless_quiet(&news);
                self.printed.push(news);
            }
        }
        for cut in self.tree.all().filter_map(Process::cut).collect::<Vec<_>>() {
            let line = format!("{cut}, and cannot open the capture's temporary folder: {PARTLY}");
            if !self.printed.contains(&line) {
                self.writer.status.print_unless_quiet(&line);
                self.printed.push(line);
            }
        }
        let stops = self.tree.all().flat_map(Process::stops);
        let stops = stops.map(|Stop { cycle, step, why }| {
            let step = fmt::count(step);
            format!("recorded cycle {cycle}: a process no longer records all since step {step}: {why}")
        });
        for stop in stops.collect::<Vec<_>>() {
            if !self.printed.contains(&stop) {
                self.writer.status.print_unless_quiet(&stop);
                self.printed.push(stop);
            }
        }
        for kind in [NoteKind::Warning, NoteKind::Failure] {
            let notes: Vec<String> = self.tree.all().flat_map(|process| process.notes_of(kind)).collect();
            for note in notes {
                if self.printed.contains(&note) {
                    continue;
                }
                match kind {
                    NoteKind::Failure => self.writer.status.print(&note),
                    _ => self.writer.status.print_unless_quiet(&note),
                }
                self.printed.push(note);
            }
        }
    }

    /// Ends the run after the program has ended with `status`: waits shortly for other processes, writes the
    /// remaining traces, and prints the final report.
    pub fn finish(&mut self, status: ExitStatus) {
        self.writer.status.clear();
        self.sample();
        self.tree.look(self.folder);
        let ended = monotonic();
        self.update_window();
        // Only processes that outlive the program may still deliver device records.
        while self.tree.awaits_device_records() {
            std::thread::sleep(FLUSH_INTERVAL);
            self.tree.look(self.folder);
        }
        let own = self.tree.all().filter(|process| process.pid == self.pid).map(|process| process.key).max();
        own.into_iter().for_each(|key| self.tree.ends.add(key, status));
        // What the program leaves behind, such as a fork server, mostly ends with it.
        while self.tree.all().any(|process| process_states::is_running(&self.tree, process))
            && monotonic() < ended.saturating_add(nanoseconds(OUTLIVING))
        {
            std::thread::sleep(FLUSH_INTERVAL);
            self.tree.look(self.folder);
        }
        self.answer_dumps(true);
        self.slow_steps.write(&mut self.writer, &self.tree, u64::MAX);
        let cause = child::describe_end(status);
        self.write_ended(true);
        self.print_notes();
        final_report::print(Ending {
            plan: self.plan,
            run: self.folder.path().to_owned(),
            is_folder_there: self.folder.is_there(),
            tree: &self.tree,
            writer: &mut self.writer,
            pid: self.pid,
            started: self.started,
            ended,
            cause,
        });
    }

    /// If a trace was written, prints where its time went, if that is known, how the processes ended, and how
    /// to open it, unless `--quiet`. `pause` waits for at most the given time; false ends the wait.
    pub fn print_answer(&mut self, pause: impl Fn(Duration) -> bool) {
        self.writer.run_trace_ready();
        let mut states = self.past.clone();
        self.tree.all().for_each(|process| states.add(&self.tree, process));
        let processes = states.describe();
        answer::print(&mut self.writer, processes.as_deref(), pause);
    }

    /// Runs the `--on-trace-ready` command for the traces that wait for it, one by one, until all are done or
    /// `pause` is false: then a message states how many are left.
    pub fn finish_trace_ready(&mut self, pause: impl Fn() -> bool) {
        loop {
            match self.writer.run_trace_ready() {
                0 => return,
                _ if pause() => {}
                left => {
                    let command = self.writer.trace_ready.shown();
                    let traces = fmt::counted(left as u64, "trace");
                    return self
                        .writer
                        .status
                        .print(&format!("--on-trace-ready: {command} has not finished for {traces}"));
                }
            }
        }
    }

    /// Returns the paths of the written traces in the output folder, and true if the trace of an ended cycle
    /// could not be written.
    pub fn into_traces(self) -> (Vec<PathBuf>, bool) {
        (self.writer.traces, self.writer.has_failed)
    }
}

/// Writes a trace of what the rings hold up to `now`, ns of the monotonic clock, for each living leader.
/// Returns the absolute paths, or an error if none was written.
fn dump(writer: &mut TraceWriter, tree: &ProcessTree, now: u64) -> Result<Vec<PathBuf>, TraceError> {
    let open = tree.with_cycles().filter(|process| process.is_alive());
    let open: Vec<_> = open.filter_map(|process| tree.newest_until(process, now)).collect();
    let (mut paths, mut problem) = (Vec::new(), TraceError::Empty);
    for cycle in open {
        match writer.write_open(tree, &cycle, None) {
            Ok(path) => paths.push(std::path::absolute(&path).unwrap_or(path)),
            Err(why) => problem = why,
        }
    }
    if paths.is_empty() { Err(problem) } else { Ok(paths) }
}

/// Converts a duration to ns; a duration that does not fit becomes `u64::MAX / 4`.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 4)
}
