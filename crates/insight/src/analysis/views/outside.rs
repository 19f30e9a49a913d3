//! The time of a program that is in no step: start-up and teardown, which summaries of time leave out, and
//! validation.
//!
//! Must not know tables.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Outside, OutsideKind, Trace};

use crate::analysis::part::phase::worker;
use crate::analysis::part::scope::Scope;

/// Limits a scope to the time between start-up and teardown of its workers, as far as known; a scope limited
/// in time stays as it is.
pub fn without_start_up(trace: &Trace, scope: &Scope) -> Scope {
    Scope { span: between(trace, scope).or(scope.span), lanes: scope.lanes.clone() }
}

/// The note on what [`without_start_up`] leaves out; `None` if it leaves nothing out.
pub fn note(trace: &Trace, scope: &Scope) -> Option<String> {
    let (before, after) = left_out(trace, scope)?;
    let of = [("start-up", before), ("teardown", after)].into_iter().filter(|(_, time)| *time > 0);
    let texts: Vec<String> = of.map(|(what, time)| format!("{what} {}", fmt::duration(time))).collect();
    Some(format!(
        "Left out, since no step is in it: {}. To include all, pass --range 0s: (in the explorer, zoom \
         out and choose the time range on the screen with key b).",
        texts.join(", ")
    ))
}

/// How much time [`without_start_up`] leaves out before and after what it keeps, ns; `None` where it leaves
/// nothing out.
pub(crate) fn left_out(trace: &Trace, scope: &Scope) -> Option<(Ns, Ns)> {
    let (kept, whole) = (between(trace, scope)?, scope.extent(trace));
    Some((kept.start.saturating_sub(whole.start), whole.end.saturating_sub(kept.end)))
}

/// The validation passes of the scope's workers, whether or not they lie in the scope's time.
pub(crate) fn validations<'a>(
    trace: &'a Trace,
    scope: &Scope,
) -> impl Iterator<Item = &'a Outside> + use<'a> {
    of_kind(trace, scope, OutsideKind::Validation)
}

/// The ranges of this kind of the scope's workers, whether or not they lie in the scope's time.
pub(crate) fn of_kind<'a>(
    trace: &'a Trace,
    scope: &Scope,
    kind: OutsideKind,
) -> impl Iterator<Item = &'a Outside> + use<'a> {
    let workers = if trace.outside.is_empty() { Vec::new() } else { scope.workers(trace) };
    let is_wanted =
        move |outside: &&Outside| outside.kind == kind && workers.binary_search(&outside.worker).is_ok();
    trace.outside.iter().filter(is_wanted)
}

/// The time that [`without_start_up`] keeps; `None` if it leaves nothing out.
fn between(trace: &Trace, scope: &Scope) -> Option<Span> {
    if scope.span.is_some() || trace.outside.is_empty() {
        return None;
    }
    let whole = scope.extent(trace);
    let OfWorkers(of_workers) = trace.kept.get(|| OfWorkers(of_workers(trace)));
    let workers = scope.workers(trace);
    let kept = workers.iter().filter_map(|&worker| of_workers.get(worker.index()));
    let kept = kept.filter(|worker| worker.steps.is_some()).map(|worker| Span {
        start: worker.start.unwrap_or(whole.start),
        end: worker.end.unwrap_or(whole.end),
    });
    let kept = kept.reduce(Span::union)?;
    let kept = Span { start: kept.start.max(whole.start), end: kept.end.min(whole.end) };
    (kept != whole && !kept.is_empty()).then_some(kept)
}

/// What bounds the time of a worker between its start-up and its teardown.
#[derive(Clone, Copy, Default)]
struct Worker {
    /// The time from the beginning of the worker's first step to the end of its last one; `None` without
    /// steps.
    steps: Option<Span>,
    /// The end of the worker's start-up, at the latest the beginning of its first step, ns; `None` if
    /// unknown.
    start: Option<Ns>,
    /// The beginning of the worker's teardown, but not before its steps, its validation passes and the device
    /// work launched before its last step ended are over, ns; `None` if unknown.
    end: Option<Ns>,
}

/// What bounds the time between start-up and teardown of each worker of a trace, by the worker's index.
struct OfWorkers(Vec<Worker>);

/// Finds what bounds the time between start-up and teardown of each worker, by the worker's index.
fn of_workers(trace: &Trace) -> Vec<Worker> {
    let mut workers = vec![Worker::default(); trace.meta.workers.len().max(1)];
    for step in &trace.steps {
        let Some(worker) = workers.get_mut(step.worker.index()) else { continue };
        worker.steps = Some(worker.steps.map_or(step.span, |steps| steps.union(step.span)));
    }
    for Outside { kind, worker, span, .. } in &trace.outside {
        let Some(worker) = workers.get_mut(worker.index()) else { continue };
        let Some(steps) = worker.steps else { continue };
        match kind {
            OutsideKind::StartUp if span.start <= steps.start => {
                let end = span.end.min(steps.start);
                worker.start = Some(worker.start.map_or(end, |start| start.max(end)));
            }
            OutsideKind::Teardown if span.end >= steps.end => {
                let start = span.start.max(steps.end);
                worker.end = Some(worker.end.map_or(start, |end| end.min(start)));
            }
            _ => {}
        }
    }
    let validations = trace.outside.iter().filter(|outside| outside.kind == OutsideKind::Validation);
    for pass in validations {
        let end = workers.get_mut(pass.worker.index()).and_then(|worker| worker.end.as_mut());
        end.into_iter().for_each(|end| *end = pass.span.end.max(*end));
    }
    add_late_work(trace, &mut workers);
    workers
}

/// Makes the `end` of each worker no earlier than the end of the device work that it launched before its last
/// step ended.
fn add_late_work(trace: &Trace, workers: &mut [Worker]) {
    let Some(earliest) = workers.iter().filter_map(|worker| worker.end).min() else { return };
    let slices = &trace.slices;
    for &(launch, work) in trace.links.all() {
        let end_of_work = slices.end(work);
        if end_of_work <= earliest {
            continue;
        }
        let worker = workers.get_mut(worker(trace, trace.lane_of(launch)).index());
        if let Some(Worker { steps: Some(steps), end: Some(end), .. }) = worker
            && slices.start[launch] < steps.end
        {
            *end = end_of_work.max(*end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::views::phase_matrix::matrix;
    use crate::analysis::{Table, Value, View};
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::OutsideKind::{StartUp, Teardown, Validation};

    /// A trace of events given as name, start and length in µs.
    fn trace(events: &[(&str, i64, i64)]) -> Trace {
        let event = |(name, ts, dur): &(&str, i64, i64)| {
            let cat = if name.starts_with("ProfileStep") { "ProfileStep" } else { "PythonUserDefined" };
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":"1(Python)","ts":{ts},"dur":{dur}}}"#
            )
        };
        let text = format!("[{}]", events.iter().map(event).collect::<Vec<_>>().join(","));
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
    }

    fn kept(trace: &Trace) -> Option<(Ns, Ns)> {
        let span = without_start_up(trace, &Scope::default()).span?;
        Some((span.start / 1000, span.end / 1000))
    }

    #[test]
    fn what_is_before_and_after_the_steps_is_left_out() {
        let (up, down) = ((StartUp.name(), 0, 100), (Teardown.name(), 150, 60));
        let steps = [("ProfileStep#0", 100, 20), ("ProfileStep#1", 120, 30)];
        let all = trace(&[up, steps[0], steps[1], down]);
        assert_eq!(kept(&all), Some((100, 150)));
        let note = note(&all, &Scope::default()).expect("a note");
        assert!(note.contains("start-up 100.0 µs, teardown 60.00 µs."), "{note}");

        // A validation pass after the last step is kept, and so is what is before the first step without a
        // mark.
        let validation = (Validation.name(), 155, 30);
        assert_eq!(kept(&trace(&[steps[0], steps[1], down, validation])), Some((100, 185)));
        assert_eq!(kept(&trace(&[("before", 0, 50), steps[0], steps[1], down])), Some((0, 150)));
        let twice = trace(&[up, steps[0], validation, down]);
        assert_eq!(validations(&twice, &Scope::default()).count(), 1);
    }

    #[test]
    fn device_work_of_the_last_step_is_kept() {
        let event = |cat: &str, name: &str, tid: &str, ts: i64, dur: i64, correlation: u32| {
            let args = format!(r#"{{"correlation":{correlation}}}"#);
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":"{tid}","ts":{ts},"dur":{dur},"args":{args}}}"#
            )
        };
        let events = [
            event("user_annotation", "ProfilerStep#0", "1", 0, 20, 0),
            event("cuda_runtime", "cudaLaunchKernel", "1", 10, 5, 7),
            event("kernel", "late", "stream 7", 15, 30, 7),
            event("user_annotation", Teardown.name(), "1", 20, 100, 0),
            event("cuda_runtime", "cudaLaunchKernel", "1", 60, 5, 8),
            event("kernel", "of teardown", "stream 7", 65, 30, 8),
        ];
        let text = format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(","));
        let trace =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
        assert_eq!(trace.links.len(), 2);
        assert_eq!(kept(&trace), Some((0, 45)));
    }

    #[test]
    fn without_steps_or_marks_nothing_is_left_out() {
        let up = (StartUp.name(), 0, 100);
        assert_eq!(kept(&trace(&[up, ("work", 100, 50)])), None);
        assert_eq!(kept(&trace(&[("ProfileStep#0", 0, 20), ("after", 20, 50)])), None);
        // A part of the trace that was asked for is taken as it is.
        let all = trace(&[up, ("ProfileStep#0", 100, 20)]);
        let asked = Scope { span: Some(Span { start: 0, end: 110_000 }), lanes: None };
        assert_eq!(without_start_up(&all, &asked), asked);
        assert_eq!(note(&all, &asked), None);
    }

    #[test]
    fn views_of_time_leave_it_out_and_say_so() {
        let events = [
            (StartUp.name(), 0, 1000),
            ("ProfileStep#0", 1000, 20),
            (Validation.name(), 1020, 60),
            ("ProfileStep#1", 1080, 20),
            (Teardown.name(), 1100, 500),
        ];
        let trace = trace(&events);
        let table = |name: &str| View::named(name).expect("a view").table(&trace, &Scope::default());
        let text = |cell: &Value| match cell {
            Value::Text(text) => text.to_string(),
            Value::Count(n) => n.to_string(),
            Value::Duration(ns) => format!("{} us", ns / 1000),
            Value::Ratio(share) => format!("{:.1}%", share * 100.0),
            other => format!("{other:?}"),
        };
        let cells =
            |table: &Table, row: usize| -> Vec<String> { table.rows[row].cells.iter().map(text).collect() };
        let overview = table("overview");
        let rows: Vec<Vec<String>> = (0..overview.rows.len()).map(|row| cells(&overview, row)).collect();
        assert_eq!(rows[0][..5], ["PythonUserDefined", "1", "60 us", "60 us", "60.0%"]);
        assert_eq!(rows[1][..5], ["ProfileStep", "2", "40 us", "40 us", "40.0%"]);
        let note = overview.notes.last().expect("a note");
        assert!(note.contains("start-up 1.000 ms, teardown 500.0 µs"), "{note}");

        let model = table("model");
        let last = cells(&model, model.rows.len() - 1);
        assert_eq!(last[..6], ["Validation", "1", "60 us", "Empty", "Empty", "Empty"]);
        assert!(
            model.notes.iter().any(|note| note.starts_with("Validation is in no step")),
            "{:?}",
            model.notes
        );
        let matrix = matrix(&trace, &without_start_up(&trace, &Scope::default()));
        let at = matrix.column("validation").expect("a column");
        let of_category: Vec<Vec<String>> = (0..2).map(|row| cells(&matrix, row)).collect();
        assert_eq!(of_category[1][0], "PythonUserDefined");
        assert_eq!(of_category[1][at..], ["60 us", "60 us"], "a part of what is outside of the steps");
        let scope = |name: &str| View::named(name).expect("a view").scope(&trace, &Scope::default());
        assert!(scope("memory").is_all() && scope("allocations").is_all() && !scope("names").is_all());

        // Asked for, it is there.
        let all = Scope { span: Some(trace.main_span), lanes: None };
        let asked = View::named("overview").expect("a view").table(&trace, &all);
        assert_eq!(asked.rows[0].cells[2], Value::Duration(1_560_000));
        assert!(!asked.notes.iter().any(|note| note.contains("start-up")), "{:?}", asked.notes);
    }
}
