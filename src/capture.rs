//! Recording a program: started with an agent inside, watched while it runs, its cycles written as traces as they end.
//!
//! Nothing that goes wrong here changes what the program computes, prints or returns. Must not know the command line.
//!
//! - [`folder`] is the run's private folder, [`inside`] what processes load from it
//! - [`child`] is the program, [`signals`] what is sent on to it
//! - [`process`] is one captured process as it tells of itself, [`family`] all of them
//! - [`gpu`] is what there is of GPUs from outside of it, [`reason`] why nothing of them was recorded
//! - [`watch`] is a run while it goes on; [`recover`] one whose watch was killed; [`collect`] that of a program that profiles itself
//! - [`requests`] is what processes ask for, [`results`] what is kept for them
//! - [`cycle`] makes a recording of a cycle, [`device`] what devices did in it, [`operators`] what frameworks' own profilers told, [`saver`] a trace with what is known beside, [`output`] the file; [`hooks`] hands it on
//! - [`status`], [`timer`] and `closing` tell how it goes and went, [`doctor`] whether it would

pub mod child;
mod closing;
pub mod collect;
pub mod cycle;
mod demangle;
pub mod device;
pub mod doctor;
pub mod family;
pub mod folder;
pub mod gpu;
pub mod hooks;
pub mod inside;
mod naming;
pub mod operators;
pub mod output;
pub mod process;
pub mod reason;
pub mod recover;
pub mod requests;
pub mod results;
pub mod saver;
pub mod secrets;
pub mod signals;
pub mod status;
pub mod timer;
pub mod usage;
pub mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crossbeam_channel::bounded;
use proftui_wire::options::Options;

use folder::{Orders, RunFolder};
use gpu::{Gpu, Wish, injection};
use output::Output;
use saver::Saver;
use status::Status;
use watch::Watch;

/// How often the processes are looked at, if nothing happens before.
const TICK: Duration = Duration::from_millis(200);

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
    /// Tell only what went wrong.
    pub is_quiet: bool,
    /// What is asked for of GPUs.
    pub gpu: Wish,
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
    #[error("{path}: no place for the run's folder: {why}; --spool names another one")]
    Folder {
        /// Where it was to be.
        path: String,
        /// What the system says.
        why: io::Error,
    },
    /// We have somebody else's rights.
    #[error(
        "proftui runs with rights that are not yours (setuid): a capture would load code into a program that has them"
    )]
    Rights,
    /// GPUs are asked for, and cannot be recorded.
    #[error("the program was not started: {0}")]
    Gpu(reason::Why),
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
    if rustix::process::geteuid() != rustix::process::getuid() {
        return Err(CaptureError::Rights);
    }
    signals::outlive_full_files().map_err(CaptureError::Watch)?;
    if !plan.options.is_timer_only {
        plan.output
            .prepare()
            .map_err(|why| CaptureError::Output { path: plan.output.folder.display().to_string(), why })?;
    }
    if plan.gpu.is_required
        && let Some(why) = gpu::obstacle(&plan.gpu, &python(&plan.command))
    {
        return Err(CaptureError::Gpu(why));
    }
    let place = plan.spool.clone().unwrap_or_else(folder::default_place);
    let homeless = |why| CaptureError::Folder { path: place.display().to_string(), why };
    let mut run = RunFolder::make(&place, &plan.options, plan.keeps_spool).map_err(homeless)?;
    let status = Status::new(plan.is_quiet);
    let mut saver =
        Saver::new(plan.output.clone(), command(&plan.command), plan.on_trace_ready.clone(), status.clone());
    let orders = Orders { output: plan.output.clone(), command: saver.command.clone() };
    run.leave_orders(&orders).map_err(homeless)?;
    let variable = |name: &str| std::env::var_os(name);
    let changes = injection::changes(&plan.gpu, plan.options.ops, &run.inside.agent, variable);
    changes.warnings.iter().for_each(|warning| saver.status.tell(warning));
    saver.gpu = Gpu::new(&plan.gpu, changes.taken);
    let environment = [run.environment(), changes.set].concat();
    let target = signals::Target::default();
    let (wake, woken) = bounded(1);
    let ignored = signals::pass_on(target.clone(), wake, status).map_err(CaptureError::Watch)?;
    let started = monotonic();
    let mut child =
        child::start(&plan.command, &environment, &changes.unset).map_err(CaptureError::NotStarted)?;
    target.set(&child);
    if let Err(why) = ignored.pass_on() {
        // The program runs: it is watched all the same.
        saver.status.say(&format!("signals that were ignored are not sent on: {why}"));
    }
    let mut watch = Watch::new(plan, &run, saver, child.id(), started);
    let status = loop {
        if let Some(status) = target.try_wait(&mut child).map_err(CaptureError::Watch)? {
            break status;
        }
        watch.look();
        // A signal, the program's end among them, or time to look again.
        let _ = woken.recv_timeout(watch.pause());
    };
    watch.finish(status);
    watch.finish_hooks(|| {
        let _ = woken.recv_timeout(TICK);
        !target.is_asked()
    });
    target.release();
    let (traces, has_failed) = watch.outcome();
    if has_failed {
        run.keep();
    }
    Ok(Outcome { status, traces })
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

/// The interpreter that a command is most likely run by: its own program, else a shell's.
fn python(command: &[OsString]) -> String {
    let program = command.first().map(|program| program.to_string_lossy().into_owned());
    let is_python = |program: &String| {
        std::path::Path::new(program)
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"python"))
    };
    program.filter(is_python).unwrap_or_else(doctor::default_python)
}

/// The command line as it may be written down.
fn command(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    secrets::hide(&words).join(" ")
}
