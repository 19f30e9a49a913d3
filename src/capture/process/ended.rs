//! A cycle that is ready to be written, and how its process ended. Must not know how that was found out.

use std::path::PathBuf;

use super::Cycle;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// The process has not ended.
    Running,
    /// The process exited by itself.
    Exited,
    /// The process replaced itself by another program.
    Replaced,
    /// This signal killed the process.
    Killed(i32),
    /// The process has ended, and how is not known.
    Unknown,
}

/// A cycle that is ready to be written, to its end or up to a moment.
#[derive(Clone, Debug)]
pub struct EndedCycle {
    /// Folder of the cycle's leader, in the run folder.
    pub folder: PathBuf,
    /// The cycle's number, times and steps.
    pub cycle: Cycle,
    /// Why the cycle is incomplete; `None` for a complete one, and if `is_open`.
    pub cause: Option<String>,
    /// How the cycle's leader ended, or that it has not; `Running` if `is_open`.
    pub end: ProcessEnd,
    /// True if the cycle may go on after the end that `cycle` states.
    pub is_open: bool,
    /// The time from which the trace is to have the cycle's records, ns of the monotonic clock; `None` for
    /// all records that the process was to keep.
    pub since: Option<u64>,
}
