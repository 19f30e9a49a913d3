//! The launching thread is in a copy that returns only when its data has arrived.
//!
//! Source: A copy is asked, not its name: it blocks if it returns not before its own piece has ended.
//! Known false positives: small copies of up to 1 KiB count as synchronizations.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "blocking_copy",
    definition: "The launching thread is in a copy that returns only when its data has arrived.",
    source: "A copy is asked, not its name: it blocks if it returns not before its own piece has ended.",
    caveats: &["small copies of up to 1 KiB count as synchronizations"],
    advice: "Use pinned memory and non_blocking=True, and launch other work before the data is needed.",
    find: |context, rule| {
        idle::find(context, rule, Cause::BlockingCopy, "waits for a copy that blocks the host")
    },
};
