//! Asks a running capture of this user to write what its rings hold now: finds the captures by their run
//! folders.
//!
//! Must not know what a ring is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use proftui_base::text::SafeText;

use crate::capture::files::run_folder::RunFolder;
use crate::capture::supervisor::dump_requests::{self, NoDump};

/// Most columns of a command in a message.
const COMMAND: usize = 60;

/// Pause between two checks whether there is an answer.
const PAUSE: Duration = Duration::from_millis(20);

/// Why nothing was dumped.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// No capture of this user is running with its run folder in the spool with this path.
    #[error("no capture of yours is running with its temporary folder in {0}; --spool names another folder")]
    None(String),
    /// The process `pid` is in none of the running captures.
    #[error("none of these running captures records process {pid}: {others}")]
    Unknown {
        /// The id that was given.
        pid: u32,
        /// The running captures, as text for the message.
        others: String,
    },
    /// Several captures could be meant; the text lists the running captures.
    #[error("several captures are running: {0}; name one of them by its PID")]
    Several(String),
    /// The capture answers that it writes no dump.
    #[error("the capture {capture} writes no dump: {why}")]
    Refused {
        /// The capture, as text for the message.
        capture: String,
        /// The cause.
        why: NoDump,
    },
    /// The capture ended before it answered, or its run folder was removed or renamed; the text names the
    /// capture.
    #[error("the capture {0} has ended, or its temporary folder was removed or renamed")]
    Ended(String),
    /// The request's file cannot be made in the run folder.
    #[error("cannot ask the capture {capture}: {why}")]
    Ask {
        /// The capture, as text for the message.
        capture: String,
        /// The system's error.
        why: std::io::Error,
    },
}

/// Has the capture of the process `pid` (`None`: the only capture, or the only one with rings) write what its
/// rings hold now, and returns the paths of the traces.
///
/// # Errors
/// When no single capture is found, or the capture writes no dump.
pub fn dump(pid: Option<u32>, spool: Option<&Path>) -> Result<Vec<PathBuf>, DumpError> {
    let (runs, searched) = RunFolder::running(spool);
    let all = || runs.iter().map(shown).collect::<Vec<_>>().join(", ");
    if runs.is_empty() {
        return Err(DumpError::None(searched.display().to_string()));
    }
    let mut found: Vec<&RunFolder> =
        runs.iter().filter(|run| pid.is_none_or(|pid| run.has_process(pid))).collect();
    if pid.is_none() && found.iter().any(|run| run.is_ring()) {
        found.retain(|run| run.is_ring());
    }
    match (found.as_slice(), pid) {
        ([run], _) => ask(run),
        ([], Some(pid)) => Err(DumpError::Unknown { pid, others: all() }),
        _ => Err(DumpError::Several(all())),
    }
}

/// Asks the capture of a run to write what its rings hold, and waits for the answer.
fn ask(run: &RunFolder) -> Result<Vec<PathBuf>, DumpError> {
    let capture = || shown(run);
    let request =
        dump_requests::ask(&run.inside()).map_err(|why| DumpError::Ask { capture: capture(), why })?;
    loop {
        // Asked before the answer is looked for: an answer that was there when the capture ended is seen.
        let is_over = !run.is_there() || !run.is_locked();
        if let Some(answer) = request.take_answer() {
            return answer.map_err(|why| DumpError::Refused { capture: capture(), why });
        }
        if is_over {
            request.take_back();
            return Err(DumpError::Ended(capture()));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The capture of a run as text for messages: its process id and the beginning of its command, where known.
fn shown(run: &RunFolder) -> String {
    let pid = run.supervisor().map_or_else(|| "of an unknown process".to_owned(), |pid| pid.to_string());
    let command = run.recovery_info().map_or_else(
        |_| String::new(),
        |info| {
            let line = info.command.split_whitespace().collect::<Vec<_>>().join(" ");
            format!(" ({})", SafeText::new(&line).elide_end(COMMAND).as_str())
        },
    );
    format!("{pid}{command}")
}
