//! Counts the running stream captures: recordings of a stream's work into a CUDA graph. A synchronization would invalidate them. While there
//! is one, ranges are followed even if nothing is recorded, since they name the graph's nodes.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::ranges;

/// CUPTI's numbers of the driver's functions that begin a stream capture (variants of `cuStreamBeginCapture`), in the order of their
/// introduction.
pub const BEGIN: [u32; 10] = [495, 496, 539, 540, 720, 721, 783, 814, 846, 847];
/// CUPTI's numbers of the driver's functions that end a stream capture.
pub const END: [u32; 4] = [497, 498, 815, 816];

/// Number of running stream captures in the process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Counts a return of a function of the driver, if it begins or ends a capture. `is_done`: it has succeeded.
pub fn returned(function: u32, is_done: bool) {
    if BEGIN.contains(&function) && is_done {
        if COUNT.fetch_add(1, Ordering::Relaxed) == 0 {
            ranges::follow(true);
        }
        // What is left of an earlier capture may have ended unseen.
        ranges::forget_unrecorded();
    } else if END.contains(&function) {
        // The end of a capture that began before the session must not make the count negative: it stays 0.
        let less = |count: u32| count.checked_sub(1);
        if COUNT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) == Ok(1) {
            ranges::follow(false);
        }
    }
}

/// True while any stream is being captured into a CUDA graph.
pub fn is_any() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

/// Has one test at a time count captures.
#[cfg(test)]
pub fn tests_alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use cudarc::cupti::sys::CUpti_driver_api_trace_cbid as Theirs;

    use super::*;

    #[test]
    fn captures_are_counted() {
        let _held = tests_alone();
        let count = |function, is_done| {
            returned(function, is_done);
            COUNT.load(Ordering::Relaxed)
        };
        assert_eq!(count(497, true), 0, "an end without a beginning");
        assert_eq!(count(539, false), 0, "did not begin");
        assert_eq!((count(539, true), count(496, true)), (1, 2));
        assert!(is_any());
        assert_eq!((count(497, false), count(498, true)), (1, 0), "an invalidated capture ends, too");
        assert_eq!((count(846, true), count(497, true)), (1, 0), "by the newest functions");
        assert!(!is_any());
    }

    /// CUPTI's own numbers, of CUDA 13.0, which has all but the last ones.
    #[test]
    fn functions_have_nvidias_numbers() {
        use Theirs::*;
        let begin = [
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
        ];
        let end =
            [CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz];
        assert!(begin.into_iter().map(|function| function as u32).eq(BEGIN.into_iter().take(begin.len())));
        assert!(end.into_iter().map(|function| function as u32).eq(END.into_iter().take(end.len())));
    }
}
