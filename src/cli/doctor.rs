//! `proftui doctor`: prints what can be captured on this machine, and why not the rest.
//!
//! Must not know how the machine is examined.

use std::path::PathBuf;

use crate::capture::doctor::examine;
use crate::capture::gpu::finding::Mark;
use crate::capture::system::python::default_python;

use super::gpu::file;
use crate::cli::output::streams::{Failure, print};

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Python interpreter with which to try a capture (default: python3, or python if there is no python3)
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
    /// Folder for traces, checked for write access
    #[arg(long, value_name = "DIR", default_value = "profiler_log")]
    out: PathBuf,
    /// Folder for a capture's temporary files, checked for free space (default: $TMPDIR, or /tmp)
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// Folder for the recorder's files, as in proftui capture (default: `$PROFTUI_CACHE`, else usually your
    /// cache)
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Path of the CUPTI library, libcupti.so, to check (default: found automatically)
    #[arg(long, value_name = "PATH", value_parser = file)]
    cupti: Option<PathBuf>,
}

pub(super) fn run(args: &DoctorArgs) -> Result<(), Failure> {
    let python = args.python.clone().unwrap_or_else(default_python);
    let (spool, cache) = (args.spool.as_deref(), args.cache.as_deref());
    let findings = examine(&python, &args.out, spool, args.cupti.as_deref(), cache);
    let line = |mark: Mark, what: &str, text: &str| {
        let mark = match mark {
            Mark::Good => "ok",
            Mark::Note => "note",
            Mark::Bad => "no",
        };
        format!("{mark:<5} {what:<11} {text}\n")
    };
    let text: String = findings.iter().map(|found| line(found.mark, found.what, &found.text)).collect();
    print(&text)?;
    match findings.iter().filter(|found| found.mark == Mark::Bad).count() {
        0 => Ok(()),
        1 => Err(Failure("1 check failed: see the line marked no".into())),
        n => Err(Failure(format!("{n} checks failed: see the lines marked no"))),
    }
}
