//! Captures a command from its start to its end.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;

use crossbeam_channel::bounded;
use proftui_wire::secrets;

use super::gpu::{self, Gpu, injection};
use super::plan::{CaptureError, Plan};
use super::signals;
use super::supervisor::Supervisor;
use super::trace_writer::TraceWriter;
use crate::capture::files::agent_files;
use crate::capture::files::run_folder::{self, RecoveryInfo, RunFolder};
use crate::capture::messages::first_line::FirstLine;
use crate::capture::messages::status::Status;
use crate::capture::system::child;
use crate::capture::system::clock::{LOOK_INTERVAL, monotonic};

/// The result of a capture: the program's exit status and the written traces.
#[derive(Debug)]
pub struct CaptureResult {
    /// The program's exit status.
    pub status: ExitStatus,
    /// Paths of the written traces in the output folder.
    pub traces: Vec<PathBuf>,
}

/// Runs and records the program of `plan`; returns after it has ended and its traces are written.
///
/// # Errors
/// When the program was not started, or its end cannot be waited for.
pub fn run(plan: &Plan) -> Result<CaptureResult, CaptureError> {
    if rustix::process::geteuid() != rustix::process::getuid() {
        return Err(CaptureError::Rights);
    }
    signals::outlive_full_files().map_err(CaptureError::Supervise)?;
    if !plan.options.is_timer_only {
        plan.output
            .prepare()
            .map_err(|why| CaptureError::Output { path: plan.output.folder.display().to_string(), why })?;
    }
    if plan.gpu.is_required
        && let Some(why) = gpu::obstacle(&plan.gpu, &plan.command)
    {
        return Err(CaptureError::Gpu(why));
    }
    let agent_files = agent_files::unpack(plan.cache.as_deref()).map_err(CaptureError::Cache)?;
    let moved = agent_files.uncached.as_ref().filter(|uncached| uncached.is_unsafe);
    let moved = moved.map(|uncached| {
        format!(
            "your cache folder is not used for the recorder's files: {}; correct that, or name another with \
             --cache",
            uncached.why
        )
    });
    let spool = plan.spool.clone().unwrap_or_else(run_folder::default_spool);
    let no_folder = |why| CaptureError::RunFolder { path: spool.display().to_string(), why };
    let mut folder =
        RunFolder::make(&spool, &plan.options, plan.keeps_run_folder, agent_files).map_err(no_folder)?;
    let status = Status::new(plan.is_quiet);
    moved.iter().for_each(|line| status.print_unless_quiet(line));
    let mut writer = TraceWriter::new(
        plan.output.clone(),
        shown_command(&plan.command),
        plan.on_trace_ready.clone(),
        status.clone(),
    );
    writer.first_line = FirstLine::Awaited;
    let info = RecoveryInfo { output: plan.output.clone(), command: writer.command.clone() };
    folder.write_recovery_info(&info).map_err(no_folder)?;
    let variable = |name: &str| std::env::var_os(name);
    let changes = injection::changes(&plan.gpu, plan.options.ops, &folder.agent_files.library, variable);
    changes.warnings.iter().for_each(|warning| writer.status.print_unless_quiet(warning));
    writer.gpu = Gpu::new(&plan.gpu, changes.other_tool);
    let environment = [folder.environment(), changes.set].concat();
    let target = signals::Target::default();
    let (wake, woken) = bounded(1);
    let ignored = signals::pass_on(target.clone(), wake, status).map_err(CaptureError::Supervise)?;
    let started = monotonic();
    let start = || child::start(&plan.command, &environment, &changes.unset);
    let mut child = target.start(start).map_err(CaptureError::NotStarted)?;
    if let Err(why) = ignored.pass_on() {
        // The program runs already: it is supervised without forwarding these signals.
        writer.status.print(&format!("cannot forward signals that were ignored when proftui started: {why}"));
    }
    plan.opening.iter().for_each(|line| writer.status.print_unless_quiet(line));
    let mut supervisor = Supervisor::new(plan, &folder, writer, child.id(), started);
    let status = loop {
        if let Some(status) = target.try_wait(&mut child).map_err(CaptureError::Supervise)? {
            break status;
        }
        supervisor.look();
        // Waits until the next look is due, or a signal comes, such as SIGCHLD at the program's end.
        let _ = woken.recv_timeout(supervisor.pause());
    };
    supervisor.finish(status);
    supervisor.print_answer(|time| {
        let _ = woken.recv_timeout(time);
        !target.is_asked()
    });
    supervisor.finish_trace_ready(|| {
        let _ = woken.recv_timeout(LOOK_INTERVAL);
        !target.is_asked()
    });
    target.release();
    let (traces, has_failed) = supervisor.into_traces();
    if has_failed {
        folder.keep();
    }
    Ok(CaptureResult { status, traces })
}

/// The captured command line in one text, with secrets hidden.
fn shown_command(command: &[OsString]) -> String {
    let arguments: Vec<String> =
        command.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    secrets::hide(&arguments).join(" ")
}
