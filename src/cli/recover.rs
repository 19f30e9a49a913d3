//! `proftui recover`: writes the traces of captures that were killed, from the files they left, and prints the traces' paths.
//!
//! Must not know which files a capture leaves.

use std::path::PathBuf;

use crate::capture::recover::recover;

use super::streams::{Failure, notify, print};

#[derive(Debug, clap::Args)]
pub(super) struct RecoverArgs {
    /// The folder into which traces are written; by default that which each capture was given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder for captures' temporary files; by default the system's folder for them
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
}

pub(super) fn run(args: &RecoverArgs) -> Result<(), Failure> {
    let left = recover(args.spool.as_deref(), args.out.as_deref());
    if left.is_empty() {
        notify("no capture was left behind");
    }
    for run in &left {
        if let [first, ..] = run.alive.as_slice() {
            notify(&format!("{}: still runs (process {first}); recover it when it has ended", run.command));
        } else if run.traces.is_empty() {
            notify(&format!("{}: nothing was recorded", run.command));
        }
    }
    let traces = left.iter().flat_map(|run| &run.traces);
    let lines: Vec<String> = traces.map(|path| format!("{}\n", path.display())).collect();
    print(&lines.concat())
}
