//! The launching thread saves a checkpoint.
//!
//! Source: Frames and ranges by name; activation checkpointing is none.
//! No false positives are known.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "checkpoint",
    definition: "The launching thread saves a checkpoint.",
    source: "Frames and ranges by name; activation checkpointing is none.",
    caveats: &[],
    advice: "Save asynchronously, or less often.",
    find: |context, rule| idle::find(context, rule, Cause::Checkpoint, "waits while a checkpoint is saved"),
};
