//! Writes cycles as traces, with facts about the run: processor use, steps, losses, GPUs.
//!
//! Must not know when a cycle has ended.

pub mod error;
mod facts;
mod losses;
pub mod trace_ready;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use proftui_wire::live::Word;
use serde_json::{Map, Value};

use proftui_base::fmt;
use proftui_trace::export::recording::Recording;

use super::cycle::{self, CollectedCycle, Extent};
use super::gpu::Gpu;
use super::process::Process;
use crate::capture::files::output::{self, Output, OutputFormat};
use crate::capture::gpu::reason::{self, Evidence, explain};
use crate::capture::messages::first_line::FirstLine;
use crate::capture::messages::status::Status;
use crate::capture::process::cpu_usage::CpuSample;
use crate::capture::process::ended::{EndedCycle, ProcessEnd};
use crate::capture::process::states::{self as process_states, has_lost_device_records};
use crate::capture::process::tree::ProcessTree;
use crate::capture::system::clock::monotonic;
use crate::capture::trace_writer::error::TraceError;
use crate::capture::trace_writer::losses::{all_lost, lost_device_records};
use crate::capture::trace_writer::trace_ready::TraceReadyCommand;

/// Most samples of processor use that are kept for a process.
const SAMPLES: usize = 3000;

/// Paddle's numbers of the phases of a step: loading, forward, backward, optimizer.
const PHASES: [u16; 4] = [1, 9, 10, 11];

/// Message for a cycle whose operators are lost.
const LOST_OPERATORS: &str = "the operators are missing: the process left no complete file of them";

/// A trace of an ended cycle that was written.
#[derive(Debug)]
pub struct Written {
    /// Path of the trace.
    pub path: PathBuf,
    /// Rank of the trace's leader; `None` if it is not known.
    pub rank: Option<u64>,
    /// Number of steps from the first to the last one in the trace; 0 if it has none.
    pub steps: u64,
    /// About the number of ranges in the trace, or of the events that were read for it from device, profiler
    /// and operator files, whichever is greater.
    pub events: u64,
}

/// What the recording of a cycle contains.
struct Content {
    /// A summary of the recording for the user.
    summary: String,
    /// Number of steps from the first to the last one in the recording; 0 if it has none.
    steps: u64,
    /// True if the summary does not state that records are lost or not kept, or the cycle incomplete.
    is_whole: bool,
}

/// Writes traces, and remembers which were written.
#[derive(Debug)]
pub struct TraceWriter {
    /// The output folder, and the format of traces in it.
    pub output: Output,
    /// The captured command line, with secrets hidden.
    pub command: String,
    /// Runs the command of `--on-trace-ready`, if given, with the traces written into the output folder.
    pub trace_ready: TraceReadyCommand,
    /// Prints messages, such as the paths of written traces.
    pub status: Status,
    /// Paths of the traces written into the output folder, in order, without discarded ones.
    pub traces: Vec<PathBuf>,
    /// The traces of ended cycles that were written into the output folder, in order.
    pub written: Vec<Written>,
    /// The message about the first trace of an ended cycle, which may be held back.
    pub first_line: FirstLine,
    /// True once a phase of a step, such as forward, was found in a cycle.
    pub has_phases: bool,
    /// True once the trace of an ended cycle could not be written into the output folder.
    pub has_failed: bool,
    /// What this process knows of GPUs; `None` if it does not deal with GPUs.
    pub gpu: Option<Gpu>,
    /// True once the message about lost operators was printed.
    pub has_printed_lost_operators: bool,
    /// Samples of processor use by process id, each with its time, ns of the monotonic clock.
    pub samples: HashMap<u32, Vec<(u64, CpuSample)>>,
}

impl TraceWriter {
    /// Makes a writer that has written nothing. `command` is the captured command line with secrets hidden,
    /// `on_trace_ready` a shell command to run for each trace.
    pub fn new(output: Output, command: String, on_trace_ready: Option<String>, status: Status) -> Self {
        Self {
            output,
            command,
            trace_ready: TraceReadyCommand::new(on_trace_ready),
            status,
            traces: Vec::new(),
            written: Vec::new(),
            first_line: FirstLine::default(),
            has_phases: false,
            has_failed: false,
            gpu: None,
            has_printed_lost_operators: false,
            samples: HashMap::new(),
        }
    }

    /// Samples the processor use of process `pid`; `now` is the time of the monotonic clock, ns.
    pub fn sample(&mut self, pid: u32, now: u64) {
        if let Some(sample) = CpuSample::of(pid) {
            let samples = self.samples.entry(pid).or_default();
            if samples.len() >= SAMPLES {
                samples.drain(..SAMPLES / 2);
            }
            samples.push((now, sample));
        }
    }

    /// Advances the queue of `--on-trace-ready`, and prints a failure of its command. Returns how many traces
    /// the command still has to handle.
    pub fn run_trace_ready(&mut self) -> usize {
        if let Some(complaint) = self.trace_ready.advance() {
            self.status.print(&complaint);
        }
        self.trace_ready.left()
    }

    /// Writes an ended cycle, unless it is empty or dropped, as a trace into the output folder, and removes
    /// the cycle's files unless `is_kept`. False, and the files stay, if the trace cannot be written.
    pub fn write_ended(&mut self, tree: &ProcessTree, ended: &EndedCycle, is_kept: bool) -> bool {
        let Some((processes, mut collected)) = collect(tree, ended) else { return true };
        let is_empty = ended.cycle.is_dropped || collected.ranges + collected.events == 0;
        if is_empty
            && !ended.cycle.is_dropped
            && let Some(losses) = all_lost(&collected)
        {
            let number = ended.cycle.number;
            self.status.print(&format!("recorded cycle {number}: no trace was written: {losses}"));
        }
        // The cycle of a launcher or helper process is empty.
        let is_done = is_empty || self.write_cycle(&processes, ended, None, &mut collected);
        if is_done && !is_kept {
            collected.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
        is_done
    }

    /// Writes what a cycle has recorded up to the end that `ended` states, as a trace into the output folder;
    /// returns its path. A trace for the sake of one `step` has its number in its name.
    ///
    /// # Errors
    /// When the trace cannot be written, nothing is recorded, or `tree` lacks the cycle's process.
    pub fn write_open(
        &mut self,
        tree: &ProcessTree,
        ended: &EndedCycle,
        step: Option<u64>,
    ) -> Result<PathBuf, TraceError> {
        let (processes, mut collected) = collect(tree, ended).ok_or(TraceError::NoProcess)?;
        if collected.ranges + collected.events == 0 {
            return Err(TraceError::Empty);
        }
        let is_written = self.write_cycle(&processes, ended, step, &mut collected);
        let path = self.traces.last().filter(|_| is_written);
        path.cloned().ok_or_else(|| TraceError::NotWritten { folder: self.output.folder.clone() })
    }

    /// Removes the file of a trace, and its path from [`Self::traces`], unless `--on-trace-ready` still needs
    /// the file. True if the file was removed.
    pub fn discard(&mut self, path: &Path) -> bool {
        let is_gone = !self.trace_ready.is_due(path) && std::fs::remove_file(path).is_ok();
        if is_gone {
            self.traces.retain(|trace| trace != path);
        }
        is_gone
    }

    /// Writes an ended cycle as a trace to a path, replacing a file that is there, with `metadata` as
    /// [`Recording::metadata`]. The trace is not added to [`Self::traces`].
    ///
    /// # Errors
    /// When the trace cannot be written, or `tree` lacks the cycle's process.
    pub fn write_to(
        &mut self,
        tree: &ProcessTree,
        ended: &EndedCycle,
        (format, path): (OutputFormat, &Path),
        metadata: &Map<String, Value>,
    ) -> Result<(), TraceError> {
        let (processes, mut collected) = collect(tree, ended).ok_or(TraceError::NoProcess)?;
        self.add_facts(&processes, ended, &mut collected);
        collected.recording.metadata.clone_from(metadata);
        output::write_to(path, format, &collected.recording)
            .map_err(|why| TraceError::Path { path: path.to_owned(), why })
    }

    /// Writes a cycle as a trace into the output folder; if the cycle has ended, also announces the trace.
    /// False if the trace cannot be written.
    fn write_cycle(
        &mut self,
        processes: &[&Process],
        ended: &EndedCycle,
        step: Option<u64>,
        collected: &mut CollectedCycle,
    ) -> bool {
        let Some(&leader) = processes.first() else { return false };
        let content = self.add_facts(processes, ended, collected);
        let mut ranges = collected.recording.threads.iter().flat_map(|thread| &thread.ranges);
        self.has_phases = self.has_phases || ranges.any(|range| PHASES.contains(&range.kind));
        let rank = leader.rank();
        let name = output::worker_name(leader.pid, rank.as_deref());
        let Some(path) = self.write(&name, step, &collected.recording, &content.summary) else {
            self.has_failed |= !ended.is_open;
            return false;
        };
        if ended.is_open {
            return true;
        }
        let line = format!("{}: {}", path.display(), content.summary);
        let lines = self.first_line.add(line, content.is_whole, monotonic());
        lines.iter().for_each(|line| self.status.print_unless_quiet(line));
        self.written.push(Written {
            path,
            rank: rank.and_then(|rank| rank.parse().ok()),
            steps: content.steps,
            events: collected.ranges.max(collected.events),
        });
        true
    }

    /// Sets the facts of the recording in `collected`, and returns what the recording contains. May print
    /// messages about missing records.
    fn add_facts(
        &mut self,
        processes: &[&Process],
        ended: &EndedCycle,
        collected: &mut CollectedCycle,
    ) -> Content {
        let Some(&leader) = processes.first() else {
            return Content { summary: String::new(), steps: 0, is_whole: true };
        };
        let steps = collected.steps();
        let shown = steps
            .map_or_else(|| "the whole recording".into(), |(first, last)| format!("steps {first}..{last}"));
        let work = collected.recording.devices.work.len() as u64;
        let evidence = Evidence::of(leader.pid, processes, ended.cycle.number, work, shown);
        let lost_operators = self.lost_operators(ended, collected);
        let cause = ended.cause.clone().or_else(|| lost_operators.as_ref().map(|(_, why)| why.clone()));
        let cause = cause.or_else(|| lost_device_records(collected.without_device_records));
        collected.recording.facts = self.run_facts(processes, ended, collected, steps);
        collected
            .recording
            .facts
            .extend(cause.iter().map(|cause| ("proftui.incomplete".to_owned(), cause.clone())));
        collected.recording.facts.extend(self.gpu_reason(&evidence));
        collected.recording.facts.extend(lost_operators);
        let of_devices = collected.counts.lost.saturating_add(collected.counts.dropped);
        let lost = collected.lost.saturating_add(of_devices);
        let is_whole = lost == 0 && cause.is_none() && collected.kept_since.is_none();
        let lost = if lost > 0 { format!(", {} lost", fmt::count(lost)) } else { String::new() };
        let cause = cause.map_or_else(String::new, |cause| format!("; incomplete: {cause}"));
        let work = match collected.recording.devices.work.len() {
            0 => String::new(),
            1 => ", 1 kernel, copy or memset".to_owned(),
            work => format!(", {} kernels, copies and memsets", fmt::count(work as u64)),
        };
        let of_steps = match steps {
            Some((first, last)) if first == last => format!("step {first}, "),
            Some((first, last)) => format!("steps {first} to {last}, "),
            None => String::new(),
        };
        let kept =
            if collected.kept_since.is_some() { "; earlier records were not kept (--keep-last)" } else { "" };
        let summary =
            format!("{of_steps}{}{work}{lost}{cause}{kept}", fmt::counted(collected.ranges, "range"));
        let steps = steps.map_or(0, |(first, last)| (last - first).saturating_add(1));
        Content { summary, steps, is_whole }
    }

    /// Writes a recording as a trace into the output folder, and usually prints a line about it.
    /// `worker_name` names the process in the file's name, `what` states the contents.
    pub fn write_trace(&mut self, worker_name: &str, recording: &Recording, what: &str) {
        if let Some(path) = self.write(worker_name, None, recording, what) {
            self.status.print_unless_quiet(&format!("{}: {what}", path.display()));
        }
    }

    /// Writes a recording as a trace into the output folder, queues the trace for `--on-trace-ready`, and
    /// returns its path. If writing fails, prints a message and returns `None`.
    fn write(
        &mut self,
        worker_name: &str,
        step: Option<u64>,
        recording: &Recording,
        what: &str,
    ) -> Option<PathBuf> {
        match self.output.write(worker_name, step, recording) {
            Ok(path) => {
                self.trace_ready.add(path.clone());
                self.traces.push(path.clone());
                Some(path)
            }
            Err(why) => {
                let folder = self.output.folder.display();
                self.status.print(&format!("cannot write a trace to {folder}: {why} ({what})"));
                None
            }
        }
    }

    /// Facts that state why GPU records are missing; empty if no reason is known. Usually prints each reason
    /// the first time.
    pub fn gpu_reason(&mut self, evidence: &Evidence) -> Vec<(String, String)> {
        let Some(why) = explain(evidence, || self.gpu.as_ref().map(Gpu::surroundings)) else {
            return Vec::new();
        };
        if let Some(news) = self.gpu.as_mut().and_then(|gpu| gpu.report_once(&why)) {
            self.status.print_unless_quiet(&news);
        }
        vec![(reason::CODE.into(), why.reason.code().into()), (reason::TEXT.into(), why.to_string())]
    }

    /// The fact that the operators of a cycle are lost; `None` if they are not. Also prints that, the first
    /// time.
    fn lost_operators(&mut self, ended: &EndedCycle, collected: &CollectedCycle) -> Option<(String, String)> {
        if ended.cycle.end.is_some() || !collected.lacks_operators {
            return None;
        }
        if !std::mem::replace(&mut self.has_printed_lost_operators, true) {
            self.status.print(&format!("cycle {}: {LOST_OPERATORS}", ended.cycle.number));
        }
        Some(("proftui.ops.lost".to_owned(), LOST_OPERATORS.to_owned()))
    }
}

/// Collects the files of a cycle; returns the cycle's processes, the leader first, and what was collected.
/// `None` if the tree lacks the cycle's process.
fn collect<'a>(tree: &'a ProcessTree, ended: &EndedCycle) -> Option<(Vec<&'a Process>, CollectedCycle)> {
    let processes = tree.with_followers(&ended.folder);
    let leader = *processes.first()?;
    // Without an end in the log, the cycle ends when its process was found to have ended, or now.
    let cut = leader.gone.or_else(|| leader.is_alive().then(monotonic));
    let end = ended.cycle.end.map(|end| end.time).or(cut);
    let extent = Extent { start: ended.cycle.start, end, since: ended.since, is_open: ended.is_open };
    let mut collected = cycle::collect(&processes, ended.cycle.number, extent);
    let is_last = leader.cycles.last().is_some_and(|last| last.number == ended.cycle.number);
    let without_chunk = processes.iter().map(|process| process.lost(ended.cycle.number, is_last));
    collected.lost += without_chunk.sum::<u64>();
    collected.choose_steps(leader);
    let times = (collected.kept_since.unwrap_or(ended.cycle.start), collected.last);
    collected.processes = process_states::describe_between(tree, &processes, times);
    collected.without_device_records =
        processes.iter().filter(|process| has_lost_device_records(process, ended.cycle.number)).count();
    let is_exit = matches!(ended.end, ProcessEnd::Exited | ProcessEnd::Replaced);
    let is_lost = ended.cycle.end.is_none() && leader.ended.is_none() && (is_exit || ended.cause.is_some());
    let is_within_step =
        ended.is_open && leader.is_alive() && leader.live().get(Word::Began) < collected.last;
    if is_lost || is_within_step {
        collected.add_last_step(leader, ended.cycle.start, is_exit);
    }
    Some((processes, collected))
}
