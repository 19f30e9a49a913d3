//! Recordings of one process that overlap in time: each event counts once, as the last recording has it.

use proftui_trace::model::{Category, SliceId, Trace, Warning};

use super::{load_files, spans};

/// A recording of proftui with these events of process 77.
fn recording(events: &[&str]) -> String {
    format!(
        r#"{{"schemaVersion":"1.0.2","displayTimeUnit":"ms","ExtraInfo":{{"proftui.version":"0.1.0"}},"traceEvents":[{}]}}"#,
        events.join(",")
    )
}

fn step(number: u64) -> String {
    let start = 1_700_000_000_000_000 + 10 * number;
    format!(
        r#"{{"ph":"X","cat":"ProfileStep","name":"ProfileStep#{number}","pid":77,"tid":"77","ts":{start},"dur":10}}"#
    )
}

fn slice(name: &str, start: u64, length: u64) -> String {
    let start = 1_700_000_000_000_000 + start;
    format!(
        r#"{{"ph":"X","cat":"Operator","name":"{name}","pid":77,"tid":"77","ts":{start},"dur":{length}}}"#
    )
}

/// A recording of these steps, with what `more` lists.
fn steps(numbers: std::ops::Range<u64>, more: &[String]) -> String {
    let all: Vec<String> = numbers.map(step).chain(more.iter().cloned()).collect();
    recording(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn numbers(trace: &Trace) -> Vec<u64> {
    trace.steps.iter().map(|step| step.number).collect()
}

#[test]
fn steps_of_overlapping_recordings_count_once() {
    let (dump, later, end) = (steps(0..6, &[]), steps(3..9, &[]), steps(7..12, &[]));
    let trace = load_files(&[("a.json", &dump), ("b.json", &later), ("c.json", &end)]);
    assert_eq!(numbers(&trace), (0..12).collect::<Vec<_>>());
    let repeated = trace
        .quality
        .entries()
        .find(|(warning, _)| *warning == Warning::Repeated)
        .map(|(_, entry)| entry.count);
    assert_eq!(repeated, Some(5), "steps 3 to 5 of the first, 7 and 8 of the second");
    assert_eq!(trace.quality.damage(), 0);
}

#[test]
fn of_a_recording_within_another_nothing_is_left() {
    let (whole, part) = (steps(0..9, &[slice("mm", 1, 2)]), steps(3..5, &[]));
    for files in [[("a.json", &whole), ("b.json", &part)], [("a.json", &part), ("b.json", &whole)]] {
        let trace = load_files(&files.map(|(name, text)| (name, text.as_str())));
        assert_eq!(numbers(&trace), (0..9).collect::<Vec<_>>());
        assert_eq!(trace.slices.len(), 10);
    }
}

#[test]
fn a_slice_is_cut_where_the_later_recording_goes_on_with_it() {
    let (dump, end) = (steps(0..6, &[slice("long", 0, 60)]), steps(3..9, &[slice("long", 30, 50)]));
    let trace = load_files(&[("a.json", &dump), ("b.json", &end)]);
    let long: Vec<(i64, i64)> = spans(&trace)
        .into_iter()
        .filter(|(name, ..)| name == "long")
        .map(|(_, start, length)| (start, length))
        .collect();
    let zero = trace.main_span.start;
    assert_eq!(long, [(zero, 30_000), (zero + 30_000, 50_000)]);
    let is_step = |id: SliceId| trace.slices.category(id) == Category::ProfileStep;
    assert!(
        trace.slices.ids().iter().filter(|&id| is_step(id)).all(|id| trace.slices.span(id).len() == 10_000)
    );
}

#[test]
fn files_that_others_recorded_stay_whole() {
    let of_others = |text: &str| text.replace("proftui.version", "other.version");
    let (dump, later) = (of_others(&steps(0..6, &[])), of_others(&steps(3..9, &[])));
    let trace = load_files(&[("a.json", &dump), ("b.json", &later)]);
    assert_eq!(trace.slices.len(), 12);
}
