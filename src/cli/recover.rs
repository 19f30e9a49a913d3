//! `proftui recover`: writes traces from what captures that were killed left behind, and prints their paths.
//!
//! Must not know what a capture leaves behind.

use std::path::PathBuf;

use crate::capture::recover::recover;

use super::streams::{Failure, notify, print};

#[derive(Debug, clap::Args)]
pub(super) struct RecoverArgs {
    /// The folder for traces; each capture's own by default
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where run folders are made
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
