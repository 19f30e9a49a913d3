//! How long the program may be made to wait for a GPU (`--gpu-wait`): at the end of a cycle, which may be the
//! process's end, so long at most, and where a cycle begins after steps that were not recorded. What waits is
//! in `session`, by the threads of `helper`.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proftui_wire::device::reason::WAIT;
use proftui_wire::log::NoteKind;

use super::helper::{Helper, Outcome};
use super::{captures, driver};
use crate::lock::Lock;
use crate::process;

/// How much of the time for waiting is kept for flushing at most.
const MAX_RESERVE: Duration = Duration::from_secs(1);

/// How long the program may wait at the end of a cycle, ns, as the run's options say.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// How much of [`LIMIT`] is left for the current cycle, ns.
static LEFT: AtomicU64 = AtomicU64::new(0);
/// True from a wait in vain before a cycle until the cycle is opened: the wait counts for that cycle.
static IS_SPENT: AtomicBool = AtomicBool::new(false);
/// The helper on whose thread devices are waited for.
static DEVICES: Helper = Helper::new();
/// The cycle of the last [`report`]; 0 for none.
static REPORTED: Lock<u64> = Lock::new(0);

/// Sets how long the program may wait at the end of a cycle, the current one included.
pub(super) fn set_limit(limit: Duration) {
    LIMIT.store(limit.as_nanos() as u64, Ordering::Relaxed);
    begin_cycle();
}

/// Makes all of [`LIMIT`] available for the waits of the current cycle.
pub(super) fn begin_cycle() {
    LEFT.store(LIMIT.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Has the waits from now on count for the cycle that is opened; a wait for earlier work just before, if it
/// was in vain, counts for it, too.
pub(super) fn cycle_opened() {
    if !IS_SPENT.swap(false, Ordering::Relaxed) {
        begin_cycle();
    }
}

/// A wait for devices or for CUPTI. When it is dropped, its time is taken off what is left for the current
/// cycle.
pub(super) struct Wait {
    begun: Instant,
    /// When the wait must be over.
    pub deadline: Instant,
}

impl Wait {
    /// Begins a wait, which may take the time that is left for the current cycle.
    pub(super) fn begin() -> Self {
        let begun = Instant::now();
        Self { begun, deadline: begun + Duration::from_nanos(LEFT.load(Ordering::Relaxed)) }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let spent = self.begun.elapsed().as_nanos() as u64;
        let less = |left: u64| Some(left.saturating_sub(spent));
        let _ = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

/// True while a device is waited for although the program has gone on.
pub(super) fn is_late() -> bool {
    DEVICES.is_late()
}

/// Waits for the work given to devices, if possible, until shortly before `deadline` at most. Usually reports
/// if it did not wait, or in vain.
pub(super) fn for_devices(cycle: u64, deadline: Instant) {
    if captures::is_any() {
        let text = format!(
            "cycle {cycle} ended during the capture of a CUDA graph: GPU work that had not finished is not \
             recorded"
        );
        return process::note(NoteKind::Warning, &text);
    }
    if let Some(why) = wait(deadline) {
        report(cycle, &why);
    }
}

/// Waits for the work that was given to devices before `cycle`, which is about to begin. Does nothing while a
/// graph is captured.
pub(super) fn for_earlier_work(cycle: u64) {
    begin_cycle();
    if captures::is_any() {
        return;
    }
    let begun = Wait::begin();
    if let Some(why) = wait(begun.deadline) {
        IS_SPENT.store(true, Ordering::Relaxed);
        if let Waited::Devices(time) = why {
            report(cycle, &Waited::Earlier(time));
        }
    }
}

/// Waits for the work given to devices, until shortly before `deadline` at most; what it waited for in vain,
/// or that it did not wait.
fn wait(deadline: Instant) -> Option<Waited> {
    let limit = Duration::from_nanos(LIMIT.load(Ordering::Relaxed));
    let until = deadline.checked_sub(MAX_RESERVE.min(limit / 5)).unwrap_or(deadline);
    let current = driver::current();
    let begun = Instant::now();
    match DEVICES.run(until.max(begun), move || driver::synchronize(current, until)) {
        Outcome::Done => None,
        Outcome::TooLate => Some(Waited::Devices(begun.elapsed())),
        Outcome::Busy => Some(Waited::Not),
    }
}

/// What the program waited for in vain, or did not wait for again.
pub(super) enum Waited {
    /// GPU work was waited for in vain, for this time.
    Devices(Duration),
    /// GPU work of earlier steps was waited for in vain before a cycle began, for this time.
    Earlier(Duration),
    /// CUPTI's records were waited for in vain, for this time.
    Records(Duration),
    /// GPU work was not waited for again: an earlier wait for GPU work is not over, or no time is left.
    Not,
    /// CUPTI's records were not waited for again: an earlier wait for CUPTI is not over, or no time is left.
    NotRecords,
}

impl fmt::Display for Waited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Devices(time) => {
                write!(
                    f,
                    "GPU work had not ended after {:.1} s; it is marked as unfinished",
                    time.as_secs_f64()
                )
            }
            Self::Earlier(time) => {
                write!(
                    f,
                    "GPU work of earlier steps had not ended after {:.1} s; some of it is in the trace",
                    time.as_secs_f64()
                )
            }
            Self::Records(time) => {
                write!(
                    f,
                    "CUPTI had not delivered its records after {:.1} s; they are counted as lost",
                    time.as_secs_f64()
                )
            }
            Self::NotRecords => f.write_str(
                "CUPTI still had not delivered the records of an earlier cycle, and was not waited for again",
            ),
            Self::Not => {
                f.write_str("GPU work of an earlier cycle still had not ended, and was not waited for again")
            }
        }
    }
}

/// Logs `what` for cycle `cycle`, as a fact and usually also as a warning.
pub(super) fn report(cycle: u64, what: &Waited) {
    process::note(NoteKind::Fact, &format!("{WAIT}=cycle {cycle}: {what}"));
    let Some(mut reported) = REPORTED.take() else { return };
    let is_again = matches!(what, Waited::Not | Waited::NotRecords) && *reported != 0;
    *reported = cycle;
    if !is_again {
        process::note(
            NoteKind::Warning,
            &format!(
                "cycle {cycle}: {what}, and the program went on: --gpu-wait sets how long to wait, --no-sync \
                 waits for no GPU work"
            ),
        );
    }
}
