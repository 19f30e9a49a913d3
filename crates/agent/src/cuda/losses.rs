//! Reports the losses of a closed cycle to the process's log.

use proftui_wire::device::Reason;
use proftui_wire::device::answer::describe;
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};

use super::flush::Flushed;
use super::functions::OK;
use super::sink::Taken;
use crate::process;

/// Logs why records of a closed cycle may be missing, as far as known. `undelivered` is an estimate of how
/// many of the cycle's records CUPTI still holds.
pub(super) fn report(taken: &Taken, undelivered: u64, flushed: Flushed) {
    let Taken { counts: Counts { cycle, .. }, is_torn, .. } = *taken;
    if is_torn {
        process::note(
            NoteKind::Warning,
            &format!("cycle {cycle}: some of CUPTI's records could not be read"),
        );
    }
    let failure = match flushed {
        Flushed::Answered(OK) => None,
        Flushed::Answered(answer) => Some(format!("cuptiActivityFlushAll: {}", describe(answer))),
        Flushed::TooLate => Some("cuptiActivityFlushAll did not return in time".to_owned()),
    };
    if let (Flushed::Answered(_), Some(failure)) = (flushed, &failure) {
        process::note(
            NoteKind::Warning,
            &format!("cycle {cycle}: CUPTI does not deliver its records: {failure}"),
        );
    }
    if let Some((reason, detail)) = reason(taken, undelivered, failure.as_deref()) {
        process::note(NoteKind::Fact, &reason.fact(&format!("cycle {cycle}: {detail}")));
    }
}

/// The reason why GPU records of a closed cycle are missing, with details; `None` if none is known. `failure`
/// says how the flush failed.
fn reason(taken: &Taken, undelivered: u64, failure: Option<&str>) -> Option<(Reason, String)> {
    let Taken { counts: Counts { lost, dropped, outside, refused, .. }, work, delivered, .. } = *taken;
    // CUPTI has one pair of callbacks: who registers others gets our buffers, too.
    let held = match failure {
        Some(why) => format!("{why}; {undelivered} records are in its buffers"),
        None => format!(
            "{undelivered} records are in buffers that did not come back: another client of CUPTI in the \
             program may have them"
        ),
    };
    if delivered == 0 && (undelivered > 0 || failure.is_some()) {
        return Some((Reason::NothingDelivered, held));
    }
    if lost + dropped + u64::from(refused) > 0 {
        let held = if undelivered > 0 { format!("; {held}") } else { String::new() };
        let detail = format!(
            "{dropped} records dropped by CUPTI, {lost} not written or not delivered, {refused} buffer \
             requests refused{held}"
        );
        return Some((Reason::Dropped, detail));
    }
    (work == 0 && outside > 0)
        .then(|| (Reason::OutsideWindow, format!("{outside} GPU records, none in the cycle's steps")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_their_reason() {
        let found = |counts, delivered, undelivered, failure: Option<&str>| {
            let taken = Taken { counts, work: 0, delivered, is_torn: false };
            reason(&taken, undelivered, failure).map(|reason| reason.0)
        };
        let none = Counts::default();
        assert_eq!(found(none, 0, 0, None), None);
        assert_eq!(found(none, 0, 0, Some("error 15")), Some(Reason::NothingDelivered));
        assert_eq!(found(Counts { lost: 9, ..none }, 0, 9, None), Some(Reason::NothingDelivered));
        assert_eq!(found(Counts { lost: 9, ..none }, 5, 9, Some("late")), Some(Reason::Dropped));
        assert_eq!(found(Counts { outside: 9, ..none }, 9, 0, None), Some(Reason::OutsideWindow));
    }
}
