//! The code that captured processes, which write, and `proftui capture`, which reads, share: the schedule of
//! recorded steps, the sums over their times, and the formats of the files between the two.
//!
//! Knows neither how bytes get into files nor how they are displayed. Depends on no other crate, because it
//! is loaded into other people's processes. Times are ns of the monotonic clock.
//!
//! A run has a folder of its own, with the file of [`options`], the file `parent`, which proftui keeps locked
//! while it runs, the page `window` for recording windows by time ([`live`]), the socket `ends`, to which
//! processes send descriptors of themselves, and for each process a folder ([`process_key`]) with these
//! files:
//!
//! | file | contents |
//! | --- | --- |
//! | `log` | the events of the process, in order ([`log`]) |
//! | `names` | the texts to which all other files refer by number ([`names`]) |
//! | `live` | the current step and cycle, and counts, on one page ([`live`]) |
//! | `c<cycle>.t<thread>.<n>` | the ranges of a thread in a cycle ([`chunk`]) |
//! | `c<cycle>.g<n>` | the records of device work in a cycle ([`device`]) |
//! | `c<cycle>.<n>.kineto.json`, `c<cycle>.<n>.paddle.pb` | operators in a cycle, by a framework's profiler |
//! | `graph-nodes` | what the program was doing when nodes of CUDA graphs were created ([`graph_nodes`]) |
//!
//! - [`schedule`]: the state of each step; [`scheduler`]: the actions that a change of state asks for.
//! - [`kinds`]: the kinds of ranges that Paddle does not have, and that of collectives.
//! - [`secrets`]: hides secrets in a command line, before it is written.
//! - [`timer`]: sums over the times of steps; [`perf`]: averages of these sums as text.
//! - [`processor`]: processor time of steps, as traces state it.
//! - [`outside`]: the names of the ranges around time that is in no step.
//! - [`ownership`]: whether another user can change what a path names, which both sides check before they
//!   load a file.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test knows its numbers"
    )
)]
#![forbid(unsafe_code)]

pub mod chunk;
pub mod device;
pub mod graph_nodes;
pub mod kinds;
pub mod live;
pub mod log;
pub mod names;
pub mod options;
pub mod outside;
pub mod ownership;
pub mod perf;
pub mod process_key;
pub mod processor;
pub mod schedule;
pub mod scheduler;
pub mod secrets;
pub mod timer;

/// Path of this package's folder when the package was compiled, for proftui's build script.
pub const PACKAGE_FOLDER: &str = env!("CARGO_MANIFEST_DIR");
