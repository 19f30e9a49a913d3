//! The launching thread compiles or loads code for the device, or captures or instantiates a graph.
//!
//! Source: Calls and frames by name (assets/activities.toml).
//! Known false positives: the first steps of a run compile; leave them out with --steps.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "compile",
    definition: "The launching thread compiles or loads code for the device, or captures or instantiates a graph.",
    source: "Calls and frames by name (assets/activities.toml).",
    caveats: &["the first steps of a run compile; leave them out with --steps"],
    advice: "Warm up before measuring; avoid changing shapes (dynamic=True, padding), and keep the caches of Triton and Inductor.",
    find: |context, rule| {
        idle::find(context, rule, Cause::Compile, "waits for compilation or loading of code")
    },
};
