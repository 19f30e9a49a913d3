//! The caching allocator frees its memory and asks again, since an allocation failed.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Severity};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::thresholds::RETRIES;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_trace::model::{LaneId, SliceId};

use super::beyond::Draft;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "allocator_retries",
    definition: "At least twice in the part, calls of the runtime allocate, free and allocate memory again \
        directly within one operator, range or frame: allocations seem to fail at first.",
    source: "PyTorch's caching allocator frees cached blocks when an allocation fails, and tries again.",
    caveats: &["the share counts all idle time with the cause allocator, not only that of retries"],
    advice: "If the device's memory is nearly full: smaller batches, activation checkpointing, \
        expandable_segments:True.",
    look: Look::Work(find),
};

/// Whether a call allocates or frees memory.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Allocates,
    Frees,
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    // What each name stands for: an allocation, or a release.
    let starts = |name: StrId, prefixes: [&[u8]; 2]| {
        prefixes.iter().any(|prefix| trace.strings.bytes(name).starts_with(prefix))
    };
    let of_name = |name| match () {
        () if starts(name, [b"cudaMalloc", b"hipMalloc"]) => Some(Call::Allocates),
        () if starts(name, [b"cudaFree", b"hipFree"]) => Some(Call::Frees),
        () => None,
    };
    let calls: Column<StrId, Option<Call>> = trace.strings.ids().iter().map(of_name).collect();
    if !calls.contains(&Some(Call::Allocates)) || !calls.contains(&Some(Call::Frees)) {
        return Outcome::Nothing;
    }
    let mut found: Vec<(LaneId, Span)> = Vec::new();
    for lane in trace.lanes.ids() {
        // The last allocation: the operator around it, its slice, and whether memory was freed since then
        // in the same operator.
        let mut last: Option<(Option<SliceId>, SliceId, bool)> = None;
        for piece in context.part.pieces(lane) {
            if !trace.slices.category(piece.id).is_runtime() {
                continue;
            }
            let around = trace.slices.parent(piece.id);
            match calls[trace.slices.name[piece.id]] {
                Some(Call::Allocates) => {
                    if let Some((of, first, true)) = last
                        && of == around
                        && around.is_some()
                    {
                        found.push((lane, trace.slices.span(first).union(trace.slices.span(piece.id))));
                    }
                    last = Some((around, piece.id, false));
                }
                Some(Call::Frees) => {
                    last = last.map(|(of, first, is_freed)| (of, first, is_freed || of == around));
                }
                None => {}
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
                "allocations of memory seem to have failed {} times, after which memory was freed and asked \
                 for again",
                found.len()
            ),
            headroom: 0,
            basis: "idle time with the cause allocator belongs to the rule of that name",
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
