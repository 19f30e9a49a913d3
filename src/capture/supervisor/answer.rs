//! Prints the answer at the end of a capture: where the time of one trace went, in a few lines, and the
//! command that opens it.
//!
//! Another process of this program reads the trace (`cli/answer.rs`), so its memory is free again at once,
//! and nothing that it does changes how the capture ends. Must not know what the lines say.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use proftui_base::fmt;
use proftui_base::shell::CommandLine;

use crate::capture::trace_writer::{TraceWriter, Written};

/// Name of the hidden subcommand that prints where the time of a trace went.
pub const COMMAND: &str = "answer";

/// Most events of a trace that is read to print where its time went.
const MOST_EVENTS: u64 = 4_000_000;
/// Most time that the process that reads the trace gets before it is killed.
const MOST_TIME: Duration = Duration::from_secs(10);
/// Interval at which the end of the process that reads the trace is looked for.
const INTERVAL: Duration = Duration::from_millis(10);

/// Why the lines on where the time of a trace went are left out; the text completes a sentence after `since`.
#[derive(Debug, thiserror::Error)]
enum NoLines {
    /// The trace has too many events: this number of them.
    #[error("the trace has {} events", fmt::count(*.0))]
    Large(u64),
    /// The process that is to read the trace cannot be started.
    #[error("the process to read the trace cannot be started: {0}")]
    NotStarted(io::Error),
    /// The process that reads the trace takes longer than [`MOST_TIME`].
    #[error("it takes more than {} s", MOST_TIME.as_secs())]
    Slow,
    /// The user asked to end before the lines were there.
    #[error("it was interrupted")]
    Interrupted,
    /// The system's error when it was asked whether the process that reads the trace has ended.
    #[error("whether the process that reads the trace has ended is not known: {0}")]
    Lost(io::Error),
    /// The process that reads the trace failed, or its output could not be read.
    #[error("the process that reads the trace failed")]
    Unread,
}

/// If a trace was written, prints where its time went or why that is left out, the line `processes`, and how
/// to open it, unless `--quiet`. `pause` waits for at most the given time; false ends the wait.
pub(crate) fn print(writer: &mut TraceWriter, processes: Option<&str>, pause: impl Fn(Duration) -> bool) {
    // What follows names the path of a single trace.
    let _ = writer.first_line.take();
    let Some(written) = chosen(&writer.written).filter(|_| !writer.status.is_quiet()) else { return };
    let lines = if written.events > MOST_EVENTS {
        Err(NoLines::Large(written.events))
    } else {
        lines(&written.path, pause)
    };
    match lines {
        Ok(lines) => lines.iter().for_each(|line| writer.status.print(line)),
        Err(why) => writer.status.print(&format!(
            "where the time went is left out, since {why}; see {}",
            CommandLine::new("proftui summary").path(&written.path)
        )),
    }
    processes.iter().for_each(|line| writer.status.print(line));
    let open = CommandLine::new("proftui open").path(&written.path);
    writer.status.print(&format!("open it: {open}"));
}

/// The trace to report about: the last with the most steps among those of the lowest rank; `None` if
/// `written` is empty.
fn chosen(written: &[Written]) -> Option<&Written> {
    written.iter().max_by_key(|trace| (std::cmp::Reverse(trace.rank.unwrap_or(u64::MAX)), trace.steps))
}

/// The lines that another process of this program prints on where the time of the trace at `path` went.
/// `pause` waits for at most the given time; false ends the wait.
///
/// # Errors
/// When that process cannot be started or fails, takes longer than [`MOST_TIME`], or the user asks to end.
fn lines(path: &Path, pause: impl Fn(Duration) -> bool) -> Result<Vec<String>, NoLines> {
    let mut child = start(path).map_err(NoLines::NotStarted)?;
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() > MOST_TIME => {
                end(child);
                return Err(NoLines::Slow);
            }
            Ok(None) if pause(INTERVAL) => {}
            Ok(None) => {
                end(child);
                return Err(NoLines::Interrupted);
            }
            Err(error) => return Err(NoLines::Lost(error)),
        }
    };
    let mut text = String::new();
    // The lines of an ended process are all in the pipe: they are short.
    let read = child.stdout.take().map_or(Ok(0), |mut out| out.read_to_string(&mut text));
    match read {
        Ok(_) if status.success() => Ok(text.lines().map(str::to_owned).collect()),
        _ => Err(NoLines::Unread),
    }
}

fn start(path: &Path) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(COMMAND).arg("--").arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Kills the process that reads the trace, and waits for its end.
fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn one_trace_of_several_is_chosen() {
        let trace = |path: &str, rank: Option<u64>, steps: u64| Written {
            path: PathBuf::from(path),
            rank,
            steps,
            events: 0,
        };
        let of = |all: &[Written]| chosen(all).map(|written| written.path.display().to_string());
        assert_eq!(of(&[]), None);
        let ranks =
            [trace("a", Some(1), 9), trace("b", Some(0), 3), trace("c", Some(0), 4), trace("d", Some(0), 4)];
        assert_eq!(
            of(&ranks).as_deref(),
            Some("d"),
            "the last of those with the most steps of the first rank"
        );
        assert_eq!(of(&[trace("a", None, 5), trace("b", None, 0)]).as_deref(), Some("a"));
        assert_eq!(of(&[trace("a", None, 5), trace("b", Some(3), 0)]).as_deref(), Some("b"));
    }
}
