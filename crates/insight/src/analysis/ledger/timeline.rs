//! What one host thread did at each time: its slices, flattened to a few kinds of activity.
//!
//! A named activity (a wait, an allocation, loading data, …) has all its time, whatever lies in it but the
//! profiler's own work; of several within each other the outermost counts. Must not know devices' gaps.

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

use super::activity::{Activities, Activity};
use super::cause::Cause;
use super::segments::{Segment, bridged, join, outermost, overlay, within};
use super::sparse::sparse;
use crate::analysis::part::time::without;
use crate::analysis::thresholds::{BETWEEN, FIRST_LAUNCH, LONG_FUNCTION, LONG_OPERATOR, READ_VALUE};
use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// What a host thread did in a segment of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// An activity that alone decides the cause, such as a wait or an allocation.
    Named(Cause),
    /// Refilling the queue, which a wait had emptied. The time is charged to the cause of the wait; true if
    /// the thread is in the script's Python, outside of operators.
    Refilling(Cause, bool),
    /// Operators, calls and the short times between activities.
    Dispatch,
    /// Python frames outside of operators.
    Python,
    /// A range, or another slice that does not state what the thread did in it.
    Range,
    /// A Python frame in which the thread waited, such as for another thread.
    Waiting,
    /// A Python frame in which a server's thread waited for a request.
    Requests,
}

/// A wait of a host thread for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitCall {
    /// The time of the wait, which for a copy ends when the device begins the copy.
    pub(super) span: Span,
}

/// What a host thread did, as segments sorted by time; between segments the thread has no known activity.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) segments: Vec<Segment<Doing>>,
    /// The thread's waits for the device, also within other activities.
    pub(super) waits: Vec<WaitCall>,
}

// Bits for what a slice lies in: a named activity, an operator or call, a long operator or collective that
// launches nothing, a Python frame.
const IN_NAMED: u8 = 1;
const IN_OPERATOR: u8 = 2;
const IN_QUIET: u8 = 4;
const IN_PYTHON: u8 = 8;
// Bits for what a slice itself is: an operator that may compute for long before, between and after its
// launches; a long range.
const LONG_OPERATION: u8 = 16;
const LONG_RANGE: u8 = 32;
const OF_ITSELF: u8 = LONG_OPERATION | LONG_RANGE;

/// The slices of a thread, sorted into kinds of activity.
#[derive(Default)]
struct Gathered {
    named: Vec<Segment<Doing>>,
    /// The time and the cause of each wait after which the thread may refill the queue.
    opening: Vec<(Span, Cause)>,
    /// The outermost long operators and collectives that launch nothing, and the long times in which an
    /// operator itself computes before, between and after its launches.
    quiet: Vec<Segment<Doing>>,
    /// Frames of Python functions of [`LONG_FUNCTION`] and more that launch nothing.
    functions: Vec<Span>,
    /// The stretches of long ranges, outside of inner ranges, in which little time is in operators and calls.
    sparse: Vec<Span>,
    /// The outermost operators, calls and collectives that are no named activity.
    busy: Vec<Span>,
    python: Vec<Span>,
    waiting: Vec<Span>,
    requests: Vec<Span>,
    ranges: Vec<Span>,
    /// The profiler's own work, which overrides all other activities.
    profiler: Vec<Span>,
    waits: Vec<WaitCall>,
    /// When captures of graphs begin and end, ns.
    captures: [Vec<Ns>; 2],
}

impl Timeline {
    /// Works out what the host thread with these lanes did. `shared` is overhead on lanes that have nothing
    /// else, which counts for every thread of the worker.
    pub(super) fn of(trace: &Trace, names: &Activities, lanes: &[LaneId], shared: &[SliceId]) -> Self {
        let launches = launches(trace, lanes);
        let mut gathered = Gathered::default();
        for &lane in lanes {
            gathered.lane(trace, names, lane, &launches);
        }
        for &id in shared {
            let span = trace.slices.span(id);
            match names.get(trace, id) {
                Some(Activity::Profiler) => gathered.profiler.push(span),
                Some(Activity::Compile) => {
                    gathered.named.push(Segment { span, value: Doing::Named(Cause::Compile) });
                }
                _ => {}
            }
        }
        gathered.flatten(&launches)
    }

    /// True if the thread's activity at time `t` (ns) is a wait for the device.
    pub(super) fn waits_at(&self, t: Ns) -> bool {
        let at = self.segments.partition_point(|segment| segment.span.end <= t);
        self.segments.get(at).is_some_and(|segment| {
            let is_wait = matches!(segment.value, Doing::Named(Cause::BlockingSync | Cause::BlockingCopy));
            segment.span.start <= t && is_wait
        })
    }
}

/// The spans of a thread's calls that launched device work, sorted by start.
fn launches(trace: &Trace, lanes: &[LaneId]) -> Vec<Span> {
    let of_lane = |&lane: &LaneId| {
        let pairs = trace.links.within(trace.lanes[lane].slices);
        let mut last = SliceId::NONE;
        pairs.iter().filter(move |pair| std::mem::replace(&mut last, pair.0) != pair.0)
    };
    let mut all: Vec<Span> =
        lanes.iter().flat_map(of_lane).map(|&(launch, _)| trace.slices.span(launch)).collect();
    all.sort_by_key(|span| span.start);
    all
}

/// The span of the device work that a copy's call waited for, and the bytes copied if they are known; `None`
/// if the call waited for no known work. The rule asks for more than that of views on calls that usually wait
/// (`vocabulary::waits`): the copy must be over before the call is.
fn awaited(trace: &Trace, call: SliceId) -> Option<(Span, Option<u64>)> {
    let piece = trace.links.work_of(call).next()?;
    let span = trace.slices.span(piece);
    (span.end <= trace.slices.end(call)).then(|| (span, trace.copied(piece)))
}

/// True for a call that launched device work, but not for the launch of a graph.
fn is_first_launch(trace: &Trace, call: SliceId, launches: &[Span]) -> bool {
    let span = trace.slices.span(call);
    let at = launches.partition_point(|launch| launch.start < span.start);
    launches.get(at) == Some(&span) && !is_graph_launch(trace.strings.bytes(trace.slices.name[call]))
}

/// True if no launch begins in `span`; `launches` must be sorted.
fn is_without_launch(launches: &[Span], span: Span) -> bool {
    let first = launches.partition_point(|launch| launch.start < span.start);
    launches.get(first).is_none_or(|launch| launch.start >= span.end)
}

/// True for a slice that is an operator or a call, as far as its category says.
fn is_operator_or_call(trace: &Trace, id: SliceId) -> bool {
    let category = trace.slices.category(id);
    category.is_operator() || category.is_runtime() || category == Category::OperatorInner
}

impl Gathered {
    /// Adds the slices of a lane.
    fn lane(&mut self, trace: &Trace, names: &Activities, lane: LaneId, launches: &[Span]) {
        let ids = trace.lanes[lane].slices;
        let mut inside = vec![0_u8; ids.len()];
        // The slices directly within long operators and ranges, each with the one around it.
        let mut inner: Vec<(SliceId, SliceId)> = Vec::new();
        let mut long: Vec<SliceId> = Vec::new();
        for id in ids {
            let parent = trace.slices.parent[id];
            let around = if ids.contains(parent) { inside[(parent - ids.start) as usize] } else { 0 };
            let span = trace.slices.span(id);
            if around & OF_ITSELF != 0 {
                inner.push((parent, id));
            }
            let around = around & !OF_ITSELF;
            let within =
                if span.is_empty() { 0 } else { self.slice(trace, names, id, span, around, launches) };
            if within & OF_ITSELF != 0 {
                long.push(id);
            }
            inside[(id - ids.start) as usize] = around | within;
        }
        // A row's slices come in order of time, and so do those around them.
        inner.sort_by_key(|&(around, _)| around);
        let mut rest = inner.as_slice();
        for id in long {
            let from = rest.partition_point(|(around, _)| *around < id);
            let to = from + rest[from..].partition_point(|(around, _)| *around == id);
            let is_range = inside[(id - ids.start) as usize] & LONG_RANGE != 0;
            self.long(trace, id, &rest[from..to], is_range);
            rest = &rest[to..];
        }
    }

    /// Adds a long operator or range; `inner` are the slices directly within it, in order of time, each after
    /// its own number.
    fn long(&mut self, trace: &Trace, id: SliceId, inner: &[(SliceId, SliceId)], is_range: bool) {
        let span = trace.slices.span(id);
        if is_range {
            let slices = inner.iter().map(|&(_, id)| (trace.slices.span(id), is_operator_or_call(trace, id)));
            if !inner.is_empty() {
                self.sparse.extend(sparse(span, slices));
            }
            return;
        }
        let ends = [Span { start: span.end, end: span.end }];
        let mut at = span.start;
        for inner in inner.iter().map(|&(_, id)| trace.slices.span(id)).chain(ends) {
            if inner.start.saturating_sub(at) >= LONG_OPERATOR {
                let value = Doing::Named(Cause::CpuOperator);
                self.quiet.push(Segment { span: Span { start: at, end: inner.start }, value });
            }
            at = at.max(inner.end);
        }
    }

    /// Adds a slice that lies in the activities whose bits, such as [`IN_NAMED`], `around` has. Returns the
    /// bits that it adds for slices within it.
    fn slice(
        &mut self,
        trace: &Trace,
        names: &Activities,
        id: SliceId,
        span: Span,
        around: u8,
        launches: &[Span],
    ) -> u8 {
        let Some(activity) = names.get(trace, id) else { return 0 };
        let is_outer = around & IN_NAMED == 0;
        let name = |own: &mut Self, cause: Cause| {
            if is_outer {
                own.named.push(Segment { span, value: Doing::Named(cause) });
            }
            IN_NAMED
        };
        match activity {
            Activity::Profiler => {
                self.profiler.push(span);
                0
            }
            // A launch of a kernel that is not loaded yet; of the time, only that is charged in which the
            // device has nothing to do, so its queue is not full.
            Activity::Call if span.len() >= FIRST_LAUNCH && is_first_launch(trace, id, launches) => {
                name(self, Cause::Compile)
            }
            Activity::Allocator => name(self, Cause::Allocator),
            Activity::GarbageCollection => name(self, Cause::GarbageCollection),
            Activity::Compile => {
                self.capture(trace, id, span);
                name(self, Cause::Compile)
            }
            Activity::DataLoading => name(self, Cause::DataLoading),
            Activity::Checkpoint => name(self, Cause::Checkpoint),
            Activity::Sync => {
                self.waits.push(WaitCall { span });
                if is_outer {
                    self.opening.push((span, Cause::BlockingSync));
                }
                name(self, Cause::BlockingSync)
            }
            Activity::Copy => {
                let Some((piece, bytes)) = awaited(trace, id) else {
                    return self.slice_of(Activity::Call, trace, id, span, around, launches);
                };
                self.waits.push(WaitCall {
                    span: Span { start: span.start, end: piece.start.clamp(span.start, span.end) },
                });
                let is_value = bytes.is_some_and(|bytes| bytes <= READ_VALUE);
                let cause = if is_value { Cause::BlockingSync } else { Cause::BlockingCopy };
                if is_outer {
                    self.opening.push((span, cause));
                }
                name(self, cause)
            }
            other => self.slice_of(other, trace, id, span, around, launches),
        }
    }

    /// Notes a call that begins or ends the capture of a graph.
    fn capture(&mut self, trace: &Trace, id: SliceId, span: Span) {
        let name = trace.strings.bytes(trace.slices.name[id]);
        if memchr::memmem::find(name, b"StreamBeginCapture").is_some() {
            self.captures[0].push(span.start);
        } else if memchr::memmem::find(name, b"StreamEndCapture").is_some() {
            self.captures[1].push(span.end);
        }
    }

    /// The times in which graphs were captured, each from a call that begins it to the next that ends it.
    fn captured(&mut self) -> Vec<Span> {
        let [begins, ends] = &mut self.captures;
        begins.sort_unstable();
        ends.sort_unstable();
        let end = |start: Ns| ends.get(ends.partition_point(|&end| end < start)).copied();
        begins.iter().filter_map(|&start| Some(Span { start, end: end(start)? })).collect()
    }

    /// Adds a slice whose kind of activity alone decides no cause; returns the bits that it adds for slices
    /// within it.
    fn slice_of(
        &mut self,
        activity: Activity,
        trace: &Trace,
        id: SliceId,
        span: Span,
        around: u8,
        launches: &[Span],
    ) -> u8 {
        match activity {
            Activity::Operator | Activity::Call | Activity::Collective => {
                if around & IN_OPERATOR == 0 {
                    self.busy.push(span);
                }
                let is_quiet = || is_without_launch(launches, span);
                let cause = match activity {
                    Activity::Operator => Some(Cause::CpuOperator),
                    Activity::Collective => Some(Cause::WaitsForStream),
                    _ => None,
                };
                let cause =
                    cause.filter(|_| around & (IN_QUIET | IN_NAMED) == 0 && span.len() >= LONG_OPERATOR);
                if let Some(cause) = cause.filter(|_| is_quiet()) {
                    self.quiet.push(Segment { span, value: Doing::Named(cause) });
                    return IN_OPERATOR | IN_QUIET;
                }
                let is_inner = || trace.slices.category(id) == Category::OperatorInner;
                let is_operator =
                    || matches!(activity, Activity::Operator | Activity::Collective) || is_inner();
                if span.len() >= LONG_OPERATOR && around & (IN_QUIET | IN_NAMED) == 0 && is_operator() {
                    return IN_OPERATOR | LONG_OPERATION;
                }
                IN_OPERATOR
            }
            Activity::Python => {
                if around & IN_PYTHON == 0 {
                    self.python.push(span);
                }
                if span.len() >= LONG_FUNCTION && is_without_launch(launches, span) {
                    self.functions.push(span);
                }
                IN_PYTHON
            }
            Activity::Waiting => {
                self.waiting.push(span);
                IN_PYTHON
            }
            Activity::Requests => {
                self.requests.push(span);
                IN_PYTHON
            }
            _ => {
                // The profiler's own span says nothing about the thread.
                if !trace.slices.flags[id].has(proftui_trace::model::SliceFlags::PROFILER) {
                    self.ranges.push(span);
                    let is_step = trace.slices.category(id) == Category::ProfileStep;
                    if span.len() >= BETWEEN && !is_step {
                        return LONG_RANGE;
                    }
                }
                0
            }
        }
    }

    /// Flattens the gathered spans to disjoint segments, with named activities and the profiler's work above
    /// the others.
    fn flatten(mut self, launches: &[Span]) -> Timeline {
        // What a thread does while it captures a graph prepares the graph.
        let captured = self.captured().into_iter();
        self.named.extend(captured.map(|span| Segment { span, value: Doing::Named(Cause::Compile) }));
        let fill = |spans: Vec<Span>, value: Doing| -> Vec<Segment<Doing>> {
            bridged(spans, 1).into_iter().map(|span| Segment { span, value }).collect()
        };
        let named = outermost(self.named);
        let quiet = outermost(self.quiet);
        let profiler = fill(self.profiler, Doing::Named(Cause::Profiler));
        let other = named.iter().chain(&quiet).chain(&profiler).map(|segment| segment.span);
        let busy = bridged(self.busy.into_iter().chain(other).collect(), 1);
        // In a range with few operators, the time between them is the script's.
        let holes = without(&bridged(self.sparse, 1), &busy);
        let dispatch: Vec<Segment<Doing>> =
            bridged(busy, BETWEEN).into_iter().map(|span| Segment { span, value: Doing::Dispatch }).collect();
        let below = overlay(&fill(self.ranges, Doing::Range), &fill(self.python, Doing::Python));
        let below = overlay(&below, &fill(self.waiting, Doing::Waiting));
        let below = overlay(&below, &fill(self.requests, Doing::Requests));
        let below = overlay(&below, &dispatch);
        let below = overlay(&below, &fill(holes, Doing::Range));
        let functions = bridged(self.functions, 1);
        let refilled = refilling(self.opening, launches, &functions, &below);
        let mut segments = overlay(&overlay(&overlay(&below, &refilled), &quiet), &named);
        segments = overlay(&segments, &profiler);
        join(&mut segments);
        segments.shrink_to_fit();
        Timeline { segments, waits: self.waits }
    }
}

/// The times after waits in which the thread seems to refill the device's queue, with the causes of the
/// waits; not the long `functions` that begin after a wait.
fn refilling(
    mut opening: Vec<(Span, Cause)>,
    launches: &[Span],
    functions: &[Span],
    below: &[Segment<Doing>],
) -> Vec<Segment<Doing>> {
    opening.sort_by_key(|(wait, _)| wait.end);
    let mut found = Vec::new();
    let (mut last, mut left): (usize, Ns) = (usize::MAX, 0);
    for (number, &(wait, cause)) in opening.iter().enumerate() {
        let next = launches.partition_point(|launch| launch.start < wait.end);
        if std::mem::replace(&mut last, next) != next {
            left = 0;
        }
        left = left.saturating_add(wait.len());
        let launched = launches.get(next).map_or(Ns::MAX, |launch| launch.end);
        let until =
            opening.get(number + 1).map_or(Ns::MAX, |(wait, _)| wait.start.max(wait.end)).min(launched);
        let time = Span { start: wait.end, end: until.max(wait.end) };
        for segment in within(below, time) {
            let start = segment.span.start.max(time.start);
            let function = functions.partition_point(|function| function.start < start);
            let function = functions.get(function).map_or(Ns::MAX, |function| function.start);
            let is_inside =
                functions.iter().any(|function| function.start >= time.start && function.contains(start));
            if is_inside {
                continue;
            }
            let end = segment.span.end.min(time.end).min(start.saturating_add(left)).min(function.max(start));
            if start < end && matches!(segment.value, Doing::Dispatch | Doing::Python | Doing::Range) {
                left -= end - start;
                let is_script = segment.value != Doing::Dispatch;
                found.push(Segment { span: Span { start, end }, value: Doing::Refilling(cause, is_script) });
            }
        }
    }
    outermost(found)
}
