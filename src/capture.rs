//! Captures a program: starts it with the agent inside, supervises it while it runs, and writes each cycle
//! that ends as a trace.
//!
//! Nothing that fails here changes what the program computes, prints or returns. `docs/capture.md` is the
//! contract with users. Must not know the command line.
//!
//! ```text
//! program ──> Python's hooks ──> crates/agent ──> run folder ──> capture ──> export
//!                                      └──── crates/wire ──────────┘
//! ```
//!
//! Who calls whom:
//!
//! 1. [`run`](mod@run) makes a [`files::run_folder`](mod@files::run_folder), starts the program as a
//!    [`system::child`](mod@system::child) with the [`files::agent_files`](mod@files::agent_files), passes on
//!    to it the [`signals`](mod@signals) that the terminal did not send to both, and has a [`supervisor`]
//!    look five times a second. [`self_profiling`] does so for a script that profiles itself, but starts
//!    nothing and passes no signals on.
//! 2. The supervisor reads the [`process::tree`](mod@process::tree), which reads every [`process`] from its
//!    folder, learns from `ends` how each one ended, and finds the cycles that have ended.
//! 3. The supervisor gives each ended cycle to the [`trace_writer`], which has [`cycle`] collect the ranges,
//!    device work ([`cycle::device`](mod@cycle::device)), operators
//!    ([`cycle::operators`](mod@cycle::operators)) and the GPU work in files of the script's own profilers
//!    into one recording, adds facts ([`process::cpu_usage`](mod@process::cpu_usage), and by
//!    [`gpu::reason`](mod@gpu::reason) an [`gpu::explanation`](mod@gpu::explanation) of what is missing), and
//!    writes a file by [`files::output`](mod@files::output).
//! 4. The path of the file goes to the command of `--on-trace-ready`
//!    ([`trace_writer::trace_ready`](mod@trace_writer::trace_ready)); a script that profiles itself asks for
//!    files by [`supervisor::requests`](mod@supervisor::requests), which are answered from the
//!    [`cycle::newest_cycles`](mod@cycle::newest_cycles); [`dump`] asks for what rings hold, by
//!    `dump_requests`. What a ring has only in part is left out by `ring`; `slow_steps` writes a trace for
//!    each step that took far too long.
//! 5. When the program has ended, `final_report` prints why there is no trace, or for `--timer-only` how long
//!    steps took ([`messages::perf_summary`](mod@messages::perf_summary)), and
//!    [`supervisor::answer`](mod@supervisor::answer) where the time of a trace went. proftui then ends with
//!    the program's exit status, or by the signal that ended it.
//!
//! Besides, [`recover`] writes what a killed capture left behind, [`doctor`] checks whether a capture would
//! work, [`gpu`] probes the machine's driver and devices, and [`messages::status`](mod@messages::status)
//! prints to the terminal.
//!
//! Decisions:
//!
//! - The supervisor holds a lock on a file of the run folder. If it is killed, the lock is free: the agent
//!   then begins no further cycle, and `proftui recover` writes what is in the folder. A lock needs no
//!   process ids, so it works across containers.
//! - How a process ended is asked of the system, by a descriptor that the process sends (a pidfd): it holds
//!   for processes that are not our children, also after their parent has asked. Where the system does not
//!   report it, that is said.
//! - Whether a process is gone is asked before its files are read, so that a last read sees all that it
//!   wrote. A process in another PID namespace (a container) counts as alive until its log states its end.
//! - A cycle that has ended waits at most two seconds for device records that its processes have not written
//!   yet; other cycles are written meanwhile. A cycle in which the script's own GPU profiler ran waits until
//!   that profiler has written its file, or cannot any more, so that its trace is whole; its records are in
//!   the run folder until then. At most eight cycles wait for a file.
//! - An environment variable that another tool set is left as it is: the recorder never replaces another
//!   tool's library.
//! - Captured processes load the agent and its Python files from the user's cache, from folders that nobody
//!   else can write to, since environments outlive runs.

pub mod cycle;
pub mod doctor;
pub mod dump;
pub mod files;
pub mod gpu;
pub mod messages;
pub mod plan;
pub mod process;
pub mod recover;
pub mod run;
pub mod self_profiling;
pub mod signals;
pub mod supervisor;
pub mod system;
pub mod trace_writer;

pub use plan::{CaptureError, Plan};
pub use run::run;
