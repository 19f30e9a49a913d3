//! Runs the shell command of `--on-trace-ready` with each trace, one after the other, while the program
//! continues.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use proftui_wire::secrets;

/// The shell command of `--on-trace-ready`, the traces that wait for it, and its running process.
#[derive(Debug, Default)]
pub struct TraceReadyCommand {
    /// The shell command; `None` if there is nothing to run.
    command: Option<String>,
    waiting: VecDeque<PathBuf>,
    /// The running process of the command, and the path of the trace that it was started for.
    running: Option<(Child, PathBuf)>,
}

impl TraceReadyCommand {
    /// Makes the queue for a shell command; with `None`, all traces are ignored.
    pub fn new(command: Option<String>) -> Self {
        Self { command, ..Self::default() }
    }

    /// The command as messages show it: secrets are hidden. Empty if there is none.
    pub fn shown(&self) -> String {
        secrets::hide(self.command.as_slice()).concat()
    }

    /// Queues the path of a trace for the command; does nothing if there is no command.
    pub fn add(&mut self, trace: PathBuf) {
        if self.command.is_some() {
            self.waiting.push_back(trace);
        }
    }

    /// Unless the command is running: starts it for the next trace, or returns a message that it failed for
    /// the last one or cannot be started.
    pub fn advance(&mut self) -> Option<String> {
        let command = self.command.as_ref()?;
        if let Some((child, _)) = &mut self.running {
            let ended = child.try_wait().transpose()?;
            self.running = None;
            match ended {
                Ok(status) if status.success() => {}
                Ok(status) => return Some(format!("--on-trace-ready: {}: {status}", self.shown())),
                Err(why) => return Some(format!("--on-trace-ready: {}: {why}", self.shown())),
            }
        }
        let trace = self.waiting.pop_front()?;
        let line = format!("{command} \"$1\"");
        let started =
            Command::new("sh").arg("-c").arg(line).arg("sh").arg(&trace).stdin(Stdio::null()).spawn();
        match started {
            Ok(child) => self.running = Some((child, trace)),
            Err(why) => return Some(format!("--on-trace-ready: {}: {why}", self.shown())),
        }
        None
    }

    /// True for a trace that waits for the command, or for which the command is running.
    pub fn is_due(&self, trace: &Path) -> bool {
        self.waiting.iter().chain(self.running.iter().map(|(_, trace)| trace)).any(|due| due == trace)
    }

    /// Number of traces that wait for the command, or for which it is running.
    pub fn left(&self) -> usize {
        self.waiting.len() + usize::from(self.running.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(command: &str, traces: &[PathBuf]) -> Vec<String> {
        let mut ready = TraceReadyCommand::new(Some(command.into()));
        traces.iter().for_each(|trace| ready.add(trace.clone()));
        let mut complaints = Vec::new();
        while ready.left() > 0 {
            complaints.extend(ready.advance());
            std::thread::yield_now();
        }
        complaints
    }

    #[test]
    fn traces_are_handled_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("list");
        let traces = [PathBuf::from("a b"), PathBuf::from("$HOME")];
        assert!(run(&format!("printf '%s\\n' >>{}", list.display()), &traces).is_empty());
        assert_eq!(std::fs::read_to_string(list).expect("written"), "a b\n$HOME\n");
    }

    #[test]
    fn a_failure_is_returned_and_standard_input_is_empty() {
        let one = [PathBuf::from("x")];
        let said = run("false --token V", &one);
        assert_eq!(said, ["--on-trace-ready: false --token ***: exit status: 1"]);
        assert_eq!(run("false", &one), ["--on-trace-ready: false: exit status: 1"]);
        assert!(run("cat - >/dev/null; true", &one).is_empty());
    }
}
