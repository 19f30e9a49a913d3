//! Maps CUPTI's error codes to reasons, and reports refused kinds of records and losses to the process's log.

use proftui_wire::device::Reason;
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};

use super::functions::MISSING;
use super::records::kind;
use super::sink::Taken;
use super::subscriber::MULTIPLE_SUBSCRIBERS;
use crate::process;

/// The reason to report for a failed function, and details as text: `what` is the function, `answer` CUPTI's error code, `other` the name
/// of the other subscriber, if known.
pub fn reason(answer: u32, what: &str, other: Option<&str>) -> (Reason, String) {
    let reason = match answer {
        MULTIPLE_SUBSCRIBERS => Reason::OtherSubscriber,
        // Insufficient privileges, and virtual or confidential machines on which profiling is not permitted.
        33 | 35 | 40..=45 => Reason::NoPermission,
        _ => Reason::Version,
    };
    let text = match answer {
        MISSING => "CUPTI does not have this function".to_owned(),
        MULTIPLE_SUBSCRIBERS => {
            let other = other.map_or_else(String::new, |other| format!(": {other}"));
            format!("CUPTI allows one tool per process, and another one is active{other}")
        }
        15 | 999 => format!("error {answer} (CUPTI may be newer than the driver)"),
        35 | 40 => format!("error {answer}: insufficient privileges"),
        _ => format!("error {answer}"),
    };
    (reason, format!("{what}: {text}"))
}

/// Warns in the process's log of each kind of records that CUPTI refused to enable; `refused` has the kinds and CUPTI's error
/// codes. If kernels are among them, also logs that as the reason for missing GPU records.
pub fn report_refused_kinds(refused: &[(u32, u32)]) {
    for &(kind, answer) in refused {
        let text = format!("CUPTI does not record {} (error {answer})", name(kind));
        process::note(NoteKind::Warning, &text);
        if kind == kind::CONCURRENT_KERNEL {
            let (reason, detail) = reason(answer, "cuptiActivityEnable for kernels", None);
            process::note(NoteKind::Fact, &reason.fact(&detail));
        }
    }
}

/// Logs the losses of a closed cycle: a warning if a buffer could not be read to its end; and as the reason for missing GPU records, that
/// some were lost, or that no device work began within the cycle.
pub fn report_losses(taken: &Taken) {
    let Taken { counts: Counts { cycle, lost, dropped, outside, refused, .. }, work, is_torn } = *taken;
    if is_torn {
        process::note(
            NoteKind::Warning,
            &format!("cycle {cycle}: some of CUPTI's records could not be read"),
        );
    }
    if lost + dropped + u64::from(refused) > 0 {
        let detail = format!(
            "cycle {cycle}: {dropped} records dropped by CUPTI, {lost} not written to the buffer, {refused} buffer requests refused"
        );
        process::note(NoteKind::Fact, &Reason::Dropped.fact(&detail));
    } else if work == 0 && outside > 0 {
        let detail = format!("cycle {cycle}: {outside} GPU records, none in the cycle's steps");
        process::note(NoteKind::Fact, &Reason::OutsideWindow.fact(&detail));
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
        kind::GRAPH_TRACE => "CUDA graphs".into(),
        _ => format!("kind {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_reason() {
        for (answer, reason) in [
            (39, Reason::OtherSubscriber),
            (35, Reason::NoPermission),
            (15, Reason::Version),
            (999, Reason::Version),
            (MISSING, Reason::Version),
        ] {
            let (found, detail) = super::reason(answer, "x", Some("nsys"));
            assert_eq!(found, reason, "{answer}");
            assert!(detail.starts_with("x: "));
            assert_eq!(detail.ends_with(": nsys"), answer == 39, "{detail}");
        }
    }
}
