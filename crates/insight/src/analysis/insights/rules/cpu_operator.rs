//! The launching thread is in an operator of 200 µs and more that launches nothing.
//!
//! Source: Of 9,800 operators without a launch in public traces, 7 are that long and hold 58 % of the time.
//! Known false positives: an operator that waits for another thread looks the same.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "cpu_operator",
    definition: "The launching thread is in an operator of 200 µs and more that launches nothing.",
    source: "Of 9,800 operators without a launch in public traces, 7 are that long and hold 58 % of the time.",
    caveats: &["an operator that waits for another thread looks the same"],
    advice: "Move the tensors to the device, or the operators to another thread.",
    find: |context, rule| {
        idle::find(context, rule, Cause::CpuOperator, "waits for operators that run on the CPU")
    },
};
