//! `proftui collect`: the process that the Python module starts to collect what a script records of itself. A
//! hidden command.
//!
//! The process starts a second copy of itself in a session of its own and not as a child of the script, so
//! Ctrl-C does not interrupt the second process, and `wait()` in the script does not block on it. The second
//! process answers with one line of JSON on standard output, and keeps no file of the script open.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use proftui_wire::options::Options;

use crate::capture::gpu::GpuOptions;
use crate::capture::self_profiling::{Ready, serve};

use crate::cli::output::streams::{Failure, print};

/// The name of the hidden subcommand that writes the traces of a script which records itself.
pub(in crate::cli) const COMMAND: &str = "collect";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CollectArgs {
    /// Process id of the script that records itself
    #[arg(long)]
    pid: u32,
    /// Options for the recorder in the script's process: lines of key=value
    #[arg(long, default_value = "")]
    options: String,
    /// Path of the CUPTI library, libcupti.so (default: found automatically)
    #[arg(long)]
    cupti: Option<PathBuf>,
    /// Marks the second process, which writes the traces
    #[arg(long)]
    apart: bool,
}

pub(in crate::cli) fn run(args: &CollectArgs) -> Result<(), Failure> {
    if !args.apart {
        let this = std::env::current_exe()?;
        let arguments = std::env::args_os().skip(1);
        let mut second = Command::new(this);
        second.args(arguments).arg("--apart").stdin(Stdio::null()).stderr(Stdio::null()).spawn()?;
        return Ok(());
    }
    // An error means that the process is the leader of a session already.
    let _ = rustix::process::setsid();
    let wish = GpuOptions { cupti: args.cupti.clone(), ..GpuOptions::default() };
    let outcome = serve(args.pid, Options::read(&args.options), wish, answer);
    outcome.or_else(|error| print(&(serde_json::json!({ "error": error.to_string() }).to_string() + "\n")))
}

/// Prints `ready` as one line of JSON, then redirects standard output to `/dev/null`.
fn answer(ready: &Ready) -> io::Result<()> {
    let line = serde_json::to_string(ready)? + "\n";
    io::stdout().write_all(line.as_bytes()).and_then(|()| io::stdout().flush())?;
    // The script reads this process's output up to its end.
    Ok(rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?)
}
