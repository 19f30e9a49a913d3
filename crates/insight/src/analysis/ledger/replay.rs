//! A replay of the recorded launches without a cause: how long the run would have been.
//!
//! The host's calls come in their recorded order, with the recorded time between them; work begins after its
//! call and after the work before it on its stream; a wait of the host ends with the work that it waits for.
//! A cause is left out by taking its host time away. What the model does not explain is kept as it was, so
//! the replay of everything gives the recorded length, or nearly: where it does not, there is no answer. The
//! model is that of `TraceLens` and of the replays of ranks, for one rank. Must not know findings.

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, Trace, WorkerId};

use super::DeviceLedger;
use super::cause::Cause;
use super::segments::Segment;
use super::threads::Threads;
use super::timeline::Doing;
use crate::analysis::part::time::{length, union, within, without};
use crate::analysis::thresholds::{BETWEEN, REPLAY_ERROR, REPLAYED};

/// A piece of device work as it was recorded.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// When its call began, or, without a known call, when the work itself did, ns.
    call: Ns,
    /// The index of its stream.
    stream: usize,
    /// Its time on the device.
    span: Span,
}

/// What happens on the host, in order of time.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The work with this index in `Replay::works` is launched.
    Launch(usize),
    /// The host waits for the device in this time.
    Wait(Span),
}

impl Event {
    fn at(self, works: &[Work]) -> Ns {
        match self {
            Self::Launch(at) => works[at].call,
            Self::Wait(span) => span.start,
        }
    }
}

/// The launches and waits of a worker in its run.
#[derive(Debug)]
pub struct Replay {
    run: Span,
    works: Vec<Work>,
    events: Vec<Event>,
    streams: usize,
    /// The time from a call to its work on an idle stream, ns.
    latency: Ns,
    /// What the launching threads did, for the host time of causes.
    segments: Vec<Segment<Doing>>,
}

impl Replay {
    /// The replay of the work of `devices`, which must be of one worker, in its run; `None` if it cannot say
    /// anything: too much work, work without calls, or a replay of all that differs from the recording.
    pub fn of(trace: &Trace, devices: &[&DeviceLedger], run: Span) -> Option<Self> {
        let worker = devices.first()?.worker;
        let lanes: Vec<LaneId> = devices.iter().flat_map(|device| device.lanes.iter().copied()).collect();
        let slices = &trace.slices;
        let pieces: usize = lanes.iter().map(|&lane| trace.lanes[lane].slices.len()).sum();
        if pieces > REPLAYED {
            return None;
        }
        let mut works = Vec::new();
        let mut unknown = 0_usize;
        for (stream, &lane) in lanes.iter().enumerate() {
            for id in trace.lanes[lane].slices.iter().filter(|&id| slices.category(id).is_device_work()) {
                let span = slices.span(id);
                let launch = trace.links.launch_of(id);
                let call = launch.map_or(span.start, |launch| slices.start[launch]);
                if span.is_empty() || !run.contains(call) {
                    continue;
                }
                unknown += usize::from(launch.is_none());
                works.push(Work { call, stream, span });
            }
        }
        if works.is_empty() || unknown * 10 > works.len() {
            return None;
        }
        works.sort_by_key(|work| (work.call, work.span.start));
        let threads = Threads::of(trace);
        let segments = host(&threads, worker, run);
        let waits = segments.iter().filter(|segment| is_wait(segment.value)).map(|segment| segment.span);
        let mut events: Vec<Event> = (0..works.len()).map(Event::Launch).collect();
        events.extend(union(waits.collect()).into_iter().map(Event::Wait));
        events.sort_by_key(|event| (event.at(&works), matches!(event, Event::Wait(_))));
        let latency = latency(&works, lanes.len());
        let replay = Self { run, works, events, streams: lanes.len(), latency, segments };
        let (all, recorded) = (replay.length(None), run.len());
        let error = (all - recorded).abs() as f64 / recorded.max(1) as f64;
        (error <= REPLAY_ERROR).then_some(replay)
    }

    /// How much shorter the run would have been without the host's time of a cause, ns; `None` for a cause
    /// that is not of the host, or without which the host could do nothing.
    pub fn gain(&self, cause: Cause) -> Option<Ns> {
        let is_known = matches!(
            cause,
            Cause::DataLoading
                | Cause::HostPython
                | Cause::CpuOperator
                | Cause::Allocator
                | Cause::GarbageCollection
                | Cause::Compile
                | Cause::Checkpoint
                | Cause::BlockingSync
                | Cause::BlockingCopy
        );
        is_known.then(|| (self.length(None) - self.length(Some(cause))).max(0))
    }

    /// The length of the replayed run, ns; without the host time of a cause, if one is given.
    fn length(&self, without: Option<Cause>) -> Ns {
        let is_left_out =
            |segment: &&Segment<Doing>| without.is_some_and(|cause| is_of(segment.value, cause));
        let left_out = union(self.segments.iter().filter(is_left_out).map(|segment| segment.span).collect());
        let waits: Vec<Span> = self
            .events
            .iter()
            .filter_map(|event| if let Event::Wait(span) = event { Some(*span) } else { None })
            .collect();
        let taken = union(left_out.iter().chain(&waits).copied().collect());
        let before = |t: Ns| {
            let inside = within(&taken, Span { start: self.run.start, end: t.max(self.run.start) });
            length(&inside)
        };
        let mut sums: FxHashMap<Ns, Ns> = FxHashMap::default();
        let mut host_at = |t: Ns| *sums.entry(t).or_insert_with(|| t - self.run.start - before(t));
        // By how much the host is later or earlier than its own time alone, because it waited.
        let mut waited: Ns = 0;
        let (mut recorded, mut replayed) = (vec![Ns::MIN; self.streams], vec![Ns::MIN; self.streams]);
        // The latest end of work so far, as recorded and as replayed.
        let (mut last_recorded, mut last_replayed) = (self.run.start, 0);
        for &event in &self.events {
            match event {
                Event::Launch(at) => {
                    let work = &self.works[at];
                    let ready = (work.call.saturating_add(self.latency)).max(recorded[work.stream]);
                    // What the model does not explain stays, such as a wait for another stream.
                    let late = (work.span.start - ready).max(0);
                    let called = host_at(work.call) + waited;
                    let start = (called + self.latency).max(replayed[work.stream]) + late;
                    let start = start.max(0);
                    recorded[work.stream] = work.span.end;
                    replayed[work.stream] = start + work.span.len();
                    last_recorded = last_recorded.max(work.span.end);
                    last_replayed = last_replayed.max(replayed[work.stream]);
                }
                Event::Wait(span) => {
                    if without.is_some_and(|cause| left_out_wait(&self.segments, span, cause)) {
                        continue;
                    }
                    // How long the call took beyond the end of the work that it waited for.
                    let rest = span.end - last_recorded.clamp(span.start, span.end);
                    let now = host_at(span.start) + waited;
                    let awaited = if last_recorded > span.start { last_replayed } else { now };
                    let until = now.max(awaited) + rest;
                    waited += until - now;
                }
            }
        }
        (host_at(self.run.end) + waited).max(last_replayed)
    }
}

/// What the threads of a worker that launch work did in the run, in order of time.
fn host(threads: &Threads, worker: WorkerId, run: Span) -> Vec<Segment<Doing>> {
    let launching = threads.of_worker(worker).iter().map(|&at| &threads.all[at]);
    let own = launching.filter(|thread| thread.launches() > 0);
    let mut found: Vec<Segment<Doing>> = own
        .flat_map(|thread| &thread.timeline.segments)
        .filter(|segment| segment.span.start < run.end && segment.span.end > run.start)
        .map(|segment| {
            let span = Span { start: segment.span.start.max(run.start), end: segment.span.end.min(run.end) };
            Segment { span, value: segment.value }
        })
        .collect();
    // While a thread that launches waits for another one, what that one does holds it up.
    let is_waiting = |segment: &Segment<Doing>| matches!(segment.value, Doing::Waiting | Doing::Requests);
    let waiting =
        union(found.iter().filter(|segment| is_waiting(segment)).map(|segment| segment.span).collect());
    let others = threads.of_worker(worker).iter().map(|&at| &threads.all[at]);
    let others = others.filter(|thread| thread.launches() == 0).flat_map(|thread| &thread.timeline.segments);
    for segment in others.filter(|segment| !is_wait(segment.value)) {
        let value = segment.value;
        found.extend(within(&waiting, segment.span).into_iter().map(|span| Segment { span, value }));
    }
    // A wait in which no thread does anything is time of the script, as in the ledger.
    let active = found.iter().filter(|segment| !is_waiting(segment)).map(|segment| segment.span).collect();
    let idle = without(&waiting, &union(active)).into_iter().filter(|span| span.len() >= BETWEEN);
    found.extend(idle.map(|span| Segment { span, value: Doing::Range }));
    found.sort_by_key(|segment| (segment.span.start, segment.span.end));
    found
}

fn is_wait(doing: Doing) -> bool {
    matches!(doing, Doing::Named(Cause::BlockingSync | Cause::BlockingCopy))
}

/// True for host time that would not be without a cause. A thread that waits for another one stays as it is.
fn is_of(doing: Doing, cause: Cause) -> bool {
    match doing {
        Doing::Named(own) => own == cause,
        Doing::Python | Doing::Range => cause == Cause::HostPython,
        Doing::Refilling(_, is_script) => is_script && cause == Cause::HostPython,
        Doing::Dispatch | Doing::Waiting | Doing::Requests => false,
    }
}

/// True for a wait that would not be without a cause.
fn left_out_wait(segments: &[Segment<Doing>], wait: Span, cause: Cause) -> bool {
    let from = segments.partition_point(|segment| segment.span.start < wait.start);
    segments[from..]
        .iter()
        .take_while(|segment| segment.span.start < wait.end)
        .any(|segment| segment.value == Doing::Named(cause) && is_wait(segment.value))
}

/// The tenth percentile of the time from a call to its work where the stream was idle, ns; 0 if it never was.
fn latency(works: &[Work], streams: usize) -> Ns {
    let mut ends = vec![Ns::MIN; streams];
    let mut found: Vec<Ns> = Vec::new();
    for work in works {
        if ends[work.stream] <= work.call {
            found.push((work.span.start - work.call).max(0));
        }
        ends[work.stream] = ends[work.stream].max(work.span.end);
    }
    found.sort_unstable();
    found.get(found.len() / 10).copied().unwrap_or(0)
}
