//! Starts the captured program, and ends this process with the exit status or signal of the program. Also runs short commands for their
//! output.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

/// Why a program could not be started, with the exit status that a shell would give.
#[derive(Debug)]
pub struct NotStarted {
    /// 127 for a program that does not exist, 126 for one that cannot be run.
    pub status: u8,
    /// Message for the user.
    pub why: String,
}

/// Starts `command` in our environment, with the variables of `environment` set and those of `unset` removed.
///
/// # Errors
/// When the program does not exist or cannot be run.
pub fn start(
    command: &[OsString],
    environment: &[(&str, OsString)],
    unset: &[&str],
) -> Result<Child, NotStarted> {
    let (name, arguments) = command
        .split_first()
        .ok_or_else(|| NotStarted { status: 127, why: "no program was given".into() })?;
    let started = |mut program: Command| {
        program.args(arguments).envs(environment.iter().map(|(k, v)| (k, v)));
        for variable in unset {
            program.env_remove(variable);
        }
        program.spawn()
    };
    let mut child = started(Command::new(name));
    if let Err(error) = &child
        && error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
        && let Some(script) = found(name)
    {
        // A script without an interpreter line is run by the shell, as if a shell started it.
        let mut shell = Command::new("/bin/sh");
        shell.arg(script);
        child = started(shell);
    }
    child.map_err(|error| {
        let shown = name.to_string_lossy();
        let (status, what) = match error.kind() {
            io::ErrorKind::NotFound => (127, "program not found".to_owned()),
            io::ErrorKind::PermissionDenied => (126, "permission denied".to_owned()),
            _ => (126, error.to_string()),
        };
        NotStarted { status, why: format!("{shown}: {what}") }
    })
}

/// Path of a program's file: `name` itself if it has a slash, else the first executable file of that name on the `PATH`.
fn found(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(name.into());
    }
    let path = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&path).map(|folder| folder.join(name));
    let is_program =
        |file: &PathBuf| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
    files.into_iter().find(is_program)
}

/// Runs a command and returns its output and exit status; kills it when it takes longer than `limit`.
///
/// # Errors
/// When it cannot be run, or took too long.
pub fn output(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = Pid::from_child(&child);
    let (done, ended) = bounded(1);
    thread::spawn(move || done.send(child.wait_with_output()));
    ended.recv_timeout(limit).unwrap_or_else(|_| {
        // Fails if the process has just ended.
        let _ = kill_process(pid, Signal::KILL);
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} seconds", limit.as_secs())))
    })
}

/// Describes how a program ended (`exit status 1`, `killed by signal 9 (SIGKILL)`); none for exit status 0.
pub fn describe_end(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit status {code}")),
        (_, Some(signal)) => Some(format!("killed by signal {signal}{}", name(signal))),
        _ => Some("unknown exit status".into()),
    }
}

/// A signal's name as the end of a message, ` (SIGTERM)`; empty for an unknown signal.
fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"))
}

/// Ends this process as another one ended: after a signal by the same signal, without a core dump; else returns the exit status to end
/// with.
pub fn end_like(status: ExitStatus) -> u8 {
    if let Some(signal) = status.signal() {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        // If the limit cannot be set, there may be a core dump.
        let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
        if signal == signal_hook::consts::SIGKILL {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        if signal_hook::low_level::emulate_default_handler(signal).is_err() {
            // `signal_hook` does not know the signal, so its handling was never changed in this process.
            let _ = signal_hook::low_level::raise(signal);
        }
        return (128 + signal) as u8;
    }
    status.code().unwrap_or(1) as u8
}
