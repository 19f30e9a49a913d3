//! Counts the running stream captures: recordings of a stream's work into a CUDA graph. A synchronization
//! would invalidate them. While there is one, ranges are followed even if nothing is recorded, since they
//! name the graph's nodes.

use crate::ranges;

/// CUPTI's numbers of the driver's functions that begin a stream capture, in ascending order.
pub(super) const BEGIN: [u32; 10] = [495, 496, 539, 540, 720, 721, 783, 814, 846, 847];
/// CUPTI's numbers of the driver's functions that end a stream capture.
pub(super) const END: [u32; 4] = [497, 498, 815, 816];

/// Updates the count of running stream captures after a call of the driver's function with CUPTI's number
/// `function`: one more if it began one with success (`is_done`), one less, if any, if it is to end one.
pub(super) fn returned(function: u32, is_done: bool) {
    if BEGIN.contains(&function) && is_done {
        ranges::follow();
    } else if END.contains(&function) {
        // The end of a capture that began before the session is not counted.
        ranges::unfollow();
    }
}

/// True while a stream is known to be captured into a CUDA graph.
pub(super) fn is_any() -> bool {
    ranges::is_followed()
}

/// Forgets all running stream captures: CUPTI does not report their ends any more.
pub(super) fn forget() {
    ranges::unfollow_all();
}

#[cfg(test)]
mod tests {
    use cudarc::cupti::sys::CUpti_driver_api_trace_cbid as Theirs;

    use super::*;

    #[test]
    fn captures_are_counted() {
        let _alone = ranges::alone();
        let is_any = |function, is_done| {
            returned(function, is_done);
            is_any()
        };
        assert!(!is_any(497, true), "an end without a beginning");
        assert!(!is_any(539, false), "did not begin");
        assert!(is_any(539, true) && is_any(496, true));
        assert!(is_any(497, false) && !is_any(498, true), "an invalidated capture ends, too");
        assert!(is_any(846, true) && !is_any(497, true), "by the newest functions");
        returned(539, true);
        forget();
        assert!(!super::is_any());
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
