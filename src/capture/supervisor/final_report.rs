//! Prints the last messages of a capture: for `--timer-only` how long steps took, else why there is no trace,
//! or no step.
//!
//! If no process loaded the agent, or all steps were to be recorded and no process recorded a step, phase or
//! range, also writes a trace with one range: the program's duration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proftui_wire::device::reason::WAIT;
use proftui_wire::log::NoteKind;
use proftui_wire::process_key::ProcessKey;
use proftui_wire::schedule::Schedule;
use proftui_wire::timer::Timer;

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_trace::export::recording::{Range, Recording, Thread};

use crate::capture::files::output;
use crate::capture::gpu::reason::Evidence;
use crate::capture::messages::perf_summary;
use crate::capture::plan::Plan;
use crate::capture::process::Process;
use crate::capture::process::left::{self, Left};
use crate::capture::process::tree::ProcessTree;
use crate::capture::system::clock::{clock_offset, to_wall};
use crate::capture::trace_writer::TraceWriter;

/// Most columns of a command line that a message takes.
const COMMAND: usize = 60;
/// Paddle's number of the kind `UserDefined`.
const USER_DEFINED: u16 = 7;

/// The ended run that the final report is about.
pub(crate) struct Ending<'a> {
    /// The plan of the capture: its command and options.
    pub plan: &'a Plan,
    /// Path of the run folder, as the captured processes have it in their environment.
    pub run: PathBuf,
    /// False if somebody has removed or renamed the run folder.
    pub is_folder_there: bool,
    /// The captured processes, except those that were forgotten during the run.
    pub tree: &'a ProcessTree,
    /// Writes the trace of the program's duration; its `status` prints messages.
    pub writer: &'a mut TraceWriter,
    /// Process id of the program.
    pub pid: u32,
    /// When the program was started, ns of the monotonic clock.
    pub started: u64,
    /// When the program was found to have ended, ns of the monotonic clock.
    pub ended: u64,
    /// How the program ended, as text: its exit status or signal; `None` for exit status 0.
    pub cause: Option<String>,
}

/// Prints the last messages of a capture, such as why there is no trace. Without a trace, may write one of
/// the program's duration.
pub(crate) fn print(mut ending: Ending<'_>) {
    let status = ending.writer.status.clone();
    if is_stepless(&ending)
        && ending.is_folder_there
        && let Some(Left { pid, command }) = left::first(&ending.run)
    {
        let command = SafeText::new(&command);
        status.print_unless_quiet(&format!(
            "process {pid} of the program goes on (a daemon: {}): what it does after the program's end is \
             not recorded; start it in the foreground",
            command.elide_end(COMMAND)
        ));
    }
    if !ending.is_folder_there {
        status.print(
            "the capture's temporary folder was removed or renamed: records that were not yet written to a \
            trace will not be",
        );
    } else if ending.plan.options.is_timer_only {
        print_summaries(&ending);
    } else if ending.writer.has_failed {
        status.print(
            "the records stay in the temporary folder: write them with `proftui recover --out DIR` (and \
            --spool, if the capture had it)",
        );
    } else if ending.writer.traces.is_empty() {
        explain(&mut ending);
    } else if is_stepless(&ending) && !print_no_step(&ending) {
        let wants_steps = ending.plan.window.is_none();
        if ending.writer.has_phases {
            status.print_unless_quiet(STEPLESS);
        } else if wants_steps {
            status.print_unless_quiet(UNKNOWN);
        }
    }
}

/// True if the step count of every known process is 0.
fn is_stepless(ending: &Ending<'_>) -> bool {
    ending.tree.all().all(|process| process.steps == 0)
}

/// Prints each reported cause why no step was seen, unless `--quiet`; returns false if there is none.
fn print_no_step(ending: &Ending<'_>) -> bool {
    let processes = ending.tree.all();
    let mut causes: Vec<String> =
        processes.flat_map(|process| process.notes_of(NoteKind::NoStep).collect::<Vec<_>>()).collect();
    causes.sort();
    causes.dedup();
    causes.iter().for_each(|cause| ending.writer.status.print_unless_quiet(cause));
    !causes.is_empty()
}

/// Prints a Perf Summary for each rank with steps, or, if there are no steps, why.
fn print_summaries(ending: &Ending<'_>) {
    let (processes, status) = (ending.tree, &ending.writer.status);
    let mut timers: BTreeMap<ProcessKey, (u32, Timer)> = BTreeMap::new();
    for process in processes.all() {
        let rank = processes.rank_of(process);
        let (_, timer) = timers.entry(rank.key).or_insert_with(|| (rank.pid, rank.live().timer()));
        if rank.key != process.key && rank.steps == 0 {
            timer.merge(&process.live().timer());
        }
    }
    let summaries = timers.into_values().map(|(pid, timer)| (pid, perf_summary::summary(&timer)));
    let texts: Vec<(u32, String)> = summaries.filter_map(|(pid, text)| Some((pid, text?))).collect();
    for (pid, text) in &texts {
        let whose = if texts.len() > 1 { format!("process {pid}: ") } else { String::new() };
        status.print(&format!("{whose}{}", text.trim_end()));
    }
    if processes.all().next().is_none() {
        status.print(NO_PROCESS);
    } else if texts.is_empty() && !print_no_step(ending) {
        status.print(STEPLESS);
    }
}

/// Prints why no trace was written, and in some cases writes a trace of the program's duration.
fn explain(ending: &mut Ending<'_>) {
    if is_stepless(ending) {
        print_no_step(ending);
    }
    let first = ending.plan.options.schedule.first();
    let steps = ending.tree.all().map(|process| process.steps).max();
    let why = match steps {
        None => return write_duration(ending, NO_PROCESS),
        Some(_) if ending.plan.options.schedule == Schedule::All && ending.plan.window.is_none() => {
            return write_duration(ending, NOTHING);
        }
        _ if ending.plan.window.is_some() => {
            "no trace was written: the program ended before the time window began, or nothing was recorded \
             in the window"
                .into()
        }
        Some(0) if first > 0 => {
            format!("no trace was written: recording begins with step {first}, and {STEPLESS}")
        }
        // The program may have ended in the first step to be recorded.
        Some(steps) if first > 0 && steps <= first => {
            let steps = fmt::counted(steps, "step");
            format!(
                "no trace was written: recording begins with step {first}, and the program ended after \
                 {steps}"
            )
        }
        Some(_) => {
            "no trace was written: no step, framework phase, named range or GPU work was recorded".into()
        }
    };
    ending.writer.status.print(&why);
}

const STEPLESS: &str = "no step was seen: use --step-on to set the event that ends a step";

const UNKNOWN: &str = "no step was seen, as nothing that ends one is known of this program: --step-on \
                       module:function names the function whose return ends a step";

const NO_PROCESS: &str = "no Python process loaded the recorder (possible causes: not a Python program, \
    Python older than 3.8, Python run with -I, -E or -S, with another PYTHONPATH, by another user or in \
    another root folder)";
const NOTHING: &str = "no step, framework phase or named range was recorded: \
                       --step-on module:function names the function that ends a step";

/// Writes a trace with one range, the program's duration, and the reason `why` as a note.
fn write_duration(ending: &mut Ending<'_>, why: &str) {
    let offset = clock_offset();
    let (start, end) = (to_wall(ending.started, offset), to_wall(ending.ended, offset));
    let program = ending.plan.command.first().map(Path::new).and_then(Path::file_name);
    let name = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut facts = vec![
        ("proftui.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("proftui.command".to_owned(), ending.writer.command.clone()),
        ("proftui.note.1".to_owned(), why.to_owned()),
    ];
    facts.extend(ending.cause.take().map(|cause| ("proftui.end".to_owned(), cause)));
    let processes: Vec<&Process> = ending.tree.all().collect();
    let evidence = Evidence::of(ending.pid, &processes, 1, 0, "the whole run".into());
    facts.extend(ending.writer.gpu_reason(&evidence));
    let wait = processes.iter().find_map(|process| process.fact(WAIT));
    facts.extend(wait.map(|wait| (format!("proftui.{WAIT}"), wait)));
    let recording = Recording {
        index: 0,
        names: vec![name.as_bytes().to_vec()],
        threads: vec![Thread {
            pid: ending.pid,
            tid: ending.pid,
            name,
            ranges: vec![Range {
                start,
                end,
                kind: USER_DEFINED,
                name: 0,
                is_cut: false,
                has_begun_before: false,
            }],
            ..Thread::default()
        }],
        facts,
        ..Recording::default()
    };
    let what = format!("only the program's start and end are recorded: {why}");
    ending.writer.write_trace(&output::worker_name(ending.pid, None), &recording, &what);
}
