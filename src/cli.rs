//! The command line: the list of subcommands, each of which has a file, and the exit status.
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
mod open_args;
mod ops;
mod recover;
mod select;
mod states;
mod streams;
mod summary;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::app::command;
use crate::capture::gpu::machine::COMMAND;

use streams::{Failure, notify, print};

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
    Open(open_args::OpenArgs),
    /// Say what is in a trace, and what had to be repaired or dropped
    Info(info::InfoArgs),
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
    /// Print the states of steps in a schedule; for the Python module
    #[command(name = states::COMMAND, hide = true)]
    States(states::StatesArgs),
    /// Print every key of the explorer, in Markdown
    Keys,
}

/// Runs the command of the command line; returns the exit status.
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
        Command::States(args) => states::run(&args),
        Command::Keys => print(&command::manual()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            notify(&why);
            ExitCode::FAILURE
        }
    }
}
