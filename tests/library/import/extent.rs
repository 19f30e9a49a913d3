//! The length of a trace: what counts as time, what is left out, and what a load of a part of it has.

use proftui_base::time::Span;
use proftui_insight::analysis::{Scope, Table, TableRow, Value, View};
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::Trace;

use crate::scratch::Scratch;

const SLICE: &str = r#"{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":20}"#;

fn of_events(events: &[&str]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn length(events: &[&str]) -> (i64, i64) {
    let span = of_events(events).main_span;
    (span.start, span.end)
}

fn of_device(trace: &Trace, view: &str, ids: &[&str]) -> Vec<Value> {
    let table: Table = View::named(view).expect("a view").table(trace, &Scope::default());
    let row: &TableRow = table.rows.first().expect("a row");
    ids.iter().map(|id| row.cells[table.column(id).expect("a column")].clone()).collect()
}

#[test]
fn marks_and_the_profilers_own_span_are_no_time_of_a_trace() {
    let whole = (10_000, 30_000);
    let left_out = [
        r#"{"ph":"i","name":"Record Window End","pid":"","tid":"","ts":99,"s":"g"}"#,
        r#"{"ph":"C","name":"memory","pid":9,"ts":99,"args":{"value":1}}"#,
        r#"{"ph":"X","cat":"cpu_op","name":"empty","pid":9,"tid":9,"ts":99,"dur":0}"#,
        r#"{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":1,"dur":98}"#,
    ];
    for event in left_out {
        assert_eq!(length(&[SLICE, event]), whole, "{event}");
    }
    let trace = of_events(&[SLICE, left_out[0]]);
    assert_eq!(trace.span, Span { start: 10_000, end: 99_000 });
    assert!(trace.marks_title().is_some_and(|title| title.starts_with("69.00 µs after the last event")));
    assert_eq!(of_events(&[SLICE]).marks_title(), None);
}

#[test]
fn a_trace_of_marks_lasts_from_the_first_to_the_last() {
    let mark = |ts: u32| format!(r#"{{"ph":"i","name":"mark","pid":1,"tid":1,"ts":{ts},"s":"t"}}"#);
    assert_eq!(length(&[&mark(5), &mark(25)]), (5_000, 25_000));
}

#[test]
fn a_slice_without_end_lasts_to_the_last_begin_or_end() {
    let begin = r#"{"ph":"B","cat":"cpu_op","name":"open","pid":1,"tid":1,"ts":12}"#;
    let mark = r#"{"ph":"i","name":"mark","pid":1,"tid":1,"ts":500,"s":"t"}"#;
    assert_eq!(length(&[SLICE, begin, mark]), (10_000, 30_000));
    let last = r#"{"ph":"B","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":40}"#;
    assert_eq!(length(&[SLICE, begin, last, mark]), (10_000, 40_000));
}

#[test]
fn a_part_that_is_loaded_is_cut_at_its_bounds() {
    let folder = Scratch::new("extent");
    let later = r#"{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":50,"dur":20}"#;
    let path = folder.file("a.json", format!("[{SLICE},{later}]"));
    let ask =
        |from: i64, to: i64| Request { from: Some(from), to: Some(to), ..Request::new([path.as_str()]) };
    // Times count from the first slice: 5 µs to 45 µs are 15 µs to 55 µs in the file.
    let trace = load(&ask(5_000, 45_000), &Progress::default()).expect("a trace").trace;
    assert_eq!(trace.main_span, Span { start: 15_000, end: 55_000 });
    let found = of_device(&trace, "device", &["busy_all", "idle", "kernels"]);
    assert_eq!(found, [Value::Duration(20_000), Value::Duration(20_000), Value::Count(1)]);
    let found = of_device(&trace, "busy", &["between", "edges"]);
    assert_eq!(found, [Value::Duration(20_000), Value::Duration(0)]);
}

#[test]
fn time_between_recorded_cycles_is_not_idle() {
    let folder = Scratch::new("cycles");
    let cycle = |name: &str, ts: u32| {
        let event =
            format!(r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{ts},"dur":10}}"#);
        let next =
            format!(r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":10}}"#, ts + 15);
        folder.file(name, format!(r#"{{"distributedInfo":{{"rank":0}},"traceEvents":[{event},{next}]}}"#));
    };
    cycle("a.json", 0);
    cycle("b.json", 1_000);
    let trace = load(&Request::new([folder.path("")]), &Progress::default()).expect("a trace").trace;
    assert_eq!(trace.cycles.len(), 2);
    let found = of_device(&trace, "busy", &["part", "idle", "between", "edges"]);
    assert_eq!(found, [50_000, 10_000, 10_000, 0].map(Value::Duration));
}

#[test]
fn a_hole_of_one_nanosecond_is_idle_time_and_no_gap() {
    let work = |ts: &str, dur: &str| {
        format!(r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{ts},"dur":{dur}}}"#)
    };
    let trace = of_events(&[&work("0", "1"), &work("1.001", "1"), &work("3", "1")]);
    assert_eq!(of_device(&trace, "waits", &["gaps", "idle"]), [Value::Count(1), Value::Duration(1_000)]);
}

#[test]
fn a_range_of_several_files_has_the_time_of_those_in_it() {
    let folder = Scratch::new("range");
    let file = |name: &str, ts: u32| {
        let event =
            format!(r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{ts},"dur":10}}"#);
        folder.file(name, format!(r#"{{"distributedInfo":{{"rank":0}},"traceEvents":[{event}]}}"#));
    };
    file("a.json", 0);
    file("b.json", 1_000);
    let request = Request { to: Some(20_000), ..Request::new([folder.path("")]) };
    let trace = load(&request, &Progress::default()).expect("a trace").trace;
    assert_eq!(trace.main_span, Span { start: 0, end: 10_000 });
    let found = of_device(&trace, "busy", &["part", "idle"]);
    assert_eq!(found, [10_000, 0].map(Value::Duration));
}

#[test]
fn a_worker_without_a_cycle_in_the_part_adds_no_time() {
    let folder = Scratch::new("ranks");
    let file = |name: &str, rank: u32, ts: u32| {
        let event =
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"mm","pid":{rank},"tid":7,"ts":{ts},"dur":10}}"#);
        folder.file(name, format!(r#"{{"distributedInfo":{{"rank":{rank}}},"traceEvents":[{event}]}}"#));
    };
    file("a.json", 0, 0);
    file("b.json", 0, 100);
    file("c.json", 1, 0);
    let request = Request { cycle: Some(1), ..Request::new([folder.path("")]) };
    let trace = load(&request, &Progress::default()).expect("a trace").trace;
    let found = of_device(&trace, "overview", &["covered", "share"]);
    assert_eq!(found, [Value::Duration(10_000), Value::Ratio(1.0)]);
}
