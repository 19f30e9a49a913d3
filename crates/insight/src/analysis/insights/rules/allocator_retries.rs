//! The caching allocator frees its memory and asks again, since an allocation failed.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Severity, title};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::thresholds::RETRIES;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_trace::model::{LaneId, SliceId};
use rustc_hash::FxHashSet;

use super::beyond::Draft;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "allocator_retries",
    definition: "In at least two operators, ranges or frames of the part, calls of the runtime allocate, \
        free and allocate memory again directly within one of them, with nothing between but queries of \
        errors and synchronizations: allocations seem to fail at first.",
    source: "PyTorch's caching allocator frees cached blocks when an allocation fails, and tries again.",
    caveats: &["the share counts all idle time with the cause allocator, not only that of retries"],
    advice: "If the device's memory is nearly full: smaller batches, activation checkpointing, \
        expandable_segments:True.",
    look: Look::Work(find),
};

/// What a call of the runtime does.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Allocates,
    Frees,
    /// The query of an error, or a synchronization, as PyTorch's allocator makes them before it frees memory.
    Waits,
    Other,
}

/// An allocation that may have failed, and whether memory was freed after it in the same operator.
struct Attempt {
    /// The operator, range or frame directly around the calls.
    around: Option<SliceId>,
    call: SliceId,
    is_freed: bool,
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    // What a call of each name does.
    let of_name = |name: StrId| {
        let text = trace.strings.bytes(name);
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix.as_bytes()));
        match () {
            () if starts(&["cudaMalloc", "hipMalloc"]) => Call::Allocates,
            () if starts(&["cudaFree", "hipFree"]) => Call::Frees,
            () if starts(&["cudaGetLastError", "cudaPeekAtLastError", "hipGetLastError"]) => Call::Waits,
            () if memchr::memmem::find(text, b"Synchronize").is_some() => Call::Waits,
            () => Call::Other,
        }
    };
    let calls: Column<StrId, Call> = trace.strings.ids().iter().map(of_name).collect();
    if !calls.contains(&Call::Allocates) || !calls.contains(&Call::Frees) {
        return Outcome::Nothing;
    }
    let mut found: Vec<(LaneId, Span)> = Vec::new();
    let mut operators: FxHashSet<SliceId> = FxHashSet::default();
    for lane in trace.lanes.ids() {
        let mut last: Option<Attempt> = None;
        for piece in context.part.pieces(lane) {
            if !trace.slices.category(piece.id).is_runtime() {
                continue;
            }
            let around = trace.slices.parent(piece.id);
            match calls[trace.slices.name[piece.id]] {
                Call::Allocates => {
                    let again = last.take().filter(|first| first.is_freed && first.around == around);
                    if let (Some(first), Some(operator)) = (again, around) {
                        found.push((lane, trace.slices.span(first.call).union(trace.slices.span(piece.id))));
                        operators.insert(operator);
                    }
                    last = Some(Attempt { around, call: piece.id, is_freed: false });
                }
                Call::Frees => {
                    last.iter_mut().for_each(|first| first.is_freed |= first.around == around);
                }
                Call::Waits => {}
                Call::Other => last = None,
            }
        }
    }
    if (operators.len() as f64) < RETRIES {
        return Outcome::Nothing;
    }
    let share = context.share(context.idle(Cause::Allocator).0);
    found.sort_by_key(|(_, span)| (std::cmp::Reverse(span.len()), span.start));
    Draft {
        severity: Context::severity(share).unwrap_or(Severity::Note),
        title: title("memory nearly full: X retries", &found.len().to_string()),
        what: format!(
            "allocations of memory seem to have failed {} times, after which memory was freed and asked \
                 for again",
            found.len()
        ),
        saves: 0,
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
        ..Draft::default()
    }
    .of(context, rule)
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use crate::analysis::Scope;
    use crate::analysis::arguments::Arguments;
    use crate::analysis::insights::insights;

    /// The number of retries that is reported of operators with these calls, if any is.
    fn retries(operators: &[&[&str]]) -> Option<f64> {
        let slice = |cat: &str, name: &str, start: usize, dur: usize| {
            format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{start},"dur":{dur}}}"#)
        };
        let mut events = vec![
            r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":9}"#.to_owned(),
            r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9000,"dur":9}"#.to_owned(),
        ];
        for (at, calls) in operators.iter().enumerate() {
            events.push(slice("cpu_op", "aten::empty", at * 1_000, 900));
            let of_call = |(number, call): (usize, &&str)| {
                slice("cuda_runtime", call, at * 1_000 + number * 100 + 10, 90)
            };
            events.extend(calls.iter().enumerate().map(of_call));
        }
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let found = insights(&loaded.trace, &Scope::default(), &Arguments::default()).findings;
        let found = found.into_iter().find(|finding| finding.rule == "allocator_retries")?;
        Some(found.numbers[0].value)
    }

    #[test]
    fn a_retry_has_nothing_but_queries_and_waits_between() {
        let retry: &[&str] = &[
            "cudaMalloc",
            "cudaGetLastError",
            "cudaDeviceSynchronize",
            "cudaFree",
            "cudaFree",
            "cudaMalloc",
        ];
        assert_eq!(retries(&[retry, retry]), Some(2.0));
        assert_eq!(retries(&[retry]), None, "in one operator only");
        let first_use: &[&str] = &["cudaMalloc", "cudaFree", "cudaMalloc", "cudaFree", "cudaMalloc"];
        assert_eq!(retries(&[first_use]), None, "cuDNN's workspaces in its first call");
        let other: &[&str] = &["cudaMalloc", "cudaLaunchKernel", "cudaFree", "cudaMalloc"];
        assert_eq!(retries(&[other, other]), None, "the first allocation was used");
    }
}
