//! Work is launched and waits for an event of another stream, or is a collective that waits for other ranks; or the launching thread is in such
//! a collective on the host.
//!
//! Source: Only with proof: a record of the wait, or a collective.
//! Known false positives: a collective's wait is only seen from this rank.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "waits_for_stream",
    definition: "Work is launched and waits for an event of another stream, or is a collective that waits for other ranks; or the launching \
         thread is in a collective of 200 µs and more that launches nothing.",
    source: "Only with proof: a record of the wait, or a collective.",
    caveats: &["a collective's wait is only seen from this rank"],
    advice: "Compare the ranks: the one that arrives last decides.",
    find: |context, rule| {
        idle::find(context, rule, Cause::WaitsForStream, "waits for another stream or rank")
    },
};
