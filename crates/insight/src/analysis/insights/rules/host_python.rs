//! The launching thread runs the script outside of operators for 100 µs and more.
//!
//! Source: Definition of this program.
//! Known false positives: a range or a step that covers the time does not say what the script did in it; record stacks to know the line.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "host_python",
    definition: "The launching thread runs the script outside of operators for 100 µs and more.",
    source: "Definition of this program.",
    caveats: &[
        "a range or a step that covers the time does not say what the script did in it; record stacks to know the line",
    ],
    advice: "Record with stacks to see the lines, and move the work out of the loop or to another thread.",
    find: |context, rule| {
        idle::find(context, rule, Cause::HostPython, "waits while the script's Python runs")
    },
};
