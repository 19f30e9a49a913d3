//! In a trace or part without devices: the operator that holds the host.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Severity, title};
use crate::analysis::insights::reason::short;
use crate::analysis::insights::rule::Rule;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::union;
use crate::analysis::thresholds::{ONE_OPERATOR, WARNING};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{GroupKind, LaneId, SliceId, Trace};

use super::beyond::Draft;

/// What helps in a run that uses no device.
const ON_PROCESSORS: &str = "A device; or, on the CPU: a compiled model, bfloat16 where the processor has \
    it, channels-last memory for convolutions, as many threads as cores.";

/// The time of the operators of one name, without that of operators within them.
#[derive(Default)]
struct Own {
    time: Ns,
    calls: u64,
    longest: Option<(Ns, LaneId, SliceId)>,
    spans: Vec<Span>,
}

/// True for the names of matrix products, convolutions and attention that are not known to be slow variants.
fn is_product(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts = ["mm", "matmul", "linear", "conv", "attention", "lstm", "gru"];
    !name.contains("slow") && parts.iter().any(|part| name.contains(part))
}

/// True if the trace has no lane of a device, so that the run seems to use none.
fn has_no_device(trace: &Trace) -> bool {
    trace.groups.iter().all(|group| group.kind != GroupKind::Device)
}

/// Reports the operator with most time on the threads, without that of operators within it.
pub(super) fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let mut found: FxHashMap<StrId, Own> = FxHashMap::default();
    for &(host, _) in &context.devices {
        let is_operator = |id: SliceId| trace.slices.category(id).is_operator();
        let of_host: Vec<Span> = host
            .lanes
            .iter()
            .flat_map(|&lane| context.part.pieces(lane))
            .filter(|piece| is_operator(piece.id))
            .map(|piece| piece.span)
            .collect();
        let of_host = Lengths::of(union(of_host));
        let groups = trace.groups.iter().filter(|group| group.worker == host.worker);
        for lane in groups.flat_map(|group| group.lanes) {
            // Operators of other threads count while the host's own thread is in none, as in a backward pass.
            let is_own = host.lanes.contains(&lane);
            let counted = |span: Span| if is_own { span.len() } else { span.len() - of_host.within(span) };
            for piece in context.part.pieces(lane).filter(|piece| is_operator(piece.id)) {
                let time = counted(piece.span);
                let of_name = found.entry(trace.slices.name[piece.id]).or_default();
                of_name.time = of_name.time.saturating_add(time);
                of_name.calls += u64::from(piece.begins);
                of_name.spans.push(piece.span);
                of_name.longest = of_name.longest.max(Some((time, lane, piece.id)));
                // What is within another operator is that one's time no more.
                let around = trace.slices.ancestors(piece.id).find(|&id| is_operator(id));
                if let Some(around) = around.filter(|&id| context.part.piece(id).is_some()) {
                    let outer = found.entry(trace.slices.name[around]).or_default();
                    outer.time = outer.time.saturating_sub(time);
                }
            }
        }
    }
    let Some((name, own)) = found.into_iter().max_by_key(|(name, own)| (own.time, std::cmp::Reverse(*name)))
    else {
        return Outcome::Nothing;
    };
    // Threads may compute side by side.
    let busy = sum(context.devices.iter().map(|(_, sums)| sums.work));
    let time = own.time.min(busy);
    let share = context.share(time);
    if Context::severity(share).is_none() {
        return Outcome::Nothing;
    }
    // Computing is what the host is there for, unless an operator that is no matrix product has most of it.
    let text = trace.string_or(name, "(unnamed)").to_string();
    let is_unusual = time as f64 >= busy as f64 * ONE_OPERATOR && share >= WARNING && !is_product(&text);
    let worker = context.devices[0].0.worker;
    let when = context.periods.when_of(own.spans.iter().map(|&span| (worker, span)));
    let at = own
        .longest
        .map(|(_, lane, id)| Location { span: trace.slices.span(id), at: Some(Subject::Lane(lane)) });
    Draft {
        severity: if is_unusual { Context::severity(share).unwrap_or_default() } else { Severity::Note },
        title: title("X computes on the CPU", short(&text)),
        time: Some(time),
        what: format!("the host computes {}", short(&text)),
        basis: "time of the operator without those within it; how much faster it could be is not known",
        share,
        numbers: vec![Number::ns("own", own.time), Number::count("calls", own.calls)],
        when: Some(when),
        at: at.into_iter().collect(),
        view: "operator",
        advice: has_no_device(trace).then_some(ON_PROCESSORS),
        ..Draft::default()
    }
    .of(context, rule)
}
