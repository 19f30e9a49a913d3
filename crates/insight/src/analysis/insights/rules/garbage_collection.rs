//! The launching thread is in a garbage collection of Python.
//!
//! Source: torchtitan#148: pauses of 1.5 % of a step on 512 GPUs.
//! Known false positives: collections are only known if the trace has them as ranges or Python frames.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "garbage_collection",
    definition: "The launching thread is in a garbage collection of Python.",
    source: "torchtitan#148: pauses of 1.5 % of a step on 512 GPUs.",
    caveats: &["collections are only known if the trace has them as ranges or Python frames"],
    advice: "Call gc.disable() and gc.collect() at fixed steps, or gc.freeze() after start-up.",
    find: |context, rule| {
        idle::find(context, rule, Cause::GarbageCollection, "waits for Python's garbage collection")
    },
};
