//! The run of a program that profiles itself: nothing is started, its folder is made for a process that is there, and looked after until
//! that is gone. Traces are written as the process asks for them.
//!
//! Must not know the command line, nor the Python module at the other end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

use proftui_wire::options::Options;

use super::folder::{self, Orders, RunFolder};
use super::gpu::{Gpu, Wish, injection};
use super::output::{Form, Output};
use super::process::start_of;
use super::saver::Saver;
use super::status::Status;
use super::watch::Watch;
use super::{CaptureError, Plan, monotonic, secrets, signals};
use crate::export::Packing;

/// How often is looked what the process asks for, and whether it is there.
const MOMENT: Duration = Duration::from_millis(20);

/// What the process needs to know.
#[derive(Debug, serde::Serialize)]
pub struct Ready {
    /// Variables of its environment, and their values.
    pub set: BTreeMap<&'static str, String>,
    /// Variables that are to go.
    pub unset: Vec<&'static str>,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Looks after a process until it is gone; `tell` is called once all is ready.
///
/// # Errors
/// When that cannot be done. A process that is not there is none.
pub fn serve(
    pid: u32,
    options: Options,
    gpu: Wish,
    tell: impl FnOnce(&Ready) -> io::Result<()>,
) -> Result<(), CaptureError> {
    if rustix::process::geteuid() != rustix::process::getuid() {
        return Err(CaptureError::Rights);
    }
    let Some(start) = start_of(pid) else { return Ok(()) };
    signals::outlive_full_files().map_err(CaptureError::Watch)?;
    // Traces of nobody's asking are written by `recover` alone, should this process be killed.
    let folder = std::path::absolute("profiler_log").map_err(CaptureError::Watch)?;
    let output = Output { folder, form: Form::Json(Packing::None), may_replace: false };
    let command = command(pid);
    let place = folder::default_place();
    let homeless = |why| CaptureError::Folder { path: place.display().to_string(), why };
    let run = RunFolder::make(&place, &options, false).map_err(homeless)?;
    run.leave_orders(&Orders { output: output.clone(), command: command.clone() }).map_err(homeless)?;
    let changes = injection::changes(&gpu, options.ops, &run.inside.agent, |name| std::env::var_os(name));
    let text = |value: OsString| value.to_string_lossy().into_owned();
    let ready = Ready {
        set: run
            .environment()
            .into_iter()
            .chain(changes.set)
            .map(|(name, value)| (name, text(value)))
            .collect(),
        unset: changes.unset,
        warnings: changes.warnings,
    };
    tell(&ready).map_err(CaptureError::Watch)?;
    // No folder of the program's is kept busy.
    let _ = std::env::set_current_dir("/");
    let mut saver = Saver::new(output.clone(), command, None, Status::new(true));
    saver.gpu = Gpu::new(&gpu, changes.taken);
    let plan = Plan {
        command: Vec::new(),
        options,
        window: None,
        output,
        spool: None,
        keeps_spool: false,
        on_trace_ready: None,
        is_quiet: true,
        gpu,
    };
    let mut watch = Watch::new(&plan, &run, saver, pid, monotonic());
    while start_of(pid) == Some(start) && run.path().exists() {
        watch.look();
        std::thread::sleep(MOMENT);
    }
    Ok(())
}

/// The command line of a process, as it may be written down.
fn command(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    secrets::hide(&words).join(" ")
}
