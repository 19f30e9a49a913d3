//! The trace's steps, its span, and its span without far outliers.

use crate::base::time::{Ns, Span};
use crate::import::dialect;
use crate::model::{Category, LaneKind, Step, Trace, Warning};

use super::builder::TraceBuilder;

/// Times further than this from the median are outliers (11.6 days), ns.
const OUTLIER: Ns = 1_000_000_000_000_000;

/// Makes the trace's list of steps, in order of time, from the step slices on threads; a name without a number gives
/// step 0.
pub(super) fn steps(builder: &TraceBuilder, trace: &Trace) -> Vec<Step> {
    let mut steps = Vec::new();
    for lane in &trace.lanes {
        if !matches!(lane.kind, LaneKind::Python | LaneKind::Thread) {
            continue;
        }
        let ids = lane.slices.clone().filter(|&id| trace.slices.category(id) == Category::ProfileStep);
        steps.extend(ids.map(|id| {
            Step {
                number: dialect::step_number(builder.strings.bytes(trace.slices.name[id as usize]))
                    .unwrap_or_default(),
                worker: trace.groups[lane.group as usize].worker,
                slice: id,
                span: trace.slices.span(id),
            }
        }));
    }
    steps.sort_by_key(|step| (step.span.start, step.slice));
    steps
}

/// Sets the span of the trace, and its main span without far outliers. `of_slices` is first start to last end of all
/// slices.
pub(super) fn spans(builder: &mut TraceBuilder, trace: &mut Trace, of_slices: Option<Span>) {
    let slices = &trace.slices;
    let points = trace.instants.iter().map(|i| i.ts).chain(trace.memory.iter().map(|m| m.ts));
    let points = points
        .chain(trace.counters.iter().flat_map(|c| c.ts.first().into_iter().chain(c.ts.last()).copied()));
    let edges = points.map(|ts| (ts, ts)).chain(of_slices.map(|span| (span.start, span.end)));
    let whole = edges.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
    let Some((start, end)) = whole else {
        if builder.files.iter().all(|file| file.extent.is_none()) {
            builder.quality.note(Warning::Empty, None, || "no event has a timestamp".into());
        }
        return;
    };
    trace.span = Span { start, end };
    trace.main_span = trace.span;
    let is_far_apart = of_slices.is_some_and(|span| span.len() > OUTLIER);
    if !is_far_apart {
        return;
    }
    let mut starts = slices.start.clone();
    let mut ends: Vec<Ns> = (0..slices.len() as u32).map(|id| slices.end(id)).collect();
    let middle = slices.len() / 2;
    let start_median = *starts.select_nth_unstable(middle).1;
    let end_median = *ends.select_nth_unstable(middle).1;
    let is_far = |id: u32| {
        slices.start[id as usize].saturating_sub(start_median).saturating_abs() > OUTLIER
            || slices.end(id).saturating_sub(end_median) > OUTLIER
    };
    let mut main: Option<Span> = None;
    let mut far = 0;
    for id in 0..slices.len() as u32 {
        if is_far(id) {
            far += 1;
        } else {
            main = Some(main.map_or(slices.span(id), |span| span.union(slices.span(id))));
        }
    }
    if far > 0 {
        builder.quality.note_many(Warning::Outlier, far, None, || {
            "the first view shows the time range of the other events".into()
        });
        trace.main_span = main.unwrap_or(trace.span);
    }
}
