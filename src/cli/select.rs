//! The options that say what is loaded: paths, cycle, time range, memory. `open`, `info` and `summary` share them.

use std::path::PathBuf;

use crate::base::fmt;
use crate::base::time::Ns;
use crate::import::{Preflight, Request};

use super::values::{size, time};

#[derive(Debug, clap::Args)]
pub(super) struct SelectArgs {
    /// Trace files, a directory of them, or - for standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Load only this recorded cycle of each process, counted from 0
    #[arg(long, value_name = "N")]
    pub cycle: Option<u32>,
    /// Load only what happens this long after the trace's start or later: 1.5s, 20ms, 300us
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<Ns>,
    /// Load only what begins earlier than this long after the trace's start
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<Ns>,
    /// Use at most this much memory: 512M, 4G. Of a trace that does not fit, only the earliest part is loaded
    ///
    /// By default half of the memory that is free, in the machine and in the control groups around the process.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
}

impl SelectArgs {
    /// The request to load the paths, cycle and time range that the options name, within the memory that they allow.
    pub(super) fn request(&self) -> Request {
        Request {
            cycle: self.cycle,
            from: self.from,
            to: self.to,
            max_memory: self.max_memory,
            ..Request::new(self.paths.clone())
        }
    }
}

/// Describes in one line what loading a large file will cost: its size and events, seconds, memory, and the memory limit if there
/// is one.
pub(super) fn cost_of_loading(flight: &Preflight) -> String {
    let limit = match flight.limit {
        Some(limit) if limit < flight.memory => {
            format!(": more than the {} that may be taken, so its earliest part", fmt::bytes(limit as i64))
        }
        Some(limit) => format!(" of the {} that may be taken", fmt::bytes(limit as i64)),
        None => String::new(),
    };
    format!(
        "{}, about {} events; loading takes about {:.1} s and {}{limit}",
        fmt::bytes(flight.bytes as i64),
        fmt::count(flight.events),
        flight.seconds.max(0.1),
        fmt::bytes(flight.memory as i64)
    )
}
