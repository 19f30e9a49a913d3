//! Tests of the tables for small traces.

use crate::analysis::{Scope, Table, TableRow, Value};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::Trace;

use super::{Options, summaries};

/// A trace in Kineto's dialect: host events of thread 1 with times in µs, and launches of kernels on device
/// 0.
fn trace(events: &str) -> Trace {
    let text = format!("{{\"schemaVersion\":1,\"traceEvents\":[{events}]}}");
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn host(cat: &str, name: &str, start: u64, end: u64) -> String {
    let dur = end - start;
    format!(
        "{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":9,\"tid\":1,\"ts\":{start}.000,\"dur\":{dur}}}"
    )
}

fn launch(correlation: u64, at: u64, name: &str, start: u64, end: u64) -> String {
    let dur = end - start;
    format!(
        r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":{at}.000,"dur":1,"args":{{"correlation":{correlation}}}}},
        {{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"correlation":{correlation}}}}}"#
    )
}

fn tables(trace: &Trace, options: Options) -> Vec<Table> {
    summaries(trace, &Scope::default(), options, |_| true)
}

fn view<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|table| table.view == name).unwrap_or_else(|| panic!("no {name}"))
}

fn row<'a>(rows: &'a [TableRow], name: &str) -> &'a TableRow {
    rows.iter().find(|row| row.cells[0] == Value::text(name)).unwrap_or_else(|| panic!("no {name}"))
}

fn sample() -> Trace {
    trace(
        &[
            host("user_annotation", "ProfilerStep#1", 0, 100),
            host("cpu_op", "outer", 10, 60),
            host("cpu_op", "inner", 20, 40),
            launch(1, 25, "gemm", 70, 170),
            launch(2, 45, "ncclAllReduce", 150, 190),
            host("user_annotation", "my memcpy", 65, 75),
        ]
        .join(","),
    )
}

#[test]
fn launches_count_for_all_around_them() {
    let trace = sample();
    let tables = tables(&trace, Options::default());
    let operators = &view(&tables, "operator").rows[0].children;
    let total = |row: &TableRow| row.cells[7].clone();
    assert_eq!(total(row(operators, "inner")), Value::Duration(100_000));
    assert_eq!(total(row(operators, "outer")), Value::Duration(140_000), "its own and what is nested");
    assert_eq!(row(operators, "outer").children.len(), 1, "device work, but no operators");
    assert_eq!(row(&view(&tables, "kernel").rows, "gemm").cells[6], Value::Ratio(100.0 / 140.0));
    assert_eq!(view(&tables, "memcpy").rows.len(), 1);
}

#[test]
fn time_that_is_shared_counts_once() {
    let trace = sample();
    let tables = tables(&trace, Options::default());
    let overview = &view(&tables, "overview").rows;
    assert_eq!(row(overview, "Kernel").cells[3..], [Value::Duration(120_000), Value::Ratio(1.2)]);
    assert_eq!(row(overview, "Operator").cells[2..4], [Value::Count(2), Value::Duration(50_000)]);
    let distributed = &view(&tables, "distributed").rows;
    assert_eq!(row(distributed, "Communication").cells[1], Value::Duration(40_000));
    assert_eq!(row(distributed, "Overlap").cells[1], Value::Duration(20_000));
}

#[test]
fn a_trace_without_steps_has_tables_too() {
    let trace = trace(&host("cpu_op", "alone", 0, 10));
    let tables = tables(&trace, Options::default());
    assert!(view(&tables, "device").notes.iter().any(|note| note.contains("no steps (ProfileStep)")));
    let cells = &view(&tables, "overview").rows[0].cells;
    assert_eq!(cells[3..], [Value::Duration(10_000), Value::Empty]);
    assert!(summaries(&Trace::default(), &Scope::default(), Options::default(), |_| true).len() >= 2);
}

#[test]
fn several_ranks_have_a_note_on_what_is_summed() {
    let mut trace = sample();
    let noted = |trace: &Trace| {
        let tables = tables(trace, Options::default());
        tables.iter().filter(|table| table.notes.iter().any(|note| note.starts_with("These are"))).count()
    };
    assert_eq!(noted(&trace), 0);
    trace.meta.workers = ["rank 0", "rank 1"].map(str::to_owned).into_iter().collect();
    assert_eq!(noted(&trace), tables(&trace, Options::default()).len());
}

#[test]
fn deep_nesting_is_only_long() {
    let events: Vec<String> = (0..5000).map(|i| host("cpu_op", "deep", i, 20_000 - i)).collect();
    let trace = trace(&events.join(","));
    let tables = tables(&trace, Options { by_thread: true, ..Options::default() });
    assert_eq!(view(&tables, "operator").rows[0].children[0].cells[1], Value::Count(5000));
}

#[test]
fn a_scope_has_the_events_that_start_in_it() {
    let trace = sample();
    let scope = Scope { span: Some(proftui_base::time::Span { start: 15_000, end: 50_000 }), lanes: None };
    let tables = summaries(&trace, &scope, Options::default(), |view| view == "operator");
    let names: Vec<_> = tables[0].rows[0].children.iter().map(|row| row.cells[0].clone()).collect();
    assert_eq!(names, [Value::text("inner")]);
}
