//! The run of each worker: the recorded time that shares of a whole trace are of.
//!
//! With marked steps, the run is in each recorded time that from the start of the first step to the end of
//! the last (where both the host and devices mark a step, of both marks), or to the end of the device work
//! launched in steps, if that is later (of all work where no launch is known); without, all recorded time. A
//! chosen part of a trace has no run: its shares are of all its recorded time. What the recorder takes for
//! itself between steps is not recorded time. Must not know tables or causes.

use std::sync::Arc;

use rayon::prelude::*;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneKind, OutsideKind, SliceId, Step, Trace, WorkerId};

use super::per_worker;
use super::time::{union, within, without};

/// The recorded time of a worker, and what of it is the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The times in which the worker was recorded, sorted and disjoint.
    pub recorded: Vec<Span>,
    /// The run: parts of `recorded`, sorted and disjoint.
    pub run: Vec<Span>,
}

/// The run of each worker of a trace, by the index of the worker.
struct Runs(Vec<Arc<Run>>);

impl Run {
    /// The run of a worker, found when first asked for and kept with the trace.
    pub fn of(trace: &Trace, worker: WorkerId) -> Arc<Self> {
        let Runs(all) = trace.kept.get(|| {
            let workers: Vec<WorkerId> = trace.workers().iter().collect();
            Runs(workers.into_par_iter().map(|worker| Arc::new(Self::find(trace, worker))).collect())
        });
        all.get(worker.index()).cloned().unwrap_or_default()
    }

    fn find(trace: &Trace, worker: WorkerId) -> Self {
        let cycles = per_worker::cycles(trace, worker).iter().map(|cycle| cycle.span);
        let its_own = trace.outside.iter().filter(|outside| outside.kind == OutsideKind::Recorder);
        let its_own = its_own.filter(|outside| outside.worker == worker).map(|outside| outside.span);
        let recorded = without(&union(cycles.collect()), &union(its_own.collect()));
        // What is loaded of a trace is a chosen part; steps inferred from repeating launches are not marked.
        let is_whole = !trace.meta.is_cut && trace.meta.inferred.is_none();
        let steps: Vec<&Step> =
            if is_whole { per_worker::steps(trace, &[worker]).collect() } else { Vec::new() };
        if steps.is_empty() {
            return Self { run: recorded.clone(), recorded };
        }
        let run = recorded.iter().filter_map(|&time| {
            let inside =
                steps.iter().filter(|step| time.overlaps(step.span) || time.contains(step.span.start));
            // A step of XLA is as long as on its devices, which the host's mark of it begins before.
            let hull =
                inside.map(|step| step.span.union(trace.slices.span(step.slice))).reduce(Span::union)?;
            Some(Span { start: hull.start.max(time.start), end: hull.end.min(time.end) }).map(|hull| {
                let end = launched_in(trace, worker, hull, time).map_or(hull.end, |end| end.max(hull.end));
                Span { end: end.min(time.end), ..hull }
            })
        });
        Self { run: union(run.collect()), recorded }
    }

    /// What shares in the part `span` are of: the recorded time in it; if it has all of the run, that.
    pub fn within(&self, span: Span) -> Vec<Span> {
        let run = within(&self.run, span);
        if run == self.run { run } else { within(&self.recorded, span) }
    }
}

/// The end (ns) of the last device work of a worker that was launched in `span`; work without a known launch
/// counts if it begins there. Where no launch of the worker's work is known, all later work of the recorded
/// time counts: the host of a TPU is ahead of it by any number of steps. `None` if there is none.
fn launched_in(trace: &Trace, worker: WorkerId, span: Span, recorded: Span) -> Option<Ns> {
    let slices = &trace.slices;
    let groups = || trace.groups.iter().filter(|group| group.worker == worker);
    let lanes = || groups().flat_map(|group| group.lanes).map(|lane| &trace.lanes[lane]);
    let of_lanes = || lanes().filter(|lane| lane.kind == LaneKind::Stream).flat_map(|lane| lane.slices);
    let work = || of_lanes().filter(|&id| slices.category(id).is_device_work() && slices.dur[id] > 0);
    // Only work that ends after the steps can be later than they are.
    let mut late = work().filter(|&id| slices.end(id) > span.end).peekable();
    late.peek()?;
    let is_any_known = work().any(|id| trace.links.launch_of(id).is_some());
    let launched = Span { end: if is_any_known { span.end } else { recorded.end }, ..span };
    let is_inside = |id: SliceId| launched.contains(slices.start[trace.links.launch_of(id).unwrap_or(id)]);
    late.filter(|&id| is_inside(id)).map(|id| slices.end(id)).max()
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    fn run(events: &[&str]) -> Run {
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        Run::of(&loaded.trace, WorkerId::new(0)).as_ref().clone()
    }

    const STEP: &str =
        r#"{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":100,"dur":100}"#;
    const OPERATOR: &str = r#"{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":10,"dur":5}"#;
    const LATE: &str = r#"{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":500,"dur":5}"#;

    /// A launch at `at`, and its kernel at `start`, of 50 µs; µs.
    fn kernel(at: u32, start: u32) -> [String; 2] {
        let call = format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{at},"dur":5,"args":{{"correlation":{at}}}}}"#
        );
        let work = format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{start},"dur":50,"args":{{"device":0,"stream":7,"correlation":{at}}}}}"#
        );
        [call, work]
    }

    #[test]
    fn the_run_is_that_of_the_steps_and_the_work_launched_in_them() {
        let span = |start: Ns, end: Ns| Span { start: start * 1_000, end: end * 1_000 };
        assert_eq!(run(&[OPERATOR, LATE]).run, [span(10, 505)], "without steps all that was recorded");
        let stepped = run(&[OPERATOR, STEP, LATE]);
        assert_eq!(
            (stepped.run.as_slice(), stepped.recorded.as_slice()),
            (&[span(100, 200)][..], &[span(10, 505)][..])
        );
        let [inside, its] = kernel(190, 300);
        let [after, other] = kernel(210, 400);
        let with_work = run(&[OPERATOR, STEP, LATE, &inside, &its, &after, &other]);
        assert_eq!(with_work.run, [span(100, 350)], "work launched after the steps does not count");
        let without_calls = run(&[OPERATOR, STEP, LATE, &its, &other]);
        assert_eq!(without_calls.run, [span(100, 450)], "of unknown launches all may be of the steps");
        assert_eq!(with_work.within(span(0, 150)), [span(10, 150)], "a part is its own whole");
        assert_eq!(with_work.within(span(20, 400)), with_work.run, "but not if it has all of the run");
    }

    #[test]
    fn what_the_recorder_takes_for_itself_is_in_no_run() {
        let event = |cat: &str, name: &str, ts: u32, dur: u32| {
            format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
        };
        let events = [
            event("user_annotation", "ProfilerStep#3", 100, 100),
            event("user_annotation", OutsideKind::Recorder.name(), 210, 50),
            event("user_annotation", "ProfilerStep#4", 260, 100),
            event("cpu_op", "a", 400, 10),
        ];
        let found = run(&events.iter().map(String::as_str).collect::<Vec<_>>());
        let span = |start: Ns, end: Ns| Span { start: start * 1_000, end: end * 1_000 };
        assert_eq!(found.run, [span(100, 200), span(260, 360)], "between the steps and it nothing counts");
        assert_eq!(found.recorded, [span(100, 210), span(260, 410)]);
    }

    #[test]
    fn the_run_begins_with_the_hosts_mark_of_a_step_that_devices_have_too() {
        let name = |what: &str, pid: u32, tid: u32, name: &str| {
            format!(r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":"{name}"}}}}"#)
        };
        let event = |pid: u32, tid: u32, (start, dur): (u32, u32), name: &str, args: &str| {
            format!(
                r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":{start},"dur":{dur},"name":"{name}","args":{{{args}}}}}"#
            )
        };
        let events = [
            name("process_name", 701, 0, "/host:CPU"),
            name("process_name", 1, 0, "/device:GPU:0"),
            name("thread_name", 1, 3, "Stream #14(MemcpyH2D)"),
            name("thread_name", 1, 4, "Steps"),
            event(701, 11, (100, 900), "train", r#""step_num":"0""#),
            event(1, 3, (250, 20), "MemcpyH2D", ""),
            event(1, 4, (300, 500), "0", ""),
            event(701, 11, (1_500, 10), "other", ""),
        ];
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        assert_eq!(run(&events).run, [Span { start: 100_000, end: 1_000_000 }]);
    }
}
