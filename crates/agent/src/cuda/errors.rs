//! Maps CUPTI's error codes to reasons, and reports refused kinds of records to the process's log.

use proftui_wire::device::{Reason, answer as answers};
use proftui_wire::log::NoteKind;

use super::functions::OK;
use super::records::kind;
use crate::process;

/// The reason to report for a failed function, and its details as text. `what` names the function, `answer`
/// is CUPTI's error code, `other` the other subscriber's name, if known.
pub(super) fn reason(answer: u32, what: &str, other: Option<&str>) -> (Reason, String) {
    let reason = answers::reason(answer);
    let other = match other.filter(|_| reason == Reason::OtherSubscriber) {
        Some(other) => format!(": another one is active: {other}"),
        None => String::new(),
    };
    (reason, format!("{what}: {}{other}", answers::describe(answer)))
}

/// True if the result code `answer` means that the function did its work: success, or the warning
/// [`answers::COMPILER`].
pub(super) fn is_done(answer: u32) -> bool {
    matches!(answer, OK | answers::COMPILER)
}

/// Reports in the process's log the kinds of records that CUPTI refuses to make; `refused` has the kinds and
/// CUPTI's error codes.
pub(super) fn report_refused_kinds(refused: &[(u32, u32)]) {
    for &(kind, answer) in refused {
        let text = format!("CUPTI does not record {} ({})", name(kind), answers::describe(answer));
        process::note(NoteKind::Warning, &text);
        if kind == kind::CONCURRENT_KERNEL {
            let (reason, detail) = reason(answer, "cuptiActivityEnable for kernels", None);
            process::note(NoteKind::Fact, &reason.fact(&detail));
        }
    }
}

/// Name of a kind of records, for messages.
fn name(kind: u32) -> String {
    match kind {
        kind::CONCURRENT_KERNEL => "kernels".into(),
        kind::RUNTIME => "CUDA runtime calls".into(),
        kind::DRIVER => "CUDA driver calls".into(),
        kind::MEMCPY | kind::MEMCPY2 => "memory copies".into(),
        kind::MEMSET => "memsets".into(),
        kind::OVERHEAD => "CUPTI's overhead".into(),
        kind::MEMORY2 => "memory allocations".into(),
        kind::SYNCHRONIZATION => "synchronizations".into(),
        kind::CUDA_EVENT => "CUDA events".into(),
        kind::GRAPH_TRACE => "CUDA graphs".into(),
        kind::UNIFIED_MEMORY_COUNTER => "unified memory".into(),
        kind::MEMORY_POOL => "memory pools".into(),
        kind::GRAPH_HOST_NODE => "functions of CUDA graphs on the host".into(),
        _ => format!("kind {kind}"),
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "reads numbers as cudarc's enumeration")]
mod tests {
    use super::super::functions::MISSING;
    use super::*;

    #[test]
    fn each_failure_has_its_reason() {
        for (answer, reason, text) in [
            (
                14,
                Reason::OtherSubscriber,
                "x: error 14 (CUPTI_ERROR_NOT_COMPATIBLE): another one is active: nsys",
            ),
            (36, Reason::OtherSubscriber, "x: error 36 (CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED): another"),
            (38, Reason::NotSupported, "x: error 38 (CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED)"),
            (47, Reason::NotSupported, "x: error 47 (CUPTI_ERROR_HES_TRACE_NOT_SUPPORTED_ON_MPS)"),
            (15, Reason::Version, "x: error 15 (CUPTI_ERROR_NOT_INITIALIZED)"),
            (999, Reason::CuptiError, "x: error 999 (CUPTI_ERROR_UNKNOWN)"),
            (1234, Reason::CuptiError, "x: error 1234"),
            (MISSING, Reason::Version, "x: CUPTI does not have this function"),
        ] {
            let (found, detail) = super::reason(answer, "x", Some("nsys"));
            assert_eq!(found, reason, "{answer}");
            assert!(detail.starts_with(text), "{detail}");
            assert_eq!(detail.contains("nsys"), reason == Reason::OtherSubscriber, "{detail}");
        }
    }

    #[test]
    fn a_warning_is_no_failure() {
        assert_eq!([0, 34, 15].map(is_done), [true, true, false]);
    }

    /// CUPTI's own names, of CUDA 13.0, which has all but the last code.
    #[test]
    fn codes_have_nvidias_names() {
        use cudarc::cupti::sys::CUptiResult as Theirs;
        for answer in answers::ALL.iter().filter(|answer| answer.number != 47) {
            // SAFETY: the enumeration has all numbers from 0 to 46, and 999.
            let theirs = unsafe { std::mem::transmute::<u32, Theirs>(answer.number) };
            assert_eq!(format!("{theirs:?}"), format!("{}{}", answers::PREFIX, answer.name));
        }
        let last = Theirs::CUPTI_ERROR_INVALID_CHIP_NAME as usize;
        assert_eq!((answers::ALL[last].number, answers::ALL.len()), (47, last + 2));
        assert_eq!(
            answers::MULTIPLE_SUBSCRIBERS,
            Theirs::CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED as u32
        );
    }
}
