//! The request for a load: which events of which files, and how much memory and how many threads to use.

use std::path::PathBuf;

use crate::model::Warning;
use proftui_base::budget;
use proftui_base::time::Ns;

/// Bytes of memory that each parsing thread is taken to need.
const PER_THREAD: u64 = 8 << 20;

/// A request for a load: which events of which files, and how much memory and how many threads to use.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings of a load")]
pub struct Request {
    /// Files, directories, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// True where files that cannot be read or are no traces are left out and counted, as those of a
    /// directory always are, instead of being an error.
    pub is_lenient: bool,
    /// True where a path has to name a regular file or a directory, not a pipe.
    pub is_regular: bool,
    /// Traces of captured graphs, or folders of such traces; empty to look for them beside the files.
    pub capture_traces: Vec<PathBuf>,
    /// True where traces of captured graphs are not looked for beside the files.
    pub skips_captures: bool,
    /// What the caller has left out already, for the trace's quality notes.
    pub left_out: Vec<LeftOut>,
    /// Only the cycle with this number (from 0) of each worker; `None` for all cycles.
    pub cycle: Option<u32>,
    /// Only events that end at least this long after the trace's start, ns on their file's own clock; `None`
    /// for all.
    pub from: Option<Ns>,
    /// Only events that start less than this long after the trace's start, ns on their file's own clock;
    /// `None` for all.
    pub to: Option<Ns>,
    /// Most bytes of memory to take; of a larger trace the earliest part is loaded. `None` for a default,
    /// usually half of the free memory.
    pub max_memory: Option<u64>,
    /// True to count device work that cannot be as it is recorded
    /// ([`Category::Impossible`](crate::model::Category::Impossible)).
    pub keeps_impossible: bool,
    /// What counts as the steps of workers that have no marked steps.
    pub steps_from: StepsFrom,
    /// Number of threads that parse the JSON of a file; `None` to choose by the file's size, the cores and
    /// the memory.
    pub threads: Option<usize>,
    /// Bytes of JSON that are read at a time; `None` for a default.
    pub chunk: Option<usize>,
    /// True to read JSON with the general parser only, without templates.
    pub is_tolerant: bool,
}

/// What counts as the steps of a worker that has no marked steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepsFrom {
    /// Nothing: only marked steps are steps.
    #[default]
    Marks,
    /// The repetitions of its launches, if these clearly repeat.
    Launches,
}

/// What was left out of a load, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The warning under which the trace's quality notes count what is left out.
    pub warning: Warning,
    /// What is left out and why, safe to show.
    pub why: String,
}

impl Request {
    /// A request for all events of `paths`, with the default for every other setting.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Most bytes of memory to take: `max_memory`, or else a default; `None` without a limit.
    pub(super) fn limit(&self) -> Option<u64> {
        self.max_memory.or_else(budget::default_limit)
    }

    /// Number of threads that parse: as requested, else one per core as far as memory allows; at least 1.
    pub(super) fn threads(&self) -> usize {
        let free = || {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let within = self.limit().map_or(usize::MAX, |limit| (limit / 4 / PER_THREAD) as usize);
            cores.min(within)
        };
        self.threads.unwrap_or_else(free).max(1)
    }
}
