//! Tables of calls of small traces, row by row.

use super::*;
use proftui_base::time::Span;
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::{LaneId, LaneKind};

/// An event of a thread in process 1; times in µs.
fn on(tid: u32, cat: &str, name: &str, ts: i64, dur: i64) -> String {
    format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
}

fn call(name: &str, ts: i64, dur: i64) -> String {
    on(1, "cuda_runtime", name, ts, dur)
}

fn operator(name: &str, ts: i64, dur: i64) -> String {
    on(1, "cpu_op", name, ts, dur)
}

fn function(name: &str, ts: i64, dur: i64) -> String {
    on(1, "python_function", name, ts, dur)
}

fn trace(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn table(events: &[String]) -> Table {
    calls(&trace(events), &Scope::default())
}

/// The texts of these cells of the rows and of the rows below them, which are indented.
fn shown(rows: &[TableRow], cells: &[usize], depth: usize, into: &mut Vec<String>) {
    for row in rows {
        let text = |at: &usize| match &row.cells[*at] {
            Value::Text(text) => text.to_string(),
            Value::Count(n) => n.to_string(),
            Value::Duration(ns) => format!("{} us", ns / 1000),
            Value::Ratio(share) => format!("{:.1}%", share * 100.0),
            other => format!("{other:?}"),
        };
        let texts: Vec<String> = cells.iter().map(text).collect();
        into.push(format!("{}{}", "> ".repeat(depth), texts.join(" | ")));
        shown(&row.children, cells, depth + 1, into);
    }
}

fn rows(table: &Table, columns: &[&str]) -> Vec<String> {
    let cells: Vec<usize> = columns.iter().map(|id| table.column(id).expect("a column")).collect();
    let mut found = Vec::new();
    shown(&table.rows, &cells, 0, &mut found);
    found
}

#[test]
fn waits_come_first_then_calls_by_total() {
    let table = table(&[
        call("cudaLaunchKernel", 0, 50),
        call("cudaMemcpy", 50, 10),
        call("cudaStreamSynchronize", 60, 20),
        call("cudaMalloc", 80, 20),
        on(1, "cuda_driver", "cuLaunchKernel", 100, 60),
        operator("aten::mm", 160, 40),
    ]);
    let want = [
        "cudaStreamSynchronize | yes | 1 | 20 us | 10.0%",
        "> (no operator) | Empty | 1 | 20 us | 10.0%",
        "cudaMemcpy | yes | 1 | 10 us | 5.0%",
        "> (no operator) | Empty | 1 | 10 us | 5.0%",
        "cuLaunchKernel | no | 1 | 60 us | 30.0%",
        "> (no operator) | Empty | 1 | 60 us | 30.0%",
        "cudaLaunchKernel | no | 1 | 50 us | 25.0%",
        "> (no operator) | Empty | 1 | 50 us | 25.0%",
        "cudaMalloc | no | 1 | 20 us | 10.0%",
        "> (no operator) | Empty | 1 | 20 us | 10.0%",
    ];
    assert_eq!(rows(&table, &["name", "waits", "calls", "total", "share"]), want);
    assert_eq!(table.charts.len(), 1);
}

#[test]
fn a_call_in_a_call_has_a_row_but_no_share() {
    let table = table(&[
        call("cudaStreamSynchronize", 0, 50),
        on(1, "cuda_driver", "cuStreamSynchronize", 10, 30),
        on(1, "cuda_driver", "cuStreamSynchronize", 20, 10),
        on(1, "cuda_driver", "cuStreamSynchronize", 60, 10),
        operator("aten::mm", 0, 100),
    ]);
    let names: Vec<String> = rows(&table, &["name", "calls", "total", "share"]);
    let want = [
        "cudaStreamSynchronize | 1 | 50 us | 50.0%",
        "> aten::mm | 1 | 50 us | 50.0%",
        "cuStreamSynchronize | 3 | 40 us | 10.0%",
        "> aten::mm | 3 | 40 us | 10.0%",
    ];
    assert_eq!(names, want);
    let note = table.notes.iter().find(|note| note.starts_with("The longest waits")).expect("a note");
    assert!(note.contains("cudaStreamSynchronize 50.00 µs at 0 ns in aten::mm;"), "{note}");
    assert!(note.contains("cuStreamSynchronize 10.00 µs at 60.00 µs in aten::mm."), "{note}");
    assert_eq!(note.matches("uStreamSynchronize").count(), 1, "waits in waits are left out: {note}");
}

#[test]
fn calls_of_threads_at_the_same_time_share_it() {
    let table = table(&[
        call("cudaStreamSynchronize", 0, 60),
        on(2, "cuda_runtime", "cudaStreamSynchronize", 20, 60),
        operator("aten::mm", 0, 100),
        on(2, "cpu_op", "aten::to", 0, 100),
    ]);
    let want = [
        "cudaStreamSynchronize | 2 | 120 us | 80.0%",
        "> aten::mm | 1 | 60 us | 60.0%",
        "> aten::to | 1 | 60 us | 60.0%",
    ];
    assert_eq!(rows(&table, &["name", "calls", "total", "share"]), want);
}

#[test]
fn the_innermost_operator_makes_a_call_then_the_innermost_range() {
    let table = table(&[
        on(1, "user_annotation", "ProfilerStep#1", 0, 100),
        on(1, "user_annotation", "validate", 0, 50),
        operator("aten::to", 0, 20),
        operator("aten::copy_", 1, 18),
        on(1, "user_annotation", "in an operator", 2, 10),
        call("cudaStreamSynchronize", 3, 4),
        call("cudaStreamSynchronize", 30, 3),
        call("cudaStreamSynchronize", 60, 2),
        // Paddle's phases are on the lane of the thread's Python layer.
        on(1, "Forward", "Forward", 70, 10),
        call("cudaStreamSynchronize", 71, 1),
    ]);
    let want = [
        "cudaStreamSynchronize | 4 | 10 us",
        "> aten::copy_ | 1 | 4 us",
        "> validate | 1 | 3 us",
        "> (no operator) | 1 | 2 us",
        "> Forward | 1 | 1 us",
    ];
    assert_eq!(rows(&table, &["name", "calls", "total"]), want);
}

#[test]
fn the_innermost_line_of_the_program_makes_a_call() {
    let functions = [
        function("train.py(92): <module>", 0, 100),
        function("train.py(55): train", 0, 50),
        function("torch/_tensor.py(8): item", 0, 20),
        function("<built-in method item of Tensor object at 0x7f>", 1, 18),
        function("torch/cuda/__init__.py(7): synchronize", 110, 10),
    ];
    let events = [
        operator("aten::item", 1, 18),
        call("cudaStreamSynchronize", 3, 9),
        call("cudaStreamSynchronize", 60, 8),
        call("cudaStreamSynchronize", 112, 7),
        call("cudaStreamSynchronize", 130, 6),
        // Another thread has no functions.
        on(2, "cuda_runtime", "cudaStreamSynchronize", 5, 5),
        operator("aten::add", 140, 10),
        call("cudaLaunchKernel", 141, 5),
    ];
    let table = table(&functions.into_iter().chain(events).collect::<Vec<_>>());
    let want = [
        "cudaStreamSynchronize | 35 us",
        "> (no operator) | 26 us",
        "> > (no line) | 11 us",
        "> > train.py(92): <module> | 8 us",
        "> > torch/cuda/__init__.py(7): synchronize | 7 us",
        "> aten::item | 9 us",
        "> > train.py(55): train | 9 us",
        "cudaLaunchKernel | 5 us",
        "> aten::add | 5 us",
    ];
    assert_eq!(rows(&table, &["name", "total"]), want);
    assert!(!table.notes.iter().any(|note| note.contains("with_stack")), "{:?}", table.notes);
}

#[test]
fn without_functions_the_notes_say_how_to_record_lines() {
    let trace = trace(&[call("cudaStreamSynchronize", 0, 5)]);
    let table = with_stacks(&trace, &Scope::default(), &StackLines::default());
    assert!(table.notes.iter().any(|note| note.contains("with_stack=True")), "{:?}", table.notes);
    assert!(
        table.notes[0]
            .starts_with("The longest wait: cudaStreamSynchronize 5.000 µs at 0 ns in (no operator).")
    );
}

#[test]
fn a_part_has_the_time_within_it_and_counts_what_begins() {
    let trace = trace(&[call("cudaStreamSynchronize", 0, 60), call("cudaStreamSynchronize", 80, 40)]);
    let scope = Scope { span: Some(Span { start: 40_000, end: 100_000 }), lanes: None };
    let table = calls(&trace, &scope);
    let want = "cudaStreamSynchronize | 1 | 40 us | 66.7%";
    assert_eq!(rows(&table, &["name", "calls", "total", "share"])[0], want);
}

#[test]
fn a_trace_without_calls_has_no_rows_and_no_notes() {
    let table = table(&[operator("aten::mm", 0, 5)]);
    assert!(table.rows.is_empty() && table.notes.is_empty() && table.charts.is_empty());
}

#[test]
fn bytes_are_those_of_the_copies_that_calls_launch() {
    let linked = |cat: &str, name: &str, tid: u32, ts: i64, correlation: u32, more: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":5,"args":{{"correlation":{correlation}{more}}}}}"#
        )
    };
    let table = table(&[
        linked("cuda_runtime", "cudaMemcpyAsync", 1, 0, 1, ""),
        linked("cuda_runtime", "cudaMemcpyAsync", 1, 10, 2, ""),
        linked("cuda_runtime", "cudaLaunchKernel", 1, 20, 3, ""),
        linked("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 10, 1, r#","bytes":100"#),
        linked("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 20, 2, r#","bytes":28"#),
        linked("kernel", "gemm", 7, 30, 3, ""),
    ]);
    let at = table.column("bytes").expect("a column");
    let bytes: Vec<&Value> = table.rows.iter().map(|row| &row.cells[at]).collect();
    assert_eq!(bytes, [&Value::Bytes(128), &Value::Empty]);
    assert_eq!(table.rows[0].children[0].cells[at], Value::Bytes(128));
}

#[test]
fn asynchronous_copies_of_pageable_memory_wait_if_they_last_as_long() {
    let of = |copies: &[(&str, i64)]| {
        let events: Vec<String> = (0..)
            .zip(copies)
            .flat_map(|(at, (name, end))| {
                let (start, number) = (at * 100, at + 1);
                let event = |cat: &str, name: &str, tid: u32, start: i64, dur: i64| {
                    format!(
                        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{start},"dur":{dur},"args":{{"correlation":{number}}}}}"#
                    )
                };
                [event("cuda_runtime", "cudaMemcpyAsync", 1, start, *end), event("gpu_memcpy", name, 7, start + 2, 40)]
            })
            .collect();
        let table = table(&events);
        table.rows[0].cells[table.column("waits").expect("a column")].clone()
    };
    let (from, to) = ("Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)");
    assert_eq!(of(&[(from, 42), (from, 60)]), Value::text("yes"));
    assert_eq!(of(&[(from, 30), (from, 2)]), Value::text("1 of 2"));
    assert_eq!(of(&[(to, 60)]), Value::text("no"), "the memory is pinned");
}

#[test]
fn calls_of_all_depths_find_their_lines() {
    // Calls are summed up row by row, so time goes back between the rows: to before the deepest function
    // found so far.
    let table = table(&[
        function("train.py(1): <module>", 0, 100),
        function("train.py(2): early", 0, 20),
        function("train.py(3): late", 50, 20),
        function("train.py(4): deep", 51, 10),
        call("cudaStreamSynchronize", 52, 1),
        call("cudaStreamSynchronize", 90, 2),
        operator("aten::to", 5, 10),
        operator("aten::copy_", 6, 8),
        call("cudaStreamSynchronize", 7, 3),
        operator("aten::to", 54, 10),
        call("cudaStreamSynchronize", 55, 4),
    ]);
    let want = [
        "cudaStreamSynchronize | 10 us",
        "> aten::to | 4 us",
        "> > train.py(4): deep | 4 us",
        "> (no operator) | 3 us",
        "> > train.py(1): <module> | 2 us",
        "> > train.py(4): deep | 1 us",
        "> aten::copy_ | 3 us",
        "> > train.py(2): early | 3 us",
    ];
    assert_eq!(rows(&table, &["name", "total"]), want);
}

#[test]
fn without_functions_the_lines_are_those_of_operators_call_stacks() {
    let with_stack = |name: &str, ts: i64, dur: i64, stack: &str| {
        format!(
            r#"{{"ph":"X","cat":"Operator","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"args":{{"Call stack":"{stack}"}}}}"#
        )
    };
    let events = [
        with_stack(
            "aten::to",
            0,
            20,
            "torch/a.py(9): to;<built-in to>;train.py(44): step;train.py(92): <module>",
        ),
        operator("aten::copy_", 1, 18),
        call("cudaStreamSynchronize", 3, 9),
        with_stack("aten::item", 30, 10, "torch/a.py(9): item"),
        call("cudaStreamSynchronize", 31, 8),
        with_stack("aten::add", 50, 10, ""),
        call("cudaStreamSynchronize", 51, 7),
        call("cudaStreamSynchronize", 70, 6),
    ];
    let text = format!("[{}]", events.join(","));
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    let (trace, scope) = (&loaded.trace, Scope::default());
    let by_name = calls(trace, &scope);
    assert!(by_name.rows[0].children.iter().all(|row| row.children.is_empty()), "nothing was read");
    assert!(
        by_name.notes.iter().any(|note| note.contains("--view calls without other views")),
        "{:?}",
        by_name.notes
    );
    let stacks = StackLines::read(trace, &loaded.texts, &scope).expect("call stacks");
    let table = with_stacks(trace, &scope, &stacks);
    let want = [
        "cudaStreamSynchronize | 30 us",
        "> aten::copy_ | 9 us",
        "> > train.py(44): step | 9 us",
        "> aten::item | 8 us",
        "> > torch/a.py(9): item | 8 us",
        "> aten::add | 7 us",
        "> (no operator) | 6 us",
    ];
    assert_eq!(rows(&table, &["name", "total"]), want);
    assert!(table.notes[0].contains("in aten::copy_, train.py(44): step;"), "{:?}", table.notes);
}

#[test]
fn calls_that_a_lane_repeats_are_no_waits_of_their_own() {
    let mut trace = trace(&[
        on(1, "cuda_runtime", "cudaDeviceSynchronize", 0, 5),
        on(2, "cuda_runtime", "cudaMemcpy", 0, 9),
    ]);
    let note = |trace: &Trace| calls(trace, &Scope::default()).notes.concat();
    assert!(note(&trace).contains("The longest waits: cudaMemcpy 9.000 µs"), "{}", note(&trace));
    trace.lanes[LaneId::new(1)].kind = LaneKind::StreamRanges;
    assert!(note(&trace).contains("The longest wait: cudaDeviceSynchronize 5.000 µs"), "{}", note(&trace));
}
