//! The device waits while the launching thread is in operators and calls before the next work.
//!
//! Source: Definition of this program; HTA calls such time host wait.
//! Known false positives: short runs of eager code are often bound by launches; profiling with stacks or shapes makes dispatch slower than it is without.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "launch_bound",
    definition: "The device waits while the launching thread is in operators and calls before the next work.",
    source: "Definition of this program; HTA calls such time host wait.",
    caveats: &[
        "short runs of eager code are often bound by launches; profiling with stacks or shapes makes dispatch slower than it is without",
    ],
    advice: "Larger batches, CUDA graphs, torch.compile or fused operators launch less for the same work.",
    find: |context, rule| {
        idle::find(context, rule, Cause::LaunchBound, "waits while the host dispatches operators")
    },
};
