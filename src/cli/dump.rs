//! `proftui dump`: has a running capture write what its rings hold now, and prints the paths of the traces.
//!
//! Must not know how a capture is asked.

use std::path::PathBuf;

use crate::capture::dump::dump;

use crate::cli::output::streams::{Failure, print};

#[derive(Debug, clap::Args)]
pub(super) struct DumpArgs {
    /// Process id of the capture, or of a process that it records; not needed where only one capture of yours
    /// runs
    #[arg(value_name = "PID")]
    pid: Option<u32>,
    /// Folder to search for the temporary files of captures, as given to them by --spool (default: $TMPDIR,
    /// or /tmp)
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
}

pub(super) fn run(args: &DumpArgs) -> Result<(), Failure> {
    let paths = dump(args.pid, args.spool.as_deref()).map_err(|why| Failure(why.to_string()))?;
    let lines: Vec<String> = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    print(&lines.concat())
}
