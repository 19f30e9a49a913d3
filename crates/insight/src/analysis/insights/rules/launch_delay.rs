//! The device takes long to begin work that was launched.
//!
//! Source: definition of this program; the delay beyond that at which the device follows its thread.
//! Known false positives: the first work after a wait always has some delay.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "launch_delay",
    definition: "The next work was launched, and the device took its time to begin it.",
    source: "Definition of this program; only the delay beyond the distance at which the device follows its thread counts.",
    caveats: &["the first work after each wait has a delay that no program can avoid"],
    advice: "Launch work before the device is empty, so that delays are hidden: wait less often, use CUDA graphs.",
    find: |context, rule| {
        idle::find(context, rule, Cause::LaunchDelay, "takes long to begin work that was launched")
    },
};
