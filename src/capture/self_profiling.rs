//! Supervises a process that profiles itself by our Python module: makes its run folder, and writes the
//! traces that it requests.
//!
//! No program is started: the process exists already, and supervision ends when the process has ended, or its
//! run folder was removed. The process's end is looked for fifty times a second; the end of a pipe would not
//! show it, since processes that the script forks inherit the pipe. The supervisor is no child of the script
//! and has a session of its own, so neither Ctrl-C nor a `wait` of the script concerns it. Must not know the
//! command line, nor the Python module.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

use proftui_wire::options::{Ops, Options};
use proftui_wire::secrets;

use super::gpu::injection::{self, Changes};
use super::gpu::{Gpu, GpuOptions};
use super::plan::{CaptureError, Plan};
use super::process::start_of;
use super::signals;
use super::supervisor::Supervisor;
use super::trace_writer::TraceWriter;
use crate::capture::files::agent_files;
use crate::capture::files::output::{Output, OutputFormat};
use crate::capture::files::run_folder::{self, RecoveryInfo, RunFolder};
use crate::capture::messages::status::Status;
use crate::capture::system::clock::monotonic;
use proftui_trace::export::Packing;

/// Pause between two looks for the script's requests and for the end of its process.
const INTERVAL: Duration = Duration::from_millis(20);

/// The message to a process that profiles itself before it records.
#[derive(Debug, serde::Serialize)]
pub struct Ready {
    /// What it needs to record anything.
    #[serde(flatten)]
    pub host: Preparation,
    /// What it needs to record GPUs, from the first profiler on that asks for them.
    pub gpu: Preparation,
}

/// Changes of a process's environment, and warnings.
#[derive(Debug, serde::Serialize)]
pub struct Preparation {
    /// Environment variables to set, with their values.
    pub set: BTreeMap<&'static str, String>,
    /// Environment variables to remove.
    pub unset: Vec<&'static str>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Preparation {
    /// What `changes` and the variables `more` ask for.
    fn of(changes: Changes, more: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let set = more.into_iter().chain(changes.set).map(|(name, value)| (name, text(value))).collect();
        Self { set, unset: changes.unset, warnings: changes.warnings }
    }
}

/// Supervises the process with id `pid`, and writes the traces that it requests, until the process or its run
/// folder is gone. Calls `report` once the run folder is ready.
///
/// # Errors
/// When supervision cannot begin, or `report` fails.
pub fn serve(
    pid: u32,
    options: Options,
    gpu: GpuOptions,
    report: impl FnOnce(&Ready) -> io::Result<()>,
) -> Result<(), CaptureError> {
    if rustix::process::geteuid() != rustix::process::getuid() {
        return Err(CaptureError::Rights);
    }
    let Some(start) = start_of(pid) else { return Ok(()) };
    signals::outlive_full_files().map_err(CaptureError::Supervise)?;
    // Only `proftui recover` uses the output folder, after this process was killed: requests have paths of
    // their own.
    let folder = std::path::absolute("profiler_log").map_err(CaptureError::Supervise)?;
    let output = Output { folder, format: OutputFormat::Json(Packing::None), may_replace: false };
    let command = shown_command(pid);
    let spool = run_folder::default_spool();
    let no_folder = |why| CaptureError::RunFolder { path: spool.display().to_string(), why };
    let agent_files = agent_files::unpack(None).map_err(CaptureError::Cache)?;
    let run = RunFolder::make(&spool, &options, false, agent_files).map_err(no_folder)?;
    run.write_recovery_info(&RecoveryInfo { output: output.clone(), command: command.clone() })
        .map_err(no_folder)?;
    let changes = |gpu: &GpuOptions, ops| {
        injection::changes(gpu, ops, &run.agent_files.library, |name| std::env::var_os(name))
    };
    // Any profiler may record operators light, which need a variable before PyTorch is imported. Another
    // tool's value of it needs no warning: then the operators are recorded in full.
    let of_host = changes(&GpuOptions { is_off: true, ..gpu.clone() }, Ops::Light);
    let mut of_gpu = changes(&gpu, Ops::Off);
    of_gpu.unset.retain(|name| *name != injection::ITT);
    let other_tool = of_gpu.other_tool.clone();
    let host = Preparation::of(Changes { warnings: Vec::new(), ..of_host }, run.environment());
    report(&Ready { host, gpu: Preparation::of(of_gpu, []) }).map_err(CaptureError::Supervise)?;
    // Otherwise this process would keep the file system of the program's working directory from being
    // unmounted.
    let _ = std::env::set_current_dir("/");
    let mut writer = TraceWriter::new(output.clone(), command, None, Status::new(true));
    writer.gpu = Gpu::new(&gpu, other_tool);
    let plan = Plan {
        command: Vec::new(),
        options,
        window: None,
        output,
        spool: None,
        cache: None,
        keeps_run_folder: false,
        on_trace_ready: None,
        is_quiet: true,
        opening: None,
        gpu,
    };
    let mut supervisor = Supervisor::new(&plan, &run, writer, pid, monotonic());
    while start_of(pid) == Some(start) && run.is_there() {
        supervisor.look();
        std::thread::sleep(INTERVAL);
    }
    Ok(())
}

/// The command line of a process, with secrets hidden; empty if it cannot be read.
fn shown_command(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let arguments =
        line.split(|&byte| byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned());
    let arguments: Vec<String> = arguments.filter(|argument| !argument.is_empty()).collect();
    secrets::hide(&arguments).join(" ")
}
