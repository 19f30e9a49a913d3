//! The recorder: a shared library in captured processes that writes their ranges, steps and device work into
//! files that outlive them.
//!
//! It runs in other people's processes: it never changes what they compute, print or return, and waits at
//! most two seconds for a lock (for CUPTI as long as for a GPU). It keeps no file open, since the program may
//! close any descriptor and reuse its number. After a panic of its own it records nothing more. `cargo build
//! -p proftui-agent --profile agent` builds it: less than one MiB, and an extension module for Python 3.8 and
//! later that is not linked with Python.
//!
//! Each of these uses those that stand below it, and nothing above:
//!
//! ```text
//! python
//!   nvtx, itt, cuda (session, sink, records, ...)
//!     lifecycle (the ends of steps, forks, the exit)
//!       ranges
//!         spool (recorder, writer, mapping)
//!           process (state, steps, folder, names), guard
//!             live, device
//!               page ──> files ──> clock, errno, lock, tid, usage
//! ```
//!
//! - `python`: the extension module `_proftui`; the only module that knows Python.
//! - `nvtx`: ranges that libraries and programs in any language report by NVTX; it opens the process where no
//!   Python does.
//! - `itt`: the operators that PyTorch reports by Intel's ITT.
//! - `cuda`: the device recorder, the only module that knows CUPTI. The driver calls it, and, by the
//!   interface in `device`, whoever begins and ends cycles.
//! - `lifecycle`: what the process goes through: it begins, ends steps, forks and exits.
//! - `ranges`: begins and ends ranges, whichever of `python`, `nvtx` and `itt` reports them.
//! - `spool`: the chunks of each thread and of the devices. Knows neither Python nor steps.
//! - `process`: the state of the captured process: its folder, names, steps and disk space, and its leader.
//! - `guard`: keeps panics of the recorder from unwinding into the program.
//! - `live`: what all threads share without a lock: the open cycle, and the counts on the live page.
//! - `device`: the interface of the device recorder.
//! - `clock`, `errno`, `files`, `lock`, `page`, `tid`: helpers of the other modules.
//!
//! Decisions:
//!
//! - A range that has ended is on disk. Each thread writes into a shared mapping of a file of its own (a
//!   chunk), and the page cache outlives the process, whatever ends it. Disk space is reserved before a chunk
//!   is mapped, because writing to a mapping on a full disk kills the process. One word counts the ended and
//!   the open ranges, so that a reader counts each range once, whenever the process is killed.
//! - A range costs two readings of the clock and a few stores: no lock, no allocation, no system call. When
//!   nothing is recorded it costs one load; data loading is timed all the same. `examples/cost.py` and
//!   `examples/nvtx_cost.py` measure both.
//! - A step is not a range on the thread's stack, since ranges of the program may cross the ends of steps. It
//!   is written when it ends, if it began in the same cycle.
//! - In a ring the recorder itself removes the oldest files: a program may fill a ring faster than proftui
//!   looks at it.
//! - Lost ranges are counted exactly: in the thread's chunk or, where there is none, on the process's page.
//! - The agent accepts only run folders of its own user.
//!
//! `unsafe` is only in modules that call the system, Python or other libraries; each says why.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers have the widths of records, and of the functions of C that take and give them"
)]

mod clock;
mod cuda;
mod device;
mod errno;
mod files;
mod guard;
mod itt;
mod lifecycle;
mod live;
mod lock;
mod nvtx;
mod page;
mod process;
mod python;
mod ranges;
mod spool;
mod tid;
mod usage;

#[cfg(test)]
mod tests;
