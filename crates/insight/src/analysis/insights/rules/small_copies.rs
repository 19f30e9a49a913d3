//! Many small copies, which cost the host their calls.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::{intersection, length, union};
use crate::analysis::thresholds::{FULL_QUEUE, MENTIONED, NAMED, READ_VALUE, SMALL_COPIES};
use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, SliceId, WorkerId};

use super::beyond::Draft;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "small_copies",
    definition: "A hundred copies and more of at most 1 KiB: their calls take the host 5 % of the time and \
        more.",
    source: "The copies of each call, by their sizes; the time of their calls, cut to the run, without calls \
        that wait for room in the queue of the device.",
    caveats: &["what a call takes beside the copy, such as an allocation, counts, too"],
    advice: "Keep values on the device: compare and branch there, read them once for many, build tensors in \
        one call instead of one by one.",
    look: Look::Work(find),
};

/// What helps where the copies are within the device.
const INNER: &str = "Most of the copies are within the device: copy many tensors in one call (foreach, \
    stack), and avoid clone, contiguous and slices that are written one by one.";

fn find_text(name: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(name, part).is_some()
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let slices = &trace.slices;
    let mut calls: FxHashMap<WorkerId, Vec<Span>> = FxHashMap::default();
    let mut found: Vec<(GroupId, SliceId)> = Vec::new();
    let mut by_operator: FxHashMap<StrId, Ns> = FxHashMap::default();
    let mut costs: Vec<(Ns, SliceId)> = Vec::new();
    let (mut all, mut inner): (Ns, usize) = (0, 0);
    for device in context.work() {
        for work in device.work.iter().filter(|work| slices.category(work.id) == Category::Memcpy) {
            let (Some(launch), Some(bytes)) = (work.launch, trace.copied(work.id)) else { continue };
            if bytes > READ_VALUE {
                continue;
            }
            found.push((device.group, work.id));
            inner += usize::from(find_text(trace.strings.bytes(slices.name[work.id]), b"DtoD"));
            let waits_for_room = work.span.start >= launch.span.end && launch.span.len() >= FULL_QUEUE;
            if waits_for_room {
                continue;
            }
            // What the framework does around the call of the runtime belongs to the copy.
            let is_copy = |id: &SliceId| {
                let name = trace.strings.bytes(slices.name[*id]);
                memchr::memmem::find(name, b"emcpy").is_some()
            };
            let outer = slices.ancestors(launch.id).take_while(is_copy).last().unwrap_or(launch.id);
            // A wait for the device, until the copy begins, is no cost of the copy.
            let whole = slices.span(outer);
            let start = if work.span.end <= launch.span.end { work.span.start } else { whole.start };
            let call = Span { start: start.clamp(whole.start, whole.end), end: whole.end };
            costs.push((call.len(), outer));
            calls.entry(device.worker).or_default().push(call);
            all = all.saturating_add(call.len());
            // The outermost operator is the one that users call.
            let around = slices.ancestors(outer).filter(|&id| slices.category(id).is_operator());
            let operator = around.last();
            if let Some(operator) = operator {
                let time = by_operator.entry(slices.name[operator]).or_default();
                *time = time.saturating_add(call.len());
            }
        }
    }
    if (found.len() as f64) < SMALL_COPIES {
        return Outcome::Nothing;
    }
    let run = |worker: WorkerId| context.part.run(worker);
    let of_worker =
        |(worker, spans): (WorkerId, Vec<Span>)| length(&intersection(&union(spans), run(worker)));
    let time = calls.into_iter().map(of_worker).fold(0, Ns::saturating_add);
    // The host's time is of the host's run, one for each worker.
    let share = time as f64 / context.part.run_of_workers().max(1) as f64;
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let mut operators: Vec<(StrId, Ns)> = by_operator.into_iter().collect();
    operators.sort_by_key(|&(name, ns)| (std::cmp::Reverse(ns), name));
    let text = |name: StrId| trace.string_or(name, "(unnamed)").to_string();
    let of_all = |ns: Ns| ns as f64 / all.max(1) as f64;
    let name = operators.first().filter(|(_, ns)| of_all(*ns) >= NAMED).map(|&(name, _)| text(name));
    let several = operators.iter().take(3).filter(|(_, ns)| of_all(*ns) >= MENTIONED);
    let several: Vec<String> =
        several.map(|&(name, ns)| format!("{} {:.0} %", text(name), of_all(ns) * 100.0)).collect();
    let because = name.clone().unwrap_or_else(|| several.join(", "));
    costs.sort_by_key(|&(ns, id)| (std::cmp::Reverse(ns), id));
    let location =
        |id: SliceId| Location { span: slices.span(id), at: Some(Subject::Lane(trace.lane_of(id))) };
    let count = fmt::count(found.len() as u64);
    Draft {
        severity,
        title: title(&format!("{count} copies of ≤ 1 KiB: X"), &name.unwrap_or_default()),
        time: Some(time),
        what: format!("the host is in calls of {count} copies of at most 1 KiB"),
        because,
        basis: "other findings count the idle time that the calls cause",
        share,
        numbers: vec![Number::ns("calls", time), Number::count("copies", found.len() as u64)],
        at: costs.iter().take(5).map(|&(_, id)| location(id)).collect(),
        advice: (inner * 2 > found.len()).then_some(INNER),
        of: found,
        view: "memcpy",
        ..Draft::default()
    }
    .of(context, rule)
}
