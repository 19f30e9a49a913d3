//! The lock of the ends of steps. Knows nothing of what a step is.

use crate::lock::Lock;

/// Held by a thread while it ends a step, all steps or the process, so that only one thread does so at a
/// time. Taken before that of the process's state, and held while the device recorder flushes, when the state
/// is free.
pub(super) static STEP_LOCK: Lock<()> = Lock::new(());
