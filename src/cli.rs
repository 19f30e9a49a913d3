//! The command line: the list of subcommands, each of which has a file, and the exit status.
//!
//! Exit status: 0 done; 1 the input could not be used, or a check of `doctor` failed (one line on stderr says
//! why); 2 the command line was wrong; 3 a limit of `insights --fail-on` does not hold, or it is not known
//! whether it holds; 129 the terminal went away. `capture` ends with the exit status of the program instead.
//! Results go to stdout, messages to stderr; a closed pipe is not an error.

mod answer;
mod asked;
mod capture;
mod completions;
mod config;
mod convert;
mod doctor;
mod dump;
mod export;
mod gpu;
mod info;
mod insights;
mod licenses;
mod load;
mod man;
mod module;
mod open;
mod options;
mod output;
mod query;
mod recover;
mod render;
mod summary;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::app::command;
use crate::app::input::bindings::Keys;
use crate::capture::gpu::machine::COMMAND;
use proftui_base::fault::{self, Point};

use crate::cli::module::{collect, events, nodes, states};
use crate::cli::output::streams::{Failure, notify, print, print_help};
pub use info::outputs as info_outputs;

/// Record training and inference programs, and explore in a terminal where their time goes.
#[derive(Debug, Parser)]
#[command(name = "proftui", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a program such as python train.py unmodified, and record its training or inference steps
    ///
    /// Records data loading, forward, backward, optimizer, operators and named ranges on the host, and CUDA
    /// calls, kernels and copies on NVIDIA GPUs, in all processes of the program. Writes one trace per rank
    /// and cycle of recorded steps. The exit status is that of the program.
    #[command(before_help = capture::EXAMPLES)]
    Capture(Box<capture::CaptureArgs>),
    /// Explore a trace in the terminal: timeline, links from launches to kernels, summaries
    ///
    /// Reads the Chrome Trace Event JSON of any producer, such as PyTorch (Kineto), PaddlePaddle, DeepLink,
    /// JAX, Ascend, VizTracer and Chrome, PaddlePaddle's protobuf, and the binary profiles of PaddlePaddle's
    /// old profiler, each uncompressed or compressed by gzip or zstd. A file of another kind is named, with
    /// the command that converts it, if there is one. Several files, or a folder of files, open as one trace:
    /// files of the same process become cycles on the same lanes, and each process (rank) has lanes of its
    /// own. Files of a folder whose times lie hours apart, and that are not of one process or job, are traces
    /// of their own: the first is shown, and the key T chooses another.
    // The demo and the trace opened last need no path.
    #[command(mut_arg("paths", |paths| paths.required(false).required_unless_present_any(["demo", "last"])))]
    Open(options::open_args::OpenArgs),
    /// Print the explorer's screen of a trace, as text, with a terminal's attributes, as SVG or as HTML
    ///
    /// Loads the trace as open does, goes to a location, types keys, and prints the screen that one sees
    /// then.
    Render(Box<render::RenderArgs>),
    /// Print a trace's devices, lanes and numbers of events, and which data was repaired or dropped
    Info(info::InfoArgs),
    /// Print tables that sum up where time went, as text, JSON, CSV or Markdown
    ///
    /// Given several paths, or a folder with several traces or ranks, the tables have one column per rank of
    /// each trace, and columns for their difference; with --merged, all ranks are added up instead.
    Summary(Box<summary::SummaryArgs>),
    /// Say why GPUs were idle and what would save the most time, with the locations to look at
    ///
    /// Every nanosecond without device work has one cause, such as data loading, a synchronization or
    /// dispatch of operators; what the trace does not say is said to be not attributable, and time in which
    /// records are missing is not called idle. Findings are ranked by the time that they would save at most.
    // The rules are explained without a trace.
    #[command(mut_arg("paths", |paths| paths.required(false).required_unless_present("explain")))]
    Insights(Box<insights::InsightsArgs>),
    /// Print the events, groups or gaps that a query finds, as text, JSON, CSV or Markdown
    ///
    /// The language is that of the explorer's search: 'cat:kernel dur>100us grid>1000 stream:7' finds
    /// kernels, 'top:3 phase:backward cat:kernel step:7' the three longest of a backward pass,
    /// 'cat:kernel by:line' sums kernels up by the script line that launched them, and 'cause:compile' finds
    /// gaps.
    // Words after the trace are of the query. Without an index, a changed argument would become the last one.
    #[command(mut_arg("paths", |paths| {
        paths.num_args(1).action(clap::ArgAction::Set).value_name("TRACE").index(1)
    }))]
    Query(query::QueryArgs),
    /// Convert a trace to the form of PyTorch's profiler, or a PaddlePaddle profile to JSON or back
    ///
    /// Any trace becomes one as PyTorch's profiler writes it, if the output's name ends in .pt.trace.json
    /// (.gz, .zst): HTA, Perfetto and others open it, and proftui finds in it what was in the original.
    ///
    /// Paddle's protobuf becomes JSON, and that JSON protobuf again, without loss. JSON that PaddlePaddle's
    /// profiler exported becomes protobuf, too, but it lacks nanoseconds of times, callback numbers of
    /// runtime calls, local memory and the queue times of kernels, kinds of memory of copies and memsets, and
    /// types and numbers of operators. A line on standard error says each that the file lacks, and how many
    /// events that concerns. An existing output file is kept unless --force is given.
    Convert(convert::ConvertArgs),
    /// Write a trace as tables for DuckDB, Spark, polars and pandas
    ///
    /// docs/tables.md lists the tables and their columns. Each begins with the name of the trace, so the
    /// tables of several traces, or of each rank of a job, can be read together.
    // Queries are printed without a trace.
    #[command(mut_arg("paths", |paths| paths.required(false).required_unless_present("query")))]
    Export(export::ExportArgs),
    /// Check what proftui capture can record on this machine, and print how to fix each problem
    Doctor(doctor::DoctorArgs),
    /// Have a running capture write a trace of the last steps, which it keeps, and print the trace's path
    Dump(dump::DumpArgs),
    /// Write the traces of captures whose proftui process was killed
    Recover(recover::RecoverArgs),
    /// Load the CUDA driver and CUPTI, and print their versions and devices (used by proftui itself)
    #[command(name = COMMAND, hide = true)]
    Probe(gpu::ProbeArgs),
    /// Write the traces of a script that records itself (used by the Python module)
    #[command(name = collect::COMMAND, hide = true)]
    Collect(collect::CollectArgs),
    /// Print the event trees of a Paddle profile as lines of JSON (used by the Python module)
    #[command(name = nodes::COMMAND, hide = true)]
    Nodes(nodes::NodesArgs),
    /// Print the events of a trace as PyTorch lists them, as lines of JSON (used by the Python module)
    #[command(name = events::COMMAND, hide = true)]
    Events(events::EventsArgs),
    /// Print where the time of a trace went, in a few lines (used by proftui capture)
    #[command(name = answer::COMMAND, hide = true)]
    Answer(answer::AnswerArgs),
    /// Print the states of consecutive steps in a schedule (used by the Python module)
    #[command(name = states::COMMAND, hide = true)]
    States(states::StatesArgs),
    /// Print the settings of the explorer in force, as a file of settings: colours, keys, options, names of
    /// kernels
    Config(config::ConfigArgs),
    /// Print the keys of the explorer and their commands, as Markdown
    Keys,
    /// Print a script by which a shell completes commands, options and their values
    ///
    /// For Bash, add this line to ~/.bashrc: source <(proftui completions bash). For other shells, write the
    /// script to a file where the shell looks for completions, such as
    /// ~/.config/fish/completions/proftui.fish.
    Completions(completions::CompletionsArgs),
    /// Write the manual pages of proftui, one per command, to a folder
    Man(man::ManArgs),
    /// Print the licenses of the works of others that the program contains
    Licenses,
}

impl Command {
    /// True for subcommands that load traces, and so need the threads that sort and sum.
    fn loads(&self) -> bool {
        matches!(
            self,
            Self::Open(_)
                | Self::Render(_)
                | Self::Info(_)
                | Self::Summary(_)
                | Self::Export(_)
                | Self::Insights(_)
                | Self::Query(_)
                | Self::Answer(_)
        )
    }
}

/// The words of the command line. The path of a file or folder instead of a subcommand is opened.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let is_command = |word: &OsString| {
        word == "help" || Cli::command().get_subcommands().any(|command| command.get_name() == word)
    };
    if words.get(1).is_some_and(|word| !is_command(word) && Path::new(word).exists()) {
        words.insert(1, "open".into());
    }
    words
}

/// Parses the command line and runs its subcommand; returns the exit status.
pub fn run() -> ExitCode {
    if let Err(why) = fault::read_environment() {
        notify(&why.to_string());
        return ExitCode::from(2);
    }
    let command = match Cli::try_parse_from(words()) {
        Ok(Cli { command }) => command,
        Err(wrong) if wrong.use_stderr() => wrong.exit(),
        Err(help) => return ended(print_help(&help)),
    };
    fault::at(Point::Start);
    if command.loads()
        && let Err(why) = load::pool::start()
    {
        return ended(Err(why));
    }
    let outcome = match command {
        Command::Capture(args) => return ExitCode::from(capture::run(&args)),
        Command::Open(args) => open::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Summary(args) => summary::run(&args),
        Command::Insights(args) => match insights::run(&args) {
            Ok(0) => Ok(()),
            Ok(status) => return ExitCode::from(status),
            Err(why) => Err(why),
        },
        Command::Query(args) => query::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Recover(args) => recover::run(&args),
        Command::Probe(args) => gpu::probe(&args),
        Command::Collect(args) => collect::run(&args),
        Command::Nodes(args) => nodes::run(&args),
        Command::Events(args) => events::run(&args),
        Command::Answer(args) => answer::run(&args),
        Command::States(args) => states::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Keys => print(&command::manual(&Keys::default())),
        Command::Completions(args) => completions::run(&args, &Cli::command()),
        Command::Man(args) => man::run(&args, &Cli::command()),
        Command::Licenses => licenses::run(),
    };
    if fault::is_pending() {
        notify("the fault of PROFTUI_FAULT was not injected");
    }
    ended(outcome)
}

/// The exit status of a command; prints why it failed.
fn ended(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            notify(&why);
            ExitCode::FAILURE
        }
    }
}
