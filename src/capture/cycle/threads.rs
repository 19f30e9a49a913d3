//! The threads of a cycle, as they are gathered while its recording is built.

use std::collections::BTreeMap;

use proftui_trace::export::recording::Thread;

/// Threads by index of their process in the cycle, and thread id.
pub(super) type Threads = BTreeMap<(usize, u32), Thread>;
