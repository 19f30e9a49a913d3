//! The threads of a cycle while its recording is put together.

use std::collections::BTreeMap;

use crate::export::recording::Thread;

/// Threads by process and thread: the index of the process among those of the cycle, and the system's number of the thread. A process
/// that executed another program has two indices, so its number would not do.
pub type Threads = BTreeMap<(usize, u32), Thread>;
