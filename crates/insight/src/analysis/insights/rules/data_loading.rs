//! The launching thread waits for or prepares input data while the device has nothing to do.
//!
//! Source: ICSE 2024, 706 jobs of low utilization: data operations are the most frequent cause.
//! Known false positives: a loader that runs while the device works costs nothing and is not counted; where either of a loader and a synchronization would mend the run, the nearer one gets the time.
//! Must not know other rules.

use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

use super::idle;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "data_loading",
    definition: "The launching thread waits for or prepares input data while the device has nothing to do.",
    source: "ICSE 2024, 706 jobs of low utilization: data operations are the most frequent cause.",
    caveats: &[
        "a loader that runs while the device works costs nothing and is not counted",
        "where either of a loader and a synchronization would mend the run, the nearer one gets the time",
    ],
    advice: "Give the DataLoader workers (num_workers), pinned memory and prefetching, or move preprocessing out of the loop.",
    find: |context, rule| idle::find(context, rule, Cause::DataLoading, "waits for data loading"),
};
