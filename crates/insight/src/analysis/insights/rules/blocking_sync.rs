//! The launching thread waits for the device, and afterwards has to refill its queue.
//!
//! Source: Definition of this program: the wait, and the dispatch after it, up to the length of the wait.
//! Known false positives: a synchronization at the end of a step, after long kernels, costs little and stays below the limit.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "blocking_sync",
    definition: "The launching thread waits for the device, and afterwards has to refill its queue.",
    source: "Definition of this program: the wait, and the dispatch after it, up to the length of the wait.",
    caveats: &[
        "a synchronization at the end of a step, after long kernels, costs little and stays below the limit",
    ],
    advice: "Read values (.item(), .cpu(), print) less often, or after the next work has been launched.",
    find: |context, rule| idle::find(context, rule, Cause::BlockingSync, "is emptied by a synchronization"),
};
