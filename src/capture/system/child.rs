//! Starts the captured program, and ends this process with the exit status or signal of the program. Also
//! runs short commands for their output.

use proftui_base::saturate::saturate;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

/// Why a program could not be started, and the exit status to end with.
#[derive(Debug)]
pub struct NotStarted {
    /// The exit status, as of a shell: 127 if the program was not found, 126 if it cannot be run.
    pub status: u8,
    /// Message for the user.
    pub why: String,
}

/// Starts the program that `command` names, in this process's environment with the variables of `environment`
/// set and those of `unset` removed.
///
/// # Errors
/// When the program is not found or cannot be run.
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

/// The path of the program `name`, looked up on the `PATH` unless it has a slash; `None` if it is not found
/// there.
pub fn found(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(name.into());
    }
    let path = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&path).map(|folder| folder.join(name));
    let is_program =
        |file: &PathBuf| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
    files.into_iter().find(is_program)
}

/// Runs a command with empty standard input and returns its output and exit status; kills it after `limit`.
///
/// # Errors
/// When the command cannot be run, its output cannot be read, or it takes too long.
pub fn output(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let ended = collect(&mut child, Instant::now() + limit);
    if ended.is_err() {
        // Both fail if the process has just ended.
        let _ = child.kill();
        let _ = child.wait();
    }
    ended.map_err(|why| match why.kind() {
        io::ErrorKind::TimedOut => {
            io::Error::new(why.kind(), format!("no answer within {} seconds", limit.as_secs()))
        }
        _ => why,
    })
}

/// Reads a process's standard output and standard error to their ends, and waits for its end.
///
/// # Errors
/// `TimedOut` when that takes longer than until `end`; also when reading or waiting fails.
fn collect(child: &mut Child, end: Instant) -> io::Result<Output> {
    let left = || match end.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::Error::from(io::ErrorKind::TimedOut)),
        left => Ok(left),
    };
    // Each is read as soon as it has something: a process that fills one of them may wait before it closes
    // the other.
    let mut pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)]
        .map(|pipe| (pipe.map(File::from), Vec::new()));
    while pipes.iter().any(|(pipe, _)| pipe.is_some()) {
        let left = Timespec::try_from(left()?).map_err(io::Error::other)?;
        let mut ready: Vec<PollFd<'_>> = pipes
            .iter()
            .filter_map(|(pipe, _)| pipe.as_ref())
            .map(|pipe| PollFd::new(pipe, PollFlags::IN))
            .collect();
        retry_on_intr(|| poll(&mut ready, Some(&left)))?;
        let mut is_ready =
            ready.iter().map(|ready| !ready.revents().is_empty()).collect::<Vec<_>>().into_iter();
        for (pipe, bytes) in &mut pipes {
            let Some(open) = pipe else { continue };
            if is_ready.next() != Some(true) {
                continue;
            }
            let mut part = [0; 4096];
            match open.read(&mut part) {
                Ok(0) => *pipe = None,
                Ok(count) => bytes.extend_from_slice(&part[..count]),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
    }
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(left()?.min(Duration::from_millis(1)));
    };
    let [(_, stdout), (_, stderr)] = pipes;
    Ok(Output { status, stdout, stderr })
}

/// Describes how a program ended (`exit status 1`, `killed by signal 9 (SIGKILL)`); `None` for exit status 0.
pub fn describe_end(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit status {code}")),
        (_, Some(signal)) => Some(killed_by(signal)),
        _ => Some("unknown exit status".into()),
    }
}

/// Describes the end of a process by a signal: `killed by signal 9 (SIGKILL)`.
pub fn killed_by(signal: i32) -> String {
    format!("killed by signal {signal}{}", name(signal))
}

/// A signal's name as the end of a message, ` (SIGTERM)`; empty for an unknown signal.
fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"))
}

/// Ends this process by the signal in `status`, if there is one. If this process goes on, returns the exit
/// status to end with.
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
        return saturate::<u8>(128 + signal);
    }
    saturate::<u8>(status.code().unwrap_or(1))
}
