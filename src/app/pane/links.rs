//! The links between events: between launches and device work, between forward and backward operators, along
//! the producer's flows.
//!
//! Must not know the screen.

use std::ops::Range;

use rustc_hash::FxHashMap;

use proftui_base::gallop::partition_point_near;
use proftui_base::ids::Ids;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, FlowKind, Lane, LaneKind, SliceId, Trace};

/// A link from the selected event, or from the selected gap of a device, to another event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The event at the other end of the link.
    pub target: SliceId,
    /// The relation of the target to the selected event or gap.
    pub kind: LinkKind,
    /// Queue delay between launch and device work, ns, negative if the work starts first; none if the link is
    /// about no launch.
    pub delay: Option<Ns>,
}

/// The relation of a link's target to the event that has the link, or to a gap of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The target is device work that the event, or a call within it, launched; for a gap, the work after the
    /// gap.
    Work,
    /// The target launched the event or, for a gap, the work after the gap.
    Launch,
    /// The event is a forward operator, and the target its backward operator.
    Backward,
    /// The event is a backward operator, and the target its forward operator.
    Forward,
    /// The target is the end of a flow that starts at the event.
    FlowOut,
    /// The target is the start of a flow that ends at the event.
    FlowIn,
}

impl LinkKind {
    /// True for a link from cause to effect: to device work, a backward operator or the end of a flow.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Work | Self::Backward | Self::FlowOut)
    }

    /// The relation's name on the screen, such as `launched by`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Work => "device work",
            Self::Launch => "launched by",
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::FlowOut => "flow to",
            Self::FlowIn => "flow from",
        }
    }
}

/// The forward links of event `id`: to device work launched by or within it, to its backward operators, and
/// to the ends of flows that start at it.
pub fn forward(trace: &Trace, id: SliceId) -> Vec<Link> {
    let mut links: Vec<Link> = launches_within(trace, id)
        .into_iter()
        .map(|(launch, target)| Link {
            target,
            kind: LinkKind::Work,
            delay: Some(queue_delay(trace, launch, target)),
        })
        .collect();
    links.sort_by_key(|link| (trace.slices.start[link.target], link.target));
    links.extend(trace.flows_from(id).map(|flow| Link {
        target: flow.to,
        kind: if flow.kind == FlowKind::ForwardBackward { LinkKind::Backward } else { LinkKind::FlowOut },
        delay: None,
    }));
    links
}

/// The backward links of event `id`: to its launch, to its forward operators, and to the starts of flows that
/// end at it.
pub fn back(trace: &Trace, id: SliceId) -> Vec<Link> {
    let launch = trace.links.launch_of(id).into_iter();
    let mut links: Vec<Link> = launch
        .map(|target| Link { target, kind: LinkKind::Launch, delay: Some(queue_delay(trace, target, id)) })
        .collect();
    links.extend(trace.flows_to(id).map(|flow| Link {
        target: flow.from,
        kind: if flow.kind == FlowKind::ForwardBackward { LinkKind::Forward } else { LinkKind::FlowIn },
        delay: None,
    }));
    links
}

/// Queue delay: time from the start of the launching call to the start of the device work, ns; negative if
/// the work starts first.
pub fn queue_delay(trace: &Trace, launch: SliceId, work: SliceId) -> Ns {
    trace.slices.start[work].saturating_sub(trace.slices.start[launch])
}

/// The pairs (launch, device work) whose launch is the event `id` or a call within it; for a step also those
/// of calls of all other threads of its process while it runs, such as the one of the backward pass, and for
/// any event of a thread's Python lane those of the thread's other lane.
fn launches_within(trace: &Trace, id: SliceId) -> Vec<(SliceId, SliceId)> {
    let lane = &trace.lanes[trace.lane_of(id)];
    let span = trace.slices.span(id);
    // Slices are ordered by row and start: the launches from the event's row on are looked at row by row.
    let first = trace.rows[trace.row_of(id)].slices().start;
    let mut within = Within { trace, id, known: FxHashMap::default() };
    let mut found = Vec::new();
    launches_in(trace, first..lane.slices.end, span, |launch| within.has(launch), &mut found);
    let is_step = trace.slices.category(id) == Category::ProfileStep;
    let is_beside = |other: &&Lane| {
        let is_own = !is_step && lane.kind == LaneKind::Python && other.tid == lane.tid;
        other.group == lane.group
            && other.kind.is_host()
            && (is_step || is_own)
            && other.slices != lane.slices
    };
    for other in trace.lanes.iter().filter(is_beside) {
        launches_in(trace, other.slices.start..other.slices.end, span, |_| true, &mut found);
    }
    found
}

/// Adds to `found` the pairs (launch, device work) of the launches among `slices`, from the begin of a row
/// on, that begin in `span` and that `is_wanted`.
fn launches_in(
    trace: &Trace,
    slices: Range<SliceId>,
    span: Span,
    mut is_wanted: impl FnMut(SliceId) -> bool,
    found: &mut Vec<(SliceId, SliceId)>,
) {
    let mut rest = trace.links.within(Ids::from(slices));
    while let Some(&(launch, _)) = rest.first() {
        let row = trace.rows[trace.row_of(launch)].slices();
        let of_row;
        (of_row, rest) = rest.split_at(rest.partition_point(|link| link.0 < row.end));
        let start = |link: &(SliceId, SliceId)| trace.slices.start[link.0];
        let guess =
            likely_index(span.start, of_row.first().map(start), of_row.last().map(start), of_row.len());
        let from = partition_point_near(of_row, guess, |link| start(link) < span.start);
        let is_in_span = |link: &&(SliceId, SliceId)| start(link) < span.end.max(span.start + 1);
        found.extend(of_row[from..].iter().take_while(is_in_span).filter(|link| is_wanted(link.0)));
    }
}

/// Estimates the index of `t` in `len` ascending times from `first` to `last`. The result may exceed `len`.
fn likely_index(t: Ns, first: Option<Ns>, last: Option<Ns>, len: usize) -> usize {
    let (Some(first), Some(last)) = (first, last) else { return 0 };
    let share = t.saturating_sub(first) as f64 / last.saturating_sub(first).max(1) as f64;
    // A cast saturates: a time before the first has index 0.
    saturate::<usize>(share * len as f64)
}

/// Finds out whether slices are the event `id` or within it, and caches the answers for the slices around
/// them.
struct Within<'a> {
    trace: &'a Trace,
    id: SliceId,
    known: FxHashMap<SliceId, bool>,
}

impl Within<'_> {
    fn has(&mut self, slice: SliceId) -> bool {
        let (mut path, mut next, mut is_within) = (Vec::new(), Some(slice), false);
        while let Some(at) = next {
            if let Some(known) = (at == self.id).then_some(true).or_else(|| self.known.get(&at).copied()) {
                is_within = known;
                break;
            }
            path.push(at);
            next = self.trace.slices.parent(at);
        }
        // The launch itself, the first of the path, is asked for once only.
        self.known.extend(path.into_iter().skip(1).map(|at| (at, is_within)));
        is_within
    }
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    #[test]
    fn a_step_has_the_work_that_all_threads_of_its_process_launch() {
        let event = |cat: &str, name: &str, (pid, tid): (u32, u32), ts: u32, args: &str| {
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":20,"args":{{{args}}}}}"#
            )
        };
        let launch = |tid: u32, ts: u32, number: u32| {
            let args = format!(r#""correlation":{number}"#);
            [
                event("cuda_runtime", "cudaLaunchKernel", (1, tid), ts, &args),
                event("kernel", "k", (0, 7), 1_000 + 50 * number, &args),
            ]
        };
        let mut events = vec![
            event("user_annotation", "ProfilerStep#1", (1, 1), 0, "").replace(r#""dur":20"#, r#""dur":500"#),
            event("cpu_op", "aten::mm", (1, 1), 100, ""),
        ];
        // In the operator, on the backward pass's thread, and there after the step.
        events.extend([launch(1, 100, 1), launch(2, 300, 2), launch(2, 600, 3)].concat());
        let text = format!("[{}]", events.join(","));
        let trace =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
        let count = |name: &str| {
            let id = trace.slices.ids().iter().find(|&id| trace.name(id).as_str() == name).expect("a slice");
            forward(&trace, id).len()
        };
        assert_eq!((count("ProfilerStep#1"), count("aten::mm")), (2, 1));
    }
}
