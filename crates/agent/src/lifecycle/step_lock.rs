//! The lock of the ends of steps. Knows nothing of what a step is.

use crate::lock::Lock;

/// Held by a thread while it ends or pauses a step, or ends all steps or the process, so that only one thread
/// does so at a time. Taken before the lock of the process's state, and held while the device recorder
/// flushes, while that other lock is free.
pub(super) static STEP_LOCK: Lock<()> = Lock::new(());
