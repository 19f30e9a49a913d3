//! The command line: the list of subcommands, each of which has a file, and the exit status.
//!
//! Exit status: 0 done; 1 the input could not be used (one line on stderr says why); 2 the command line was wrong;
//! 129 the terminal went away. Tables go to stdout, everything else to stderr; a closed pipe is not an error.

mod capture;
mod collect;
mod completions;
mod convert;
mod doctor;
mod gpu;
mod info;
mod load;
mod man;
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

use clap::{CommandFactory, Parser, Subcommand};

use crate::app::command;
use crate::capture::gpu::machine::COMMAND;

use streams::{Failure, notify, print};

/// See in a terminal where the time of training and inference goes.
#[derive(Debug, Parser)]
#[command(name = "proftui", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a program, such as python train.py, unmodified, and record it step by step
    ///
    /// Records what the program's processes do: on the host the loading of data, forward, backward, optimizer, operators, named
    /// ranges; of NVIDIA GPUs calls, kernels, copies. Writes one trace for each cycle of steps and each rank. The exit status is
    /// the program's own.
    Capture(Box<capture::CaptureArgs>),
    /// Explore a trace: timeline, links from launches to kernels, panes
    ///
    /// Reads Chrome Trace Event JSON as PyTorch (Kineto), PaddlePaddle, DeepLink, VizTracer and Chrome write it, and
    /// PaddlePaddle's protobuf and old binary profiles: plain, gzip or zstd. Several files, or a directory, open as one:
    /// files of one process are cycles on the same lanes,
    /// other processes (ranks) are groups of their own.
    Open(open_args::OpenArgs),
    /// Print what is in a trace, and what had to be repaired or dropped
    Info(info::InfoArgs),
    /// Print summary tables: where the time went, for people, logs and scripts
    ///
    /// Several paths, or a directory of several ranks, are set side by side: a column for each rank of each path, and how
    /// they differ; --merged adds them up.
    Summary(Box<summary::SummaryArgs>),
    /// Write PaddlePaddle's protobuf as JSON, or such JSON as protobuf, without loss
    Convert(convert::ConvertArgs),
    /// Print what can be captured on this machine, and what to do about the rest
    Doctor(doctor::DoctorArgs),
    /// Write the traces of captures that were killed
    Recover(recover::RecoverArgs),
    /// Load the CUDA driver and CUPTI, and print what they report; for proftui itself
    #[command(name = COMMAND, hide = true)]
    Probe(gpu::ProbeArgs),
    /// Collect what a process records of itself; for the Python module
    #[command(name = collect::COMMAND, hide = true)]
    Collect(collect::CollectArgs),
    /// Print Paddle's trees as lines of JSON; for the Python module
    #[command(name = nodes::COMMAND, hide = true)]
    Nodes(nodes::NodesArgs),
    /// Print the states of consecutive steps in a schedule; for the Python module
    #[command(name = states::COMMAND, hide = true)]
    States(states::StatesArgs),
    /// Print every key of the explorer, in Markdown
    Keys,
    /// Print the completion script of a shell
    ///
    /// For Bash: source <(proftui completions bash), in ~/.bashrc. For other shells: write the output to a file where the shell
    /// looks for completions, such as ~/.config/fish/completions/proftui.fish.
    Completions(completions::CompletionsArgs),
    /// Write the manual pages, one per command, to a folder
    Man(man::ManArgs),
}

/// Parses the command line and runs its subcommand; returns the exit status.
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
        Command::Completions(args) => completions::run(&args, &Cli::command()),
        Command::Man(args) => man::run(&args, &Cli::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            notify(&why);
            ExitCode::FAILURE
        }
    }
}
