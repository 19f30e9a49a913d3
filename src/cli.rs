//! The command line: one file a subcommand, and the definitions that `--help` shows.
//!
//! Exit status: 0 done; 1 the input could not be used (one line on stderr says why); 2 the command line was wrong;
//! 129 the terminal went away. Tables go to stdout, everything else to stderr; a closed pipe is not an error.

mod capture;
mod collect;
mod convert;
mod doctor;
mod gpu;
mod info;
mod load;
mod nodes;
mod open;
mod ops;
mod recover;
mod select;
mod summary;
mod values;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::app::command;
use crate::capture::gpu::machine::COMMAND;
use crate::ui::theme::Depth;

use select::SelectArgs;

/// See where training and inference time goes, from a terminal.
#[derive(Debug, Parser)]
#[command(name = "proftui", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a program and record it: python train.py as it is, step by step
    ///
    /// Records what the program's processes do: on the host loading of data, forward, backward, optimizer, ranges with names; on
    /// NVIDIA GPUs calls, kernels, copies. One trace for each cycle of steps and each rank. The script needs no change. The exit
    /// status is the program's own.
    Capture(Box<capture::CaptureArgs>),
    /// Walk around in a trace: timeline, links from launches to kernels, panes
    ///
    /// Reads Chrome Trace Event JSON as PyTorch (Kineto), PaddlePaddle, DeepLink, VizTracer and Chrome write it, and
    /// PaddlePaddle's protobuf and old binary profiles: plain, gzip or zstd. Several files, or a directory, open as one:
    /// files of one process are cycles on the same lanes,
    /// other processes (ranks) are groups of their own.
    Open(OpenArgs),
    /// Say what is in a trace, and what had to be repaired or dropped
    Info(InfoArgs),
    /// Print summary tables: where the time went, for people, logs and scripts
    ///
    /// Several paths, or a directory of several ranks, are set side by side: a column for each rank of each path, and how
    /// they differ; --merged adds them up.
    Summary(Box<summary::SummaryArgs>),
    /// Write PaddlePaddle's protobuf as JSON, or such JSON as protobuf, without loss
    Convert(convert::ConvertArgs),
    /// Say what can be captured here, and what to do about the rest
    Doctor(doctor::DoctorArgs),
    /// Write what captures that were killed left behind
    Recover(recover::RecoverArgs),
    /// Load the driver and CUPTI, and say what they say; for proftui itself
    #[command(name = COMMAND, hide = true)]
    Probe(gpu::ProbeArgs),
    /// Look after a process that profiles itself; for the Python module
    #[command(name = collect::COMMAND, hide = true)]
    Collect(collect::CollectArgs),
    /// Print Paddle's trees as lines of JSON; for the Python module
    #[command(name = nodes::COMMAND, hide = true)]
    Nodes(nodes::NodesArgs),
    /// Print every key of the explorer, in Markdown
    Keys,
}

#[derive(Debug, clap::Args)]
struct OpenArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// How many colours to use
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
    /// What lies behind the text; found out from the environment by default
    #[arg(long, value_enum, default_value_t)]
    theme: ThemeChoice,
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

#[derive(Debug, clap::Args)]
struct InfoArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One line of JSON
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ColorChoice {
    /// As many as the terminal is likely to show; none when `NO_COLOR` is set
    #[default]
    Auto,
    /// 24 bits
    True,
    /// The 256 of xterm
    #[value(name = "256")]
    Indexed,
    /// The terminal's own sixteen
    #[value(name = "16")]
    Ansi,
    /// None
    Never,
}

impl ColorChoice {
    fn depth(self) -> Option<Depth> {
        match self {
            Self::Auto => None,
            Self::True => Some(Depth::True),
            Self::Indexed => Some(Depth::Indexed256),
            Self::Ansi => Some(Depth::Ansi16),
            Self::Never => Some(Depth::Mono),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ThemeChoice {
    /// Dark unless the environment says light
    #[default]
    Auto,
    /// For a dark background
    Dark,
    /// For a light background
    Light,
}

/// Why a command failed, in one line.
#[derive(Debug)]
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Runs the program; the exit status.
pub fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Capture(args) => return ExitCode::from(capture::run(&args)),
        Command::Open(args) => open::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Summary(args) => summary::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Recover(args) => recover::run(&args),
        Command::Probe(args) => gpu::probe(&args),
        Command::Collect(args) => collect::run(&args),
        Command::Nodes(args) => nodes::run(&args),
        Command::Keys => print(&command::manual()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            // A closed stderr must not become a panic.
            let _ = writeln!(io::stderr(), "proftui: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Prints to stdout; a reader that went away is not an error.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
