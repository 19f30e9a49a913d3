//! The person's command, run with each trace: one after the other, beside the program, whose input it does not share.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Traces that wait for the command, and the one that it has now.
#[derive(Debug, Default)]
pub struct Hooks {
    command: Option<String>,
    waiting: VecDeque<PathBuf>,
    running: Option<Child>,
}

impl Hooks {
    /// Of a command for the shell; none does nothing.
    pub fn new(command: Option<String>) -> Self {
        Self { command, ..Self::default() }
    }

    /// There is a trace.
    pub fn add(&mut self, trace: PathBuf) {
        if self.command.is_some() {
            self.waiting.push_back(trace);
        }
    }

    /// Goes on with what there is to do; what there is to complain about.
    pub fn turn(&mut self) -> Option<String> {
        let command = self.command.as_ref()?;
        if let Some(child) = &mut self.running {
            let ended = child.try_wait().transpose()?;
            self.running = None;
            match ended {
                Ok(status) if status.success() => {}
                Ok(status) => return Some(format!("{command}: {status}")),
                Err(why) => return Some(format!("{command}: {why}")),
            }
        }
        let trace = self.waiting.pop_front()?;
        let line = format!("{command} \"$1\"");
        let started =
            Command::new("sh").arg("-c").arg(line).arg("sh").arg(trace).stdin(Stdio::null()).spawn();
        match started {
            Ok(child) => self.running = Some(child),
            Err(why) => return Some(format!("{command}: {why}")),
        }
        None
    }

    /// Traces that the command is not done with.
    pub fn left(&self) -> usize {
        self.waiting.len() + usize::from(self.running.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(command: &str, traces: &[PathBuf]) -> Vec<String> {
        let mut hooks = Hooks::new(Some(command.into()));
        traces.iter().for_each(|trace| hooks.add(trace.clone()));
        let mut complaints = Vec::new();
        while hooks.left() > 0 {
            complaints.extend(hooks.turn());
            std::thread::yield_now();
        }
        complaints
    }

    #[test]
    fn each_trace_is_handed_on_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("list");
        let traces = [PathBuf::from("a b"), PathBuf::from("$HOME")];
        assert!(run(&format!("printf '%s\\n' >>{}", list.display()), &traces).is_empty());
        assert_eq!(std::fs::read_to_string(list).expect("written"), "a b\n$HOME\n");
    }

    #[test]
    fn what_fails_is_told_and_what_reads_finds_nothing() {
        let one = [PathBuf::from("x")];
        assert_eq!(run("false", &one), ["false: exit status: 1"]);
        assert!(run("cat - >/dev/null; true", &one).is_empty());
    }
}
