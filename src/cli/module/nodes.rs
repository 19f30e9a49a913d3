//! `proftui nodes`: prints the trees of a Paddle file as lines of JSON, for the Python module. A hidden
//! command.
//!
//! The first line has the file's fields except the trees, each further line one thread's tree; keys are those
//! of the protobuf schema.

use std::io::Write;
use std::path::PathBuf;

use proftui_trace::{export, import};

use crate::cli::load::profile::{self, ProfileMemory};
use crate::cli::output::streams::{Failure, notify, print_by};

/// The name of the hidden subcommand that prints the trees of a Paddle file.
pub(in crate::cli) const COMMAND: &str = "nodes";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct NodesArgs {
    /// Paddle profile (.pb), JSON that proftui convert wrote from one, or JSON that Paddle's profiler
    /// exported; may be compressed by gzip or zstd
    file: PathBuf,
    #[command(flatten)]
    memory: ProfileMemory,
}

pub(in crate::cli) fn run(args: &NodesArgs) -> Result<(), Failure> {
    let export::Converted { mut trees, lacks } = profile::read(&args.file, &args.memory)?;
    lacks.iter().for_each(|line| notify(&format!("{}: {line}", import::shown(&args.file))));
    let threads = std::mem::take(&mut trees.thread_trees);
    print_by(|out| {
        serde_json::to_writer(&mut *out, &trees)?;
        for thread in threads {
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut *out, &thread)?;
        }
        out.write_all(b"\n")
    })
}
