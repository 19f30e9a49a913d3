//! Charging a gap: which cause has which of its time.
//!
//! The device's side comes first: missing records, a graph, the delay of a launch, a wait for a stream. For
//! what is left, the activities of the launching thread give the cause, and those of the worker's other
//! threads where that thread has none. Must not know how the result is stored.

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::index::idle::Piece;
use proftui_trace::model::{Category, LaneId, SliceId, Trace, WorkerId};

use super::cause::Cause;
use super::gaps::{Gap, WorkKind};
use super::segments::{Segment, bridged, outermost, overlay, within};
use super::threads::Threads;
use super::timeline::Doing;
use crate::analysis::thresholds::{BETWEEN, DELAYS, FEW_DELAY, FOLLOWING, GRAPH_DELAY, QUEUED_START};

/// For each kind of work, the longest delay of its start that is charged to launch delay, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds([Ns; WorkKind::COUNT]);

impl Bounds {
    /// Derives the bounds from the lags in `gaps`.
    pub(super) fn of(trace: &Trace, gaps: &[Gap]) -> Self {
        let mut lags: [Vec<Ns>; WorkKind::COUNT] = Default::default();
        for gap in gaps {
            let Some(launch) = gap.launch else { continue };
            let end = trace.slices.end(launch);
            if gap.span.start < end && end <= gap.span.end {
                lags[WorkKind::of(trace, gap) as usize].push(gap.lag);
            }
        }
        let mut bounds = lags.map(|mut lags| {
            if lags.len() < DELAYS {
                return FEW_DELAY;
            }
            let middle = lags.len() / 2;
            (2 * *lags.select_nth_unstable(middle).1).max(QUEUED_START)
        });
        bounds[WorkKind::Graph as usize] = bounds[WorkKind::Graph as usize].max(GRAPH_DELAY);
        Self(bounds)
    }
}

/// What is needed to charge the gaps of a device or a stream.
pub(super) struct Charger<'a> {
    pub(super) trace: &'a Trace,
    pub(super) threads: &'a Threads,
    pub(super) worker: WorkerId,
    pub(super) bounds: Bounds,
    /// The times in which records are missing, sorted and disjoint.
    pub(super) not_recorded: &'a [Span],
}

impl Charger<'_> {
    /// For each gap, the lag (ns) of the last earlier gap over 1 ns that ends with work of another, known
    /// launch and whose lag was small enough for the device to follow its thread; 0 if there is none.
    pub(super) fn distances(&self, gaps: &[Gap]) -> Vec<Ns> {
        let mut lag = 0;
        let next = |gap: &Gap| {
            let before = lag;
            let limit = self.bounds.0[WorkKind::of(self.trace, gap) as usize].max(FOLLOWING);
            let counts = gap.launch.is_some() && gap.span.len() > 1 && gap.lag <= limit;
            if counts && !gap.is_within_launch(self.trace) {
                lag = gap.lag;
            }
            before
        };
        gaps.iter().map(next).collect()
    }

    /// Divides a gap among causes, and adds its pieces to `out` in order of time. `lag` is the gap's value of
    /// [`Self::distances`], ns.
    pub(super) fn charge(&self, gap: &Gap, lag: Ns, out: &mut Vec<Piece>) {
        let mut pieces: Vec<Segment<Cause>> = Vec::new();
        if gap.is_within_launch(self.trace) {
            // Is it proven by the graph's capture that records of work are missing here?
            let is_lost =
                gap.before.is_some_and(|id| self.trace.graph_names.lost_after.binary_search(&id).is_ok());
            let value = match () {
                () if is_lost => Cause::NotRecorded,
                () if gap.ends_with_graph(self.trace) => Cause::Graph,
                () => Cause::WithinCall,
            };
            pieces.push(Segment { span: gap.span, value });
        } else if gap.span.len() <= 1 {
            // So short a gap may come from rounding the times of both sides.
            pieces.push(Segment { span: gap.span, value: Cause::LaunchDelay });
        } else {
            self.charge_between(gap, lag, &mut pieces);
        }
        let mut pieces = self.lay(pieces, gap.span);
        cover(gap.span, &mut pieces);
        out.extend(pieces.into_iter().map(|piece| Piece { span: piece.span, cause: piece.value as u8 }));
    }

    /// Charges a gap that is not between work of one launch, with `lag` as in [`Self::charge`].
    fn charge_between(&self, gap: &Gap, lag: Ns, out: &mut Vec<Segment<Cause>>) {
        let Span { start, end } = gap.span;
        if gap.after.is_none() {
            // Nothing was launched any more: what did the thread do that had launched the work before?
            let last = gap.before.and_then(|before| self.launcher_of(before));
            if let Some(thread) = last.or_else(|| self.threads.launching(self.worker)) {
                self.ask(gap.span, 0, thread, None, out);
            }
            return;
        }
        let thread = gap.launch.and_then(|launch| self.threads.of_slice(self.trace, launch));
        let kind = WorkKind::of(self.trace, gap);
        let bound = self.bounds.0[kind as usize];
        // A collective that has not begun waits for no rank: it waits inside.
        let beyond = || {
            if self.waited_for_stream(gap) { Cause::WaitsForStream } else { Cause::NotAttributable }
        };
        let (Some(launch), Some(thread)) = (gap.launch, thread) else {
            split(out, gap.span, start.saturating_add(QUEUED_START), Cause::LaunchDelay, beyond());
            return;
        };
        let launched = self.trace.slices.end(launch).min(end);
        let is_queued = launched <= start;
        // Work with so long a lag lay in a queue: the device does not follow the thread at that distance.
        if is_queued && gap.lag > bound.max(FOLLOWING) {
            let until = start.saturating_add(QUEUED_START).max(launched.saturating_add(bound));
            split(out, gap.span, until, Cause::LaunchDelay, beyond());
            return;
        }
        let is_dry = self.threads.all[thread].timeline.waits_at(start);
        let distance = if is_dry { 0 } else { lag.min(gap.lag) };
        let delay = (gap.lag - distance).min(end.saturating_sub(start));
        let host_end = end - delay;
        // What the thread did that much earlier.
        let asked = Span { start: start.saturating_sub(distance), end: host_end.saturating_sub(distance) };
        self.ask(asked, distance, thread, gap.before, out);
        split(
            out,
            Span { start: host_end, end },
            host_end.saturating_add(bound),
            Cause::LaunchDelay,
            beyond(),
        );
    }

    /// The index in [`Threads::all`] of the thread that launched a piece of work; `None` if it is not known.
    fn launcher_of(&self, work: SliceId) -> Option<usize> {
        self.threads.of_slice(self.trace, self.trace.links.launch_of(work)?)
    }

    /// Charges the time `distance` ns after `asked` by what the threads did in `asked`: first `thread`, then
    /// that which launched the work `before`, then the worker's others.
    pub(super) fn ask(
        &self,
        asked: Span,
        distance: Ns,
        thread: usize,
        before: Option<SliceId>,
        out: &mut Vec<Segment<Cause>>,
    ) {
        let mut charged = answers(&self.threads.all[thread].timeline.segments, asked, true);
        // A server waits for requests only while no thread has anything to do.
        let is_open =
            |piece: &Segment<Option<Cause>>| piece.value.is_none_or(|cause| cause == Cause::NoRequests);
        if charged.iter().any(is_open) || Self::missing(&charged, asked) {
            let last = before.and_then(|before| self.launcher_of(before));
            let others = self.threads.of_worker(self.worker).iter().copied();
            for other in last.into_iter().chain(others).filter(|&other| other != thread) {
                let is_watching = self.threads.all[other].is_watching();
                let says_nothing = |piece: &Segment<Option<Cause>>| {
                    is_open(piece) || is_watching && piece.value == Some(Cause::LaunchBound)
                };
                let more: Vec<_> = answers(&self.threads.all[other].timeline.segments, asked, false)
                    .into_iter()
                    .filter(|piece| !says_nothing(piece))
                    .collect();
                if more.is_empty() {
                    continue;
                }
                let known: Vec<_> = charged.iter().copied().filter(|piece| !is_open(piece)).collect();
                let open: Vec<_> = charged.into_iter().filter(is_open).collect();
                charged = overlay(&overlay(&open, &more), &known);
                if !charged.iter().any(is_open) && !Self::missing(&charged, asked) {
                    break;
                }
            }
        }
        let own = &self.threads.all[thread].timeline.segments;
        let mut at = asked.start;
        let mut push = |span: Span, value: Cause| {
            let span =
                Span { start: span.start.saturating_add(distance), end: span.end.saturating_add(distance) };
            out.push(Segment { span, value });
        };
        for piece in charged {
            if at < piece.span.start {
                push(
                    Span { start: at, end: piece.span.start },
                    bare(own, Span { start: at, end: piece.span.start }),
                );
            }
            push(piece.span, piece.value.unwrap_or_else(|| open(own, piece.span)));
            at = piece.span.end;
        }
        if at < asked.end {
            push(Span { start: at, end: asked.end }, bare(own, Span { start: at, end: asked.end }));
        }
    }

    /// True if the pieces, which are disjoint and lie within `span`, do not cover all of it.
    fn missing<T>(pieces: &[Segment<T>], span: Span) -> bool {
        sum(pieces.iter().map(|piece| piece.span.len())) < span.len()
    }

    /// Replaces the pieces of a gap by [`Cause::NotRecorded`] where records are missing.
    fn lay(&self, pieces: Vec<Segment<Cause>>, gap: Span) -> Vec<Segment<Cause>> {
        let from = self.not_recorded.partition_point(|span| span.end <= gap.start);
        let to = self.not_recorded.partition_point(|span| span.start < gap.end).max(from);
        if from == to {
            return pieces;
        }
        let cut = |span: &Span| Span { start: span.start.max(gap.start), end: span.end.min(gap.end) };
        let top: Vec<_> = self.not_recorded[from..to]
            .iter()
            .map(|span| Segment { span: cut(span), value: Cause::NotRecorded })
            .collect();
        overlay(&pieces, &top)
    }

    /// True if the work that ends the gap seems to have been held back by a wait of its stream for an event.
    fn waited_for_stream(&self, gap: &Gap) -> bool {
        let Some(after) = gap.after else { return false };
        let lane: LaneId = self.trace.lane_of(after);
        let lane = &self.trace.lanes[lane];
        lane.rows.iter().any(|row| {
            let ids = self.trace.rows[row].slices();
            let starts = &self.trace.slices.start[ids];
            let begun = ids.part(0..starts.partition_point(|&start| start <= gap.span.end));
            let is_wait = |&id: &SliceId| {
                let end = self.trace.slices.end(id);
                self.trace.slices.category(id) == Category::Synchronization
                    && self.trace.strings.bytes(self.trace.slices.name[id]) == b"Stream Wait Event"
                    && gap.span.start < end
                    && gap.span.end.saturating_sub(QUEUED_START) <= end
                    && end <= gap.span.end
            };
            begun.iter().rev().take(4).any(|id| is_wait(&id))
        })
    }
}

/// Makes the pieces sorted, disjoint and without holes in the gap, filling holes with
/// [`Cause::NotAttributable`].
pub(super) fn cover(gap: Span, pieces: &mut Vec<Segment<Cause>>) {
    let base = [Segment { span: gap, value: Cause::NotAttributable }];
    let is_whole = pieces.windows(2).all(|pair| pair[0].span.end == pair[1].span.start)
        && pieces.first().is_some_and(|first| first.span.start == gap.start)
        && pieces.last().is_some_and(|last| last.span.end == gap.end);
    if !is_whole {
        *pieces = overlay(&base, &outermost(std::mem::take(pieces)));
    }
}

/// Charges the time of `span` before `until` to the cause `first`, and the rest to the cause `then`.
fn split(out: &mut Vec<Segment<Cause>>, span: Span, until: Ns, first: Cause, then: Cause) {
    let middle = until.clamp(span.start, span.end);
    for (start, end, value) in [(span.start, middle, first), (middle, span.end, then)] {
        if start < end {
            out.push(Segment { span: Span { start, end }, value });
        }
    }
}

/// The causes that a thread's activities give for times within `span`. A time whose cause they leave open has
/// `None` if `is_launching`, and else is left out.
fn answers(segments: &[Segment<Doing>], span: Span, is_launching: bool) -> Vec<Segment<Option<Cause>>> {
    let value = |doing: Doing| {
        Some(match doing {
            Doing::Named(cause) | Doing::Refilling(cause, _) => Some(cause),
            Doing::Dispatch => Some(Cause::LaunchBound),
            Doing::Python => Some(Cause::HostPython),
            Doing::Requests if is_launching => Some(Cause::NoRequests),
            Doing::Range | Doing::Waiting if is_launching => None,
            Doing::Range | Doing::Waiting | Doing::Requests => return None,
        })
    };
    let cut = |at: Span| Span { start: at.start.max(span.start), end: at.end.min(span.end) };
    within(segments, span)
        .iter()
        .filter_map(|segment| Some(Segment { span: cut(segment.span), value: value(segment.value)? }))
        .collect()
}

/// The cause of a time in a range or a wait in which no thread does anything: a short wait is the handing
/// over to another thread, which is dispatch.
fn open(own: &[Segment<Doing>], span: Span) -> Cause {
    let is_wait = within(own, span).first().is_some_and(|segment| segment.value == Doing::Waiting);
    if is_wait && span.len() < BETWEEN { Cause::LaunchBound } else { Cause::HostPython }
}

/// The cause of a time without a known activity: dispatch if the pause in the launching thread's segments
/// `own` is short, else not attributable.
fn bare(own: &[Segment<Doing>], span: Span) -> Cause {
    let before = own.partition_point(|segment| segment.span.end <= span.start);
    let from = before.checked_sub(1).map_or(Ns::MIN, |at| own[at].span.end);
    let to = own.get(before).map_or(Ns::MAX, |segment| segment.span.start);
    if to.saturating_sub(from) < BETWEEN { Cause::LaunchBound } else { Cause::NotAttributable }
}

/// The times of at least `least` ns within `gaps` in which a thread of the worker was in a wait for a device
/// that began before `until` (ns), sorted and disjoint. `gaps` must be sorted.
pub(super) fn unrecorded(
    gaps: &[Span],
    threads: &Threads,
    worker: WorkerId,
    least: Ns,
    until: Ns,
) -> Vec<Span> {
    let mut found = Vec::new();
    for &thread in threads.of_worker(worker) {
        for wait in &threads.all[thread].timeline.waits {
            if wait.span.len() < least || wait.span.start >= until {
                continue;
            }
            let from = gaps.partition_point(|gap| gap.end <= wait.span.start);
            for gap in gaps[from..].iter().take_while(|gap| gap.start < wait.span.end) {
                let bare = Span { start: gap.start.max(wait.span.start), end: gap.end.min(wait.span.end) };
                if bare.len() >= least {
                    found.push(bare);
                }
            }
        }
    }
    bridged(found, 1)
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;
    use crate::analysis::ledger::Ledger;

    /// The idle time of each cause, µs, between two kernels with these correlation numbers at 0 and 9,000 µs
    /// of 1,000 µs each, beside the calls: name, number, start and length, µs. A thread of its own looks
    /// whether events are over.
    fn causes(numbers: [u32; 2], calls: &[(&str, u32, u32, u32)]) -> Vec<(&'static str, Ns)> {
        let kernel = |start: u32, number: u32| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{start},"dur":1000,"args":{{"correlation":{number}}}}}"#
            )
        };
        let call = |&(name, number, start, dur): &(&str, u32, u32, u32)| {
            let tid = if name == "cudaEventQuery" { 2 } else { 1 };
            format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"{name}","pid":1,"tid":{tid},"ts":{start},"dur":{dur},"args":{{"correlation":{number}}}}}"#
            )
        };
        let kernels = [kernel(100, numbers[0]), kernel(9_100, numbers[1])];
        let text = kernels.into_iter().chain(calls.iter().map(call)).collect::<Vec<_>>().join(",");
        let text = format!("[{text}]");
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let from_work = Span { start: 100_000, ..loaded.trace.main_span };
        let sums = Ledger::of(&loaded.trace).devices[0].sums(from_work);
        Cause::ALL
            .iter()
            .map(|&cause| (cause.id(), sums.of(cause).ns / 1_000))
            .filter(|&(_, us)| us > 0)
            .collect()
    }

    #[test]
    fn kernels_of_one_launch_are_of_a_graph_only_with_proof() {
        assert_eq!(causes([1, 1], &[("cudaGraphLaunch", 1, 0, 50)]), [("graph", 8_000)]);
        assert_eq!(causes([1, 1], &[("cudaLaunchKernel", 1, 0, 50)]), [("within_call", 8_000)]);
        assert_eq!(causes([1, 1], &[]), [("within_call", 8_000)], "the launch is not known");
    }

    #[test]
    fn a_thread_that_looks_whether_events_are_over_is_no_reason() {
        let mut calls = vec![("cudaLaunchKernel", 1, 0, 50), ("cudaLaunchKernel", 2, 9_000, 50)];
        calls.extend((0..90).map(|at| ("cudaEventQuery", 100 + at, at * 100, 5)));
        let found = causes([1, 2], &calls);
        assert!(found.contains(&("not_attributable", 7_950)), "{found:?}");
    }

    #[test]
    fn a_long_launch_of_a_kernel_loads_it() {
        let of =
            |name: &str, dur: u32| causes([1, 2], &[("cudaLaunchKernel", 1, 0, 50), (name, 2, 2_000, dur)]);
        let long = of("cudaLaunchKernel", 7_000);
        assert!(long.contains(&("compile", 7_000)), "{long:?}");
        let short = of("cudaLaunchKernel", 900);
        assert!(!short.iter().any(|(cause, _)| *cause == "compile"), "{short:?}");
        let graph = of("cudaGraphLaunch", 7_000);
        assert!(graph.contains(&("launch_bound", 7_000)), "{graph:?}");
    }
}
