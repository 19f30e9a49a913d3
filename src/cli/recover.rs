//! `proftui recover`: writes the traces of captures that were killed, from the files they left, and prints
//! the traces' paths.
//!
//! Must not know which files a capture leaves.

use std::path::PathBuf;

use crate::capture::recover::recover;
use proftui_base::heap;

use crate::cli::load::profile::confine;
use crate::cli::options::values::size;
use crate::cli::output::streams::{Failure, notify, print};

#[derive(Debug, clap::Args)]
pub(super) struct RecoverArgs {
    /// Folder for the traces (default: for each capture, usually the folder that it was to write to)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder to search for the temporary files that captures left (default: $TMPDIR, or /tmp)
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// Memory limit, such as 512M or 4G: the records of a trace are held in memory as a whole; where they do
    /// not fit, they stay in the temporary files (default: half of the free memory)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
}

pub(super) fn run(args: &RecoverArgs) -> Result<(), Failure> {
    confine(args.max_memory);
    heap::advise(
        "the records stay: raise --max-memory, or the system's limit if it is lower, and recover them again",
    );
    let left = recover(args.spool.as_deref(), args.out.as_deref());
    if left.is_empty() {
        notify(
            "nothing to recover: no files of a killed capture of yours were found; --spool names another \
             folder",
        );
    }
    for run in &left {
        if let [first, ..] = run.alive.as_slice() {
            notify(&format!(
                "{}: process {first} is still running; run proftui recover again once no process of the \
                 capture is",
                run.command
            ));
        } else if run.traces.is_empty() {
            notify(&format!("{}: no trace was written", run.command));
        }
    }
    let traces = left.iter().flat_map(|run| &run.traces);
    let lines: Vec<String> = traces.map(|path| format!("{}\n", path.display())).collect();
    print(&lines.concat())
}
