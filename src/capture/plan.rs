//! The plan of a capture, and the errors that keep a capture from beginning.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use proftui_wire::options::Options;

use super::gpu::GpuOptions;
use crate::capture::files::agent_files::NoFolder;
use crate::capture::files::output::Output;
use crate::capture::gpu::explanation::Explanation;
use crate::capture::system::child;

/// The plan of a capture: the program, what to record, and where traces go.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Options for the agent in the program's processes.
    pub options: Options,
    /// The time window: its delay from the program's start, and its duration; `None` if the schedule in
    /// `options` decides what is recorded.
    pub window: Option<(Duration, Duration)>,
    /// The output folder and format of traces.
    pub output: Output,
    /// The spool, the folder in which the run folder is made; `None` for the folder for temporary files.
    pub spool: Option<PathBuf>,
    /// The cache folder for the agent's files; `None` for the default, see
    /// [`unpack`](crate::capture::files::agent_files::unpack).
    pub cache: Option<PathBuf>,
    /// True if the run folder is kept when the capture ends, also if all traces were written.
    pub keeps_run_folder: bool,
    /// A shell command to run with the path of each written trace.
    pub on_trace_ready: Option<String>,
    /// True if only errors and what the user requested are printed.
    pub is_quiet: bool,
    /// A message to print once the program has started, unless `is_quiet` is set; `None` for no message.
    pub opening: Option<String>,
    /// Options of GPU recording.
    pub gpu: GpuOptions,
}

/// Why a capture did not begin, or cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The folder for traces cannot be made or written to.
    #[error("cannot write traces to {path}: {why}; set another folder with --out")]
    Output {
        /// Path of the output folder.
        path: String,
        /// The system's error.
        why: io::Error,
    },
    /// The run folder, or a file in it, cannot be made or written.
    #[error(
        "cannot create temporary files in {path}: {why}; set another folder with proftui capture --spool, \
         else with $TMPDIR"
    )]
    RunFolder {
        /// Path of the spool.
        path: String,
        /// The system's error.
        why: io::Error,
    },
    /// No folder can hold the agent's files: for each folder that was tried, the reason.
    #[error(
        "cannot record: no folder for the recorder's files ({0}); name one in which and above which no other \
         user can write, with proftui capture --cache DIR, else with $PROFTUI_CACHE"
    )]
    Cache(NoFolder),
    /// proftui runs with the rights of another user (setuid).
    #[error(
        "cannot record: proftui runs with another user's rights, as by setuid, and would load its recorder \
         into a program with these rights"
    )]
    Rights,
    /// GPUs are required, and cannot be recorded for this reason.
    #[error("the program was not started: {0}")]
    Gpu(Explanation),
    /// The program cannot be started: why, and the exit status that a shell would give.
    #[error("{}", .0.why)]
    NotStarted(child::NotStarted),
    /// Supervision of the program cannot begin or go on.
    #[error("cannot supervise the program: {0}")]
    Supervise(io::Error),
}
