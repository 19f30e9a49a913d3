//! The captured program: started, sent on the signals that come, waited for; how it ended, told as it is. And programs that are
//! only asked something.

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

/// Why a program could not be started, as shells tell it.
#[derive(Debug)]
pub struct NotStarted {
    /// The exit status: 127 for one that is not there, 126 for one that cannot be run.
    pub status: u8,
    /// In words.
    pub why: String,
}

/// Starts `command` with `environment` beside its own, less what is in `unset`.
///
/// # Errors
/// When it is not there or cannot be run.
pub fn start(
    command: &[OsString],
    environment: &[(&str, OsString)],
    unset: &[&str],
) -> Result<Child, NotStarted> {
    let (name, arguments) =
        command.split_first().ok_or_else(|| NotStarted { status: 127, why: "no command".into() })?;
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
        // A script that does not say what runs it: the shell does, as where a shell starts it.
        let mut shell = Command::new("/bin/sh");
        shell.arg(script);
        child = started(shell);
    }
    child.map_err(|error| {
        let shown = name.to_string_lossy();
        let (status, what) = match error.kind() {
            io::ErrorKind::NotFound => (127, "there is no such program".to_owned()),
            io::ErrorKind::PermissionDenied => (126, "it may not be run".to_owned()),
            _ => (126, error.to_string()),
        };
        NotStarted { status, why: format!("{shown}: {what}") }
    })
}

/// The file of a program, as the system finds it.
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

/// What a command prints, if it ends in time; else it is killed.
///
/// # Errors
/// When it cannot be run, or takes too long.
pub fn answer(command: &mut Command, patience: Duration) -> io::Result<Output> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = Pid::from_child(&child);
    let (done, ended) = bounded(1);
    thread::spawn(move || done.send(child.wait_with_output()));
    ended.recv_timeout(patience).unwrap_or_else(|_| {
        // It may be gone already.
        let _ = kill_process(pid, Signal::KILL);
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer in {} seconds", patience.as_secs())))
    })
}

/// How it ended, in words; nothing for a good end.
pub fn words(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit status {code}")),
        (_, Some(signal)) => Some(format!("killed by signal {signal}{}", name(signal))),
        _ => Some("an unknown end".into()),
    }
}

fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"))
}

/// Ends this process as that one ended: the same status, or by the same signal, without a core of our own.
pub fn end_like(status: ExitStatus) -> u8 {
    if let Some(signal) = status.signal() {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        // Where it cannot be set there is a core too many.
        let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
        if signal == signal_hook::consts::SIGKILL {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        if signal_hook::low_level::emulate_default_handler(signal).is_err() {
            // One without a name: what it does was never changed here.
            let _ = signal_hook::low_level::raise(signal);
        }
        return (128 + signal) as u8;
    }
    status.code().unwrap_or(1) as u8
}
