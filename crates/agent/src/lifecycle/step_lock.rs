//! The lock of the ends of steps. Knows nothing of what a step is.

use crate::lock::Lock;

/// Held by a thread while it ends, pauses or begins again a step, starts or ends all steps, attaches the
/// device recorder, or ends the process, so that only one thread does so at a time. Taken before the lock of
/// the process's state, which is free while the device recorder flushes.
pub(super) static STEP_LOCK: Lock<()> = Lock::new(());
