//! Processes of a run that go on after the program has ended, such as a daemon.
//!
//! Must not know what they record.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use proftui_wire::options::RUN;

/// A process that goes on: its id, and its command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// The process's id.
    pub pid: u32,
    /// The command line, with blanks between its words; empty if it cannot be read.
    pub command: String,
}

/// Finds the running process with the lowest id that has the run's variable for the folder `run` in its
/// environment; `None` if there is none whose environment may be read.
pub(crate) fn first(run: &Path) -> Option<Left> {
    let entry = [OsStr::new(RUN).as_bytes(), b"=", run.as_os_str().as_bytes()].concat();
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let is_of_run = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        // That of a process that has ended and is not waited for is empty.
        environment.split(|&byte| byte == 0).any(|variable| variable == entry)
    };
    let pid = pids.into_iter().find(is_of_run)?;
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = words.split(|&byte| byte == 0).map(String::from_utf8_lossy).collect();
    Some(Left { pid, command: words.join(" ").trim_end().to_owned() })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_with_the_variable_is_found_until_it_ends() {
        let run = tempfile::tempdir().expect("a folder");
        assert_eq!(first(run.path()), None);
        let mut command = Command::new("sleep");
        let mut child = command.arg("60").env(RUN, run.path()).stdin(Stdio::null()).spawn().expect("started");
        let found = std::iter::repeat_with(|| first(run.path())).take(1000).flatten().next();
        assert_eq!(found, Some(Left { pid: child.id(), command: "sleep 60".to_owned() }));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert_eq!(first(run.path()), None);
    }
}
