//! The view of ranges: the device work that a range's own thread launched in it, by hand-written traces.

use proftui_base::time::Span;
use proftui_insight::analysis::{Scope, Table, TableRow, Value, View};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::Trace;

fn x(cat: &str, name: &str, pid: &str, tid: &str, span: (u32, u32), args: &str) -> String {
    let (ts, dur) = (span.0, span.1 - span.0);
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts}.000,"dur":{dur},"args":{{{args}}}}}"#
    )
}

/// A call at `at` (µs) and its kernel of this name, 50 µs later, of 10 µs.
fn launch(tid: &str, number: u32, at: u32, kernel: &str) -> [String; 2] {
    let args = format!(r#""correlation":{number}"#);
    [
        x("cuda_runtime", "cudaLaunchKernel", "1", tid, (at, at + 2), &args),
        x("kernel", kernel, "0", "7", (at + 50, at + 60), &args),
    ]
}

fn trace(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn ranges(trace: &Trace, scope: &Scope) -> Table {
    View::named("userdefined").expect("a view").table(trace, scope)
}

/// Name, calls, device time (µs) and device share (%) of each row, its children behind it.
fn cells(table: &Table) -> Vec<(String, u64, i64, i64)> {
    let at = ["calls", "device", "device_share"].map(|id| table.column(id).expect("a column"));
    let row = |row: &TableRow| {
        let (Value::Text(name), Value::Count(calls)) = (&row.cells[0], &row.cells[at[0]]) else {
            panic!("a row")
        };
        let device = if let Value::Duration(ns) = row.cells[at[1]] { ns / 1000 } else { -1 };
        (name.to_string(), *calls, device, (row.cells[at[2]].ratio_or_zero() * 100.0).round() as i64)
    };
    table.rows.iter().flat_map(|of| std::iter::once(row(of)).chain(of.children.iter().map(row))).collect()
}

fn wanted(rows: &[(&str, u64, i64, i64)]) -> Vec<(String, u64, i64, i64)> {
    rows.iter().map(|&(name, calls, device, share)| (name.to_owned(), calls, device, share)).collect()
}

fn nested() -> Trace {
    let mut events = vec![
        x("user_annotation", "train", "1", "1", (0, 100), ""),
        x("user_annotation", "train", "1", "1", (10, 40), ""),
        x("user_annotation", "loss", "1", "1", (20, 30), ""),
        x("cpu_op", "aten::mm", "1", "1", (21, 29), ""),
    ];
    events.extend(launch("1", 1, 22, "gemm"));
    events.extend(launch("1", 2, 50, "add"));
    events.extend(launch("1", 3, 120, "gemm"));
    // Another thread, in the time of the range.
    events.extend(launch("2", 4, 80, "backward"));
    trace(&events)
}

#[test]
fn work_counts_once_for_each_name_of_ranges_around_its_launch() {
    let want = wanted(&[
        ("train", 2, 20, 50),
        ("add", 1, 10, 25),
        ("gemm", 1, 10, 25),
        ("loss", 1, 10, 25),
        ("gemm", 1, 10, 25),
    ]);
    assert_eq!(cells(&ranges(&nested(), &Scope::default())), want);
}

#[test]
fn work_that_runs_after_the_range_belongs_to_its_part() {
    let trace = nested();
    // The kernels run from 72, 100, 130 and 170 µs on, the ranges until 100 µs.
    let scope = Scope { span: Some(Span { start: 105_000, end: 140_000 }), lanes: None };
    assert_eq!(cells(&ranges(&trace, &scope)), wanted(&[("train", 0, 5, 33), ("add", 0, 5, 33)]));
    let before = Scope { span: Some(Span { start: 0, end: 75_000 }), lanes: None };
    let device: Vec<i64> = cells(&ranges(&trace, &before)).iter().map(|row| row.2).collect();
    assert_eq!(device, [3, 3, 3, 3], "train and loss, each with its kernel");
}

#[test]
fn ranges_of_the_python_layer_have_the_work_of_their_thread() {
    let range = |name, tid, span| x("PythonUserDefined", name, "1", tid, span, "");
    let mut events = vec![
        range("outer", r#""1(Python)""#, (0, 60)),
        range("inner", r#""1(Python)""#, (20, 40)),
        range("other thread", r#""2(Python)""#, (0, 200)),
        x("Operator", "matmul", "1", r#""1(C++)""#, (18, 36), ""),
    ];
    events.extend(launch(r#""1(C++)""#, 1, 10, "a"));
    events.extend(launch(r#""1(C++)""#, 2, 30, "b"));
    events.extend(launch(r#""1(C++)""#, 3, 60, "c"));
    let want = wanted(&[
        ("other thread", 1, 0, 0),
        ("outer", 1, 20, 67),
        ("a", 1, 10, 33),
        ("b", 1, 10, 33),
        ("inner", 1, 10, 33),
        ("b", 1, 10, 33),
    ]);
    assert_eq!(cells(&ranges(&trace(&events), &Scope::default())), want);
}

#[test]
fn a_trace_without_device_work_has_no_device_time() {
    let trace = trace(&[x("user_annotation", "train", "1", "1", (0, 100), "")]);
    let table = ranges(&trace, &Scope::default());
    assert_eq!((cells(&table), table.notes.len()), (wanted(&[("train", 1, -1, 0)]), 0));
}

#[test]
fn ranges_of_the_same_names_have_the_same_work_in_any_order() {
    let range = |name, span| x("user_annotation", name, "1", "1", span, "");
    let python = |name, span| x("python_function", name, "1", "1", span, "");
    let mut events = vec![
        range("a", (0, 20)),
        range("b", (1, 19)),
        range("a", (2, 18)),
        range("b", (20, 40)),
        range("a", (21, 39)),
        range("c", (21, 29)),
        python("f", (0, 40)),
    ];
    for (number, at) in (1..).zip([4, 8, 22, 32]) {
        events.extend(launch("1", number, at, if at == 8 { "other" } else { "gemm" }));
    }
    let table = ranges(&trace(&events), &Scope::default());
    let work = [("gemm", 3, 30, 75), ("other", 1, 10, 25)];
    let want = [
        [&[("a", 3, 40, 100)][..], &work].concat(),
        [&[("b", 2, 40, 100)][..], &work].concat(),
        vec![("c", 1, 10, 25), ("gemm", 1, 10, 25)],
    ];
    assert_eq!(cells(&table), wanted(&want.concat()));
    assert_eq!(table.rows[0].children, table.rows[1].children);
}

#[test]
fn ranges_of_the_python_layer_begin_and_end_between_launches() {
    let range = |name, span| x("PythonUserDefined", name, "1", r#""1(Python)""#, span, "");
    let mut events = vec![range("outer", (0, 90)), range("inner", (10, 20)), range("inner", (20, 30))];
    // Not in order of time: a stream's work is, its launches need not be.
    for (number, at) in (1..).zip([19, 20, 29, 30, 5, 90, 10, 89]) {
        events.extend(launch(r#""1(C++)""#, number, at, "k"));
    }
    let rows = cells(&ranges(&trace(&events), &Scope::default()));
    let device: Vec<(&str, u64)> = rows.chunks(2).map(|pair| (pair[0].0.as_str(), pair[1].1)).collect();
    assert_eq!(device, [("outer", 7), ("inner", 4)]);
}
