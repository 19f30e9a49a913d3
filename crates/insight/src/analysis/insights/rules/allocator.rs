//! The launching thread allocates or frees memory in a call of the runtime or driver.
//!
//! Source: Calls by name: cudaMalloc, cudaFree, cudaHostAlloc, cuMem* and their like.
//! Known false positives: the first steps of a run allocate; leave them out with --steps.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "allocator",
    definition: "The launching thread allocates or frees memory in a call of the runtime or driver.",
    source: "Calls by name: cudaMalloc, cudaFree, cudaHostAlloc, cuMem* and their like.",
    caveats: &["the first steps of a run allocate; leave them out with --steps"],
    advice: "Let the framework's caching allocator keep memory: no empty_cache() in the loop, stable shapes, expandable segments.",
    find: |context, rule| idle::find(context, rule, Cause::Allocator, "waits for allocations of memory"),
};
