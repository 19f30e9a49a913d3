//! The threads on which rayon sorts and sums: one per processor, but no more than the system lets the process
//! start, and than have room in the process's limits of address space and data.
//!
//! Must not know what they work on.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::channel;
use std::thread::{self, Builder};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

use proftui_base::{budget, heap};

use crate::cli::output::streams::Failure;

/// Address space that is reckoned for each thread: its stack and its part of the work, bytes.
const PER_THREAD: u64 = 16 << 20;

/// Starts rayon's threads: one per processor, or fewer where the system starts no more or the process's
/// memory is limited.
///
/// # Errors
/// When not one thread can be started, or rayon refuses them.
pub(crate) fn start() -> Result<(), Failure> {
    let mut wanted = thread::available_parallelism().map_or(1, NonZero::get);
    if budget::is_confined() {
        heap::share_arena();
        let limit = budget::default_limit().unwrap_or(u64::MAX);
        wanted = ((limit / 4 / PER_THREAD) as usize).clamp(1, wanted);
    }
    // Rayon panics where it cannot start a thread that it was asked for; so the threads are started first,
    // and those that run are handed to it.
    let mut waiting = Vec::with_capacity(wanted);
    let mut refusal = None;
    for _ in 0..wanted {
        let (hand_over, handed) = channel::<ThreadBuilder>();
        let work = move || handed.recv().map_or((), ThreadBuilder::run);
        match Builder::new().name("rayon".into()).spawn(work) {
            Ok(_) => waiting.push(hand_over),
            Err(error) => refusal = Some(error),
        }
    }
    if let (true, Some(error)) = (waiting.is_empty(), refusal) {
        return Err(Failure(format!(
            "no thread can be started: {error}; see the limits on threads and memory, such as ulimit -u, -v \
             and -d"
        )));
    }
    let pool = ThreadPoolBuilder::new().num_threads(waiting.len()).spawn_handler(|thread| {
        let next = waiting.pop().ok_or(io::ErrorKind::WouldBlock)?;
        next.send(thread).map_err(|_| io::ErrorKind::WouldBlock.into())
    });
    Ok(pool.build_global()?)
}
