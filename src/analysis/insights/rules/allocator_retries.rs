//! The caching allocator frees its memory and asks again, since an allocation failed.
//!
//! Source: PyTorch's allocator: an allocation that fails frees cached blocks and is tried again.
//! Known false positives: empty_cache() between two allocations of one operator.
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Severity};
use crate::analysis::insights::thresholds::RETRIES;
use crate::analysis::ledger::Cause;
use crate::analysis::location::{Location, Subject};
use crate::base::time::Span;
use crate::model::{LaneId, SliceId};

use super::beyond::Draft;
use crate::analysis::insights::rule::Rule;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "allocator_retries",
    definition: "Within one operator device memory is allocated, freed, and allocated again, twice and more: allocations fail at first.",
    source: "PyTorch's caching allocator frees all cached blocks when an allocation fails, and tries again.",
    caveats: &["the time is that of the cause allocator"],
    advice: "The device's memory is nearly full: smaller batches, activation checkpointing, expandable_segments:True.",
    find,
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let name = |id: SliceId| trace.strings.bytes(trace.slices.name[id as usize]);
    let starts = |id, prefixes: [&[u8]; 2]| prefixes.iter().any(|prefix| name(id).starts_with(prefix));
    let mut found: Vec<(LaneId, Span)> = Vec::new();
    for lane in 0..trace.lanes.len() as LaneId {
        // The operator, and whether memory was freed in it after an allocation.
        let mut last: Option<(Option<SliceId>, SliceId, bool)> = None;
        for piece in context.part.pieces(lane) {
            if !trace.slices.category(piece.id).is_runtime() {
                continue;
            }
            let around = trace.slices.parent(piece.id);
            if starts(piece.id, [b"cudaMalloc", b"hipMalloc"]) {
                if let Some((of, first, true)) = last
                    && of == around
                    && around.is_some()
                {
                    found.push((lane, trace.slices.span(first).union(trace.slices.span(piece.id))));
                }
                last = Some((around, piece.id, false));
            } else if starts(piece.id, [b"cudaFree", b"hipFree"])
                && let Some((of, first, _)) = last
                && of == around
            {
                last = Some((of, first, true));
            }
        }
    }
    if (found.len() as f64) < RETRIES {
        return Outcome::Nothing;
    }
    let share = context.share(context.idle(Cause::Allocator).0);
    found.sort_by_key(|(_, span)| (std::cmp::Reverse(span.len()), span.start));
    Outcome::Found(
        Draft {
            severity: Context::severity(share).unwrap_or(Severity::Note),
            time: None,
            what: format!(
                "{} allocations of device memory failed at first: memory was freed and asked for again",
                found.len()
            ),
            headroom: 0,
            basis: "the time is that of allocator",
            share,
            numbers: vec![Number::count("retries", found.len() as u64)],
            seen: Vec::new(),
            at: found
                .iter()
                .take(5)
                .map(|&(lane, span)| Location { span, at: Some(Subject::Lane(lane)) })
                .collect(),
            view: "calls",
        }
        .of(rule),
    )
}
