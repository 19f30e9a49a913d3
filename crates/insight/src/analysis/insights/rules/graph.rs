//! Holes between the kernels of a graph.
//!
//! Source: definition of this program; work on both sides of a hole is of one launch.
//! Known false positives: nodes whose records are lost look like holes.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "graph",
    definition: "The device has nothing to do between two pieces of work of one graph launch.",
    source: "Definition of this program; the work before and after the hole is of one launch.",
    caveats: &["nodes whose records are lost look like holes"],
    advice: "Fewer and larger kernels in the graph: fused operators, larger batches; programmatic dependent launch.",
    find: |context, rule| idle::find(context, rule, Cause::Graph, "is idle between the kernels of graphs"),
};
