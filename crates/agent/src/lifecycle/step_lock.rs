//! The lock of the ends of steps. Knows nothing of what a step is.

use crate::lock::Lock;

/// Lets one thread at a time end, pause or restart steps, or attach the device recorder. Must be taken before
/// the lock of the process's state.
pub(super) static STEP_LOCK: Lock<()> = Lock::new(());
