//! The request for a load: which events of which files, and how much memory and how many threads to use.

use std::path::PathBuf;

use crate::model::Warning;
use proftui_base::budget;
use proftui_base::time::Ns;

/// Bytes of memory that each parsing thread is taken to need: for chunks of the text, their events, its
/// tables, its stack.
const PER_THREAD: u64 = 8 << 20;

/// A request for a load: which events of which files, and how much memory and how many threads to use.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings of a load")]
pub struct Request {
    /// Files, directories, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// True where a file that cannot be read, is no regular file or is no trace is counted and left out,
    /// instead of being an error. If one of the paths is a directory, files that cannot be read or are no
    /// traces are left out in any case.
    pub is_lenient: bool,
    /// True where a path that is neither a regular file nor a directory is an error, or left out where files
    /// are left out (`is_lenient`). Where false, and the request is not lenient, a pipe that the request
    /// names is read, and waited for.
    pub is_regular: bool,
    /// Traces of captured graphs, or folders of such; empty to look for them in the folders `capture_traces`
    /// beside the files. They are loaded by themselves and are no part of the trace.
    pub capture_traces: Vec<PathBuf>,
    /// True where traces of captured graphs are not looked for beside the files; those in `capture_traces`
    /// are used all the same.
    pub skips_captures: bool,
    /// What the caller has left out already; the trace's quality notes count it, and keep the first reason of
    /// each kind of warning.
    pub left_out: Vec<LeftOut>,
    /// Only the cycle with this number (from 0) of each worker; `None` for all cycles.
    pub cycle: Option<u32>,
    /// Only events that end at least this long after the trace's start, ns; `None` for all.
    pub from: Option<Ns>,
    /// Only events that start less than this long after the trace's start, ns; `None` for all.
    pub to: Option<Ns>,
    /// Most bytes of memory to take: of a larger trace the earliest part is loaded. `None` takes half of the
    /// memory that the process may still take, or has no limit where that is not known.
    pub max_memory: Option<u64>,
    /// What counts as the steps of workers that have no marked steps.
    pub steps_from: StepsFrom,
    /// Number of threads that parse the JSON of a file; `None` for one thread for an uncompressed file of
    /// less than 4 MiB, else as many as there are cores, or fewer where memory is short. Makes no difference
    /// to the trace.
    pub threads: Option<usize>,
    /// Bytes of JSON read at a time; `None` for 1 MiB, or less for a smaller file. Makes no difference to the
    /// trace.
    pub chunk: Option<usize>,
    /// True to read every event of JSON with the general parser, without templates. Makes no difference to
    /// the trace.
    pub is_tolerant: bool,
}

/// What counts as the steps of a worker in which no profiler, recorder or serving engine marked steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepsFrom {
    /// Nothing: only marked steps are steps, so the worker has none.
    #[default]
    Marks,
    /// The repetitions of its launches, if these clearly repeat.
    Launches,
}

/// A file of a directory that is not loaded, or a note that some folders of a directory were not searched.
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

    /// Most bytes of memory to take: `max_memory`, else half of the memory that the process may still take;
    /// `None` where that is not known.
    pub(super) fn limit(&self) -> Option<u64> {
        self.max_memory.or_else(budget::default_limit)
    }

    /// Number of threads that parse, at least 1: as requested, else one per core, or fewer where a quarter of
    /// the memory limit is too little for them.
    pub(super) fn threads(&self) -> usize {
        let free = || {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let within = self.limit().map_or(usize::MAX, |limit| (limit / 4 / PER_THREAD) as usize);
            cores.min(within)
        };
        self.threads.unwrap_or_else(free).max(1)
    }
}
