//! Recovers captures that were killed, or that kept their run folder: writes traces from the files in it.

use std::path::{Path, PathBuf};

use super::signals;
use super::trace_writer::TraceWriter;
use crate::capture::files::output::{Output, OutputFormat};
use crate::capture::files::run_folder::RunFolder;
use crate::capture::messages::status::Status;
use crate::capture::process::ends::Ends;
use crate::capture::process::tree::ProcessTree;

/// The result of an attempt to recover a run.
#[derive(Debug)]
pub struct RecoveredRun {
    /// The captured command line, with secrets hidden, or a text with the run folder's path if the command is
    /// unknown.
    pub command: String,
    /// Process ids of the run's processes that were found alive; if there are any, nothing of the run is
    /// recovered.
    pub alive: Vec<u32>,
    /// Paths of the traces that were written.
    pub traces: Vec<PathBuf>,
}

/// Writes traces from the run folders that captures of this user left in `spool`, or the default spool. The
/// traces go to `out`, else to the captures' own output folders, or to the working directory if these are
/// unknown.
pub fn recover(spool: Option<&Path>, out: Option<&Path>) -> Vec<RecoveredRun> {
    // If the signal cannot be handled, a file size limit ends this process; records that were not written
    // stay in the run folder.
    let _ = signals::outlive_full_files();
    RunFolder::adopt_abandoned(spool).into_iter().map(|run| recover_run(run, out)).collect()
}

/// Recovers one run, unless a process of it is [`RecoveredRun::alive`]; removes the run folder if no records
/// are left in it.
fn recover_run(run: RunFolder, out: Option<&Path>) -> RecoveredRun {
    let info = run.recovery_info().ok();
    let command = match &info {
        Some(info) => info.command.clone(),
        None => format!("{} (command unknown)", run.path().display()),
    };
    let unknown = || Output { folder: ".".into(), format: OutputFormat::ByFramework, may_replace: false };
    let mut output = info.map_or_else(unknown, |info| info.output);
    let mut tree = ProcessTree::new(Ends::default(), true);
    tree.look(&run);
    let alive: Vec<u32> = tree
        .all()
        .filter(|process| process.is_alive() && !process.is_foreign())
        .map(|process| process.pid)
        .collect();
    if !alive.is_empty() {
        return RecoveredRun { command, alive, traces: Vec::new() };
    }
    if let Some(out) = out {
        out.clone_into(&mut output.folder);
    }
    let mut writer = TraceWriter::new(output, command.clone(), None, Status::new(false));
    let all_ended = tree.take_ended(true, "the capture was killed");
    let wanted = match writer.output.prepare() {
        Ok(()) => all_ended.len(),
        Err(why) => {
            writer.status.print(&format!("cannot write traces to {}: {why}", writer.output.folder.display()));
            0
        }
    };
    for ended in all_ended.iter().take(wanted) {
        writer.write_ended(&tree, ended, false);
    }
    // Records that could not be written stay in the run folder.
    if wanted == all_ended.len() && !run.has_chunks() {
        run.remove();
    }
    RecoveredRun { command, alive, traces: writer.traces }
}
