//! The options that say what is loaded: paths, cycle, time range, memory, traces of captured graphs, and
//! where steps come from. `open`, `render`, `info`, `summary` and `insights` share them.

use std::path::PathBuf;

use clap::ValueEnum;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::import::{Preflight, Request, StepsFrom};

use super::values::{size, time};

#[derive(Debug, clap::Args)]
pub(crate) struct SelectArgs {
    /// Trace files, folders of trace files, or - for standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Load only this cycle of recorded steps, counted from 0 in each process (default: all cycles)
    #[arg(long, value_name = "N")]
    pub cycle: Option<u32>,
    /// Leave out events that end before this time; times count from the trace's start, such as 1.5s, 20ms or
    /// 300us (default: 0s)
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<Ns>,
    /// Leave out events that start at this time or later; times count from the trace's start, such as 1.5s,
    /// 20ms or 300us (default: no limit)
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<Ns>,
    /// Memory limit for loading, such as 512M or 4G; of a larger trace, only the earliest part is loaded
    /// (default: half of the free memory)
    ///
    /// Free memory is the least of three amounts: the machine's available memory, the memory left to the
    /// control groups of the process, and what is left of the process's limits of address space and data. The
    /// limit counts the events, the threads that read them and, in the explorer, the snapshots that are shown
    /// while a file is loaded; summaries take memory beside it.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    /// Trace of captured graphs, or a folder of such, which names the kernels inside graphs; may be repeated
    /// (default: the folder `capture_traces` beside the trace)
    ///
    /// Serving engines can write such a trace while they capture their graphs. Kernels that a graph launches
    /// usually get the operator, module and shapes by which they were captured, as far as these are known.
    #[arg(long, value_name = "PATH")]
    capture_trace: Vec<PathBuf>,
    /// Do not look for traces of captured graphs beside the trace
    #[arg(long, conflicts_with = "capture_trace")]
    no_capture_trace: bool,
    /// Count device work that cannot be as it is recorded
    ///
    /// By default, work that outlasts many later ones of its stream, that is recorded twice, that copies
    /// faster than any bus, or that runs far from all else is counted as damage, and left out of the sums of
    /// device work.
    #[arg(long)]
    keep_impossible: bool,
    /// How to find steps in a trace that marks none
    ///
    /// Steps are marked by profilers (ProfilerStep#N), by proftui capture, and by the annotations of serving
    /// engines. A program that marks none may still repeat the same launches of device work over and over:
    /// proftui info says so.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    steps_from: StepsOf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StepsOf {
    /// Find none: only marked steps count as steps
    #[default]
    Marks,
    /// Take each repetition of the launches as a step, if the launches clearly repeat
    Launches,
}

impl SelectArgs {
    /// The request to load what the options select.
    pub(crate) fn request(&self) -> Request {
        Request {
            cycle: self.cycle,
            from: self.from,
            to: self.to,
            max_memory: self.max_memory,
            keeps_impossible: self.keep_impossible,
            steps_from: match self.steps_from {
                StepsOf::Marks => StepsFrom::Marks,
                StepsOf::Launches => StepsFrom::Launches,
            },
            capture_traces: self.capture_trace.clone(),
            skips_captures: self.no_capture_trace,
            ..Request::new(self.paths.clone())
        }
    }
}

/// Describes in one line what loading a large file is likely to cost, such as time and memory.
pub(crate) fn cost_of_loading(flight: &Preflight) -> String {
    let limit = match flight.limit {
        Some(limit) if limit < flight.memory => {
            format!(
                "; the limit is {} (--max-memory), so perhaps only the earliest part is loaded",
                fmt::bytes(saturate::<i64>(limit))
            )
        }
        Some(limit) => format!(" (limit: {})", fmt::bytes(saturate::<i64>(limit))),
        None => String::new(),
    };
    format!(
        "{}, about {}; loading all of it takes about {:.1} s and {} of memory{limit}",
        fmt::bytes(saturate::<i64>(flight.bytes)),
        fmt::counted(flight.events, "event"),
        flight.seconds.max(0.1),
        fmt::bytes(saturate::<i64>(flight.memory))
    )
}
