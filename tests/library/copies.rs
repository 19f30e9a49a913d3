//! The view of copies: the time of the calls that launched them, bytes and rates, by hand-written traces.

#![expect(clippy::float_cmp, reason = "the numbers are small and exact")]

use proftui_base::time::Span;
use proftui_insight::analysis::{Scope, Table, TableRow, Value, View};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::{LaneId, Trace};

fn x(cat: &str, name: &str, pid: u32, tid: u32, span: (u32, u32), args: &str) -> String {
    let (ts, dur) = (span.0, span.1 - span.0);
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts}.000,"dur":{dur},"args":{{{args}}}}}"#
    )
}

fn trace(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn copies(trace: &Trace, scope: &Scope) -> Table {
    View::named("memcpy").expect("a view").table(trace, scope)
}

/// Name, calls, device time (µs), host time (µs), bytes and rate of each row, its children behind it; -1 for
/// an empty cell.
fn cells(table: &Table) -> Vec<(String, [f64; 5])> {
    let ids = ["calls", "total", "host", "bytes", "rate"].map(|id| table.column(id).expect("a column"));
    let number = |value: &Value| match value {
        Value::Count(n) => *n as f64,
        Value::Duration(ns) => *ns as f64 / 1000.0,
        Value::Bytes(n) => *n as f64,
        Value::Rate(n) => *n,
        _ => -1.0,
    };
    let row = |row: &TableRow| {
        let Value::Text(name) = &row.cells[0] else { panic!("a name") };
        (name.to_string(), ids.map(|at| number(&row.cells[at])))
    };
    table.rows.iter().flat_map(|of| std::iter::once(row(of)).chain(of.children.iter().map(row))).collect()
}

fn wanted(rows: &[(&str, [f64; 5])]) -> Vec<(String, [f64; 5])> {
    rows.iter().map(|&(name, cells)| (name.to_owned(), cells)).collect()
}

/// An operator with a waiting copy of 4000 bytes, and a memset outside of operators whose bytes are not
/// stated.
fn two() -> Trace {
    trace(&[
        x("cpu_op", "aten::item", 1, 1, (0, 100), ""),
        x("cuda_runtime", "cudaMemcpy", 1, 1, (10, 90), r#""correlation":1"#),
        x("gpu_memcpy", "Memcpy DtoH", 0, 7, (40, 80), r#""correlation":1,"bytes":4000"#),
        x("cuda_runtime", "cudaMemsetAsync", 1, 1, (110, 115), r#""correlation":2"#),
        x("gpu_memset", "Memset", 0, 7, (120, 130), r#""correlation":2"#),
    ])
}

#[test]
fn copies_have_the_time_of_their_calls_bytes_and_rate() {
    let table = copies(&two(), &Scope::default());
    let want = wanted(&[
        ("Memcpy DtoH", [1.0, 40.0, 80.0, 4000.0, 0.1]),
        ("aten::item", [1.0, 40.0, 80.0, 4000.0, 0.1]),
        ("Memset", [1.0, 10.0, 5.0, -1.0, -1.0]),
        ("(no operator): launches without an operator", [1.0, 10.0, 5.0, -1.0, -1.0]),
    ]);
    assert_eq!(cells(&table), want);
    assert_eq!(
        table.notes[0],
        "All 2 copies and memsets: 85.00 µs in calls of the host, 50.00 µs on devices."
    );
}

#[test]
fn adjacent_parts_add_up() {
    let trace = two();
    let part = |start, end| Scope { span: Some(Span { start, end }), lanes: None };
    let of_copy =
        |scope: &Scope| cells(&copies(&trace, scope)).into_iter().find(|row| row.0 == "Memcpy DtoH");
    // The call before its copy; half of both; after both.
    assert_eq!(of_copy(&part(0, 30_000)).expect("a row").1, [0.0, 0.0, 20.0, -1.0, -1.0]);
    assert_eq!(of_copy(&part(30_000, 50_000)).expect("a row").1, [1.0, 10.0, 20.0, 1000.0, 0.1]);
    assert_eq!(of_copy(&part(90_000, 130_000)), None);
    for at in (1_000..130_000).step_by(777) {
        let sums =
            [part(0, at), part(at, 130_000)].map(|scope| of_copy(&scope).map_or([0.0; 5], |row| row.1));
        let sum = |column: usize| sums[0][column].max(0.0) + sums[1][column].max(0.0);
        let close = |column, want: f64| assert!((sum(column) - want).abs() < 1e-6, "{at}: {sums:?}");
        [(0, 1.0), (1, 40.0), (2, 80.0), (3, 4000.0)]
            .into_iter()
            .for_each(|(column, want)| close(column, want));
    }
}

#[test]
fn a_call_that_launches_several_pieces_is_divided_evenly() {
    let mut events = vec![x("cuda_runtime", "cudaGraphLaunch", 1, 1, (0, 40), r#""correlation":5"#)];
    events.extend((0..2).map(|at| {
        let args = format!(r#""correlation":5,"bytes":{}"#, 100 * (at + 1));
        x("gpu_memcpy", &format!("copy {at}"), 0, 7, (50 + 20 * at, 60 + 20 * at), &args)
    }));
    events
        .extend((0..2).map(|at| x("kernel", "k", 0, 8, (50 + 20 * at, 60 + 20 * at), r#""correlation":5"#)));
    let host: Vec<f64> =
        cells(&copies(&trace(&events), &Scope::default())).iter().map(|row| row.1[2]).collect();
    assert_eq!(host, [10.0; 4], "two copies of four pieces, each with its owner");
    // 7 ns among three pieces: nothing is lost.
    let short =
        |start: u32| Scope { span: Some(Span { start: start.into(), end: (start + 7).into() }), lanes: None };
    let mut three = events[..3].to_vec();
    three.push(x("gpu_memcpy", "copy 2", 0, 7, (90, 95), r#""correlation":5"#));
    let trace = trace(&three);
    for start in 0..30 {
        let sum: f64 = cells(&copies(&trace, &short(start))).iter().map(|row| row.1[2]).sum();
        assert!((sum - 0.014).abs() < 1e-9, "{start}: {sum}, of rows and of owners");
    }
}

#[test]
fn a_call_inside_a_call_is_part_of_it() {
    let trace = trace(&[
        x("cuda_runtime", "cudaMemcpyAsync", 1, 1, (0, 20), ""),
        x("cuda_driver", "cuMemcpyHtoDAsync", 1, 1, (5, 9), r#""correlation":3"#),
        x("gpu_memcpy", "c", 0, 7, (30, 31), r#""correlation":3"#),
    ]);
    assert_eq!(cells(&copies(&trace, &Scope::default()))[0].1[2], 20.0);
}

#[test]
fn paddles_events_around_calls_are_the_price() {
    let trace = trace(&[
        x("Operator", "select_input", 1, 1, (0, 100), ""),
        x("UserDefined", "GpuMemcpySync:GPU->CPU", 1, 1, (10, 60), ""),
        x("CudaRuntime", "cudaMemcpyAsync", 1, 1, (12, 20), r#""correlation id":4"#),
        x("CudaRuntime", "cudaStreamSynchronize", 1, 1, (21, 59), ""),
        x("Memcpy", "MEMCPY_DtoH", 0, 7, (25, 27), r#""correlation id":4,"bytes":8"#),
        // The copy of this one was not recorded.
        x("UserDefined", "GpuMemcpyAsync:CPU->GPU", 1, 1, (70, 75), ""),
        x("UserDefined", "GpuMemcpyAsync:CPU->GPU", 1, 1, (71, 74), ""),
    ]);
    let want = wanted(&[
        ("MEMCPY_DtoH", [1.0, 2.0, 50.0, 8.0, 0.004]),
        ("select_input", [1.0, 2.0, 50.0, 8.0, 0.004]),
        ("GpuMemcpyAsync:CPU->GPU", [0.0, 0.0, 5.0, -1.0, -1.0]),
        ("select_input", [0.0, 0.0, 5.0, -1.0, -1.0]),
    ]);
    assert_eq!(cells(&copies(&trace, &Scope::default())), want);
}

/// An event of a profile of Paddle's old profiler.
fn fluid(path: &str, span: (u64, u64), (device, thread): (i64, u64), bytes: Option<u64>) -> Vec<u8> {
    fn number(mut value: u64, out: &mut Vec<u8>) {
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }
    let mut event = vec![0x0a, path.len() as u8];
    event.extend(path.as_bytes());
    for (tag, value) in [(0x10, span.0), (0x18, span.1), (0x28, device.cast_unsigned()), (0x30, thread)] {
        event.push(tag);
        number(value, &mut event);
    }
    if let Some(bytes) = bytes {
        let mut copy = vec![0x08];
        number(bytes, &mut copy);
        event.extend([0x3a, copy.len() as u8]);
        event.extend(copy);
    }
    event.extend([0x40, u8::from(device >= 0)]);
    let mut out = vec![0x0a];
    number(event.len() as u64, &mut out);
    out.extend(event);
    out
}

/// Copies of the old profiler have the names of the host's events that launched them, and no correlation
/// numbers.
#[test]
fn copies_of_the_old_profiler_belong_to_the_events_of_their_names() {
    let host = |path: &str, span| fluid(path, span, (-1, 9), None);
    let device = |path: &str, span| fluid(path, span, (0, 7), Some(8));
    let (get, same) = ("GpuMemcpyAsync:GPU->CPU", "GpuMemcpyAsync(same_gpu):GPU->GPU");
    let (block_get, assign_same) = (format!("conditional_block/{get}"), format!("assign/{same}"));
    let events = [
        host("conditional_block", (1_000, 101_000)),
        host(&block_get, (2_000, 32_000)),
        host("assign", (40_000, 80_000)),
        host(&assign_same, (45_000, 68_000)),
        host("fetch", (110_000, 150_000)),
        host(&format!("fetch/{get}"), (112_000, 140_000)),
        device(&block_get, (31_000, 33_000)),
        device(&assign_same, (70_000, 71_000)),
        device(&format!("fetch/{get}"), (135_000, 138_000)),
    ];
    let loaded = load_bytes(&events.concat(), &Request::default(), &Progress::default()).expect("a profile");
    let want = wanted(&[
        (get, [2.0, 5.0, 58.0, 16.0, 0.0032]),
        ("fetch", [1.0, 3.0, 28.0, 8.0, 8.0 / 3000.0]),
        ("conditional_block", [1.0, 2.0, 30.0, 8.0, 0.004]),
        (same, [1.0, 1.0, 23.0, 8.0, 0.008]),
        ("assign", [1.0, 1.0, 23.0, 8.0, 0.008]),
    ]);
    assert_eq!(cells(&copies(&loaded.trace, &Scope::default())), want);
    // Without the last copy there are two events and one copy: none is known to belong to another.
    let cut =
        load_bytes(&events[..8].concat(), &Request::default(), &Progress::default()).expect("a profile");
    let rows = cells(&copies(&cut.trace, &Scope::default()));
    assert_eq!(rows[0], (get.to_owned(), [1.0, 2.0, 58.0, 8.0, 0.004]));
    assert_eq!(
        rows.iter().filter(|row| row.1[0] == 1.0 && row.1[2] == -1.0).count(),
        1,
        "no launch known: {rows:?}"
    );
}

#[test]
fn the_guides_case_of_control_flow_has_its_figures() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces");
    let of = |when: &str| {
        let path = path.join(format!("guide-control-flow-{when}.paddle_trace.json.gz"));
        let trace =
            proftui_trace::import::load(&Request::new([path]), &Progress::default()).expect("a trace").trace;
        let table = copies(&trace, &Scope::default());
        let at = ["calls", "total", "host"].map(|id| table.column(id).expect("a column"));
        let sum = |column: usize| -> i64 {
            let number = |value: &Value| match value {
                Value::Count(n) => *n as i64,
                Value::Duration(ns) => *ns,
                _ => 0,
            };
            table.rows.iter().map(|row| number(&row.cells[at[column]])).sum()
        };
        // The traces have whole nanoseconds of each of some hundred copies: up to 0.2 µs below the sums of
        // the tables per row.
        [sum(0), (sum(1) as f64 / 1e4).round() as i64, (sum(2) as f64 / 1e4).round() as i64]
    };
    // Copies, and the sums of the guide's columns of time in 10 µs: device, host.
    assert_eq!((of("before"), of("after")), ([1200, 214, 3039], [600, 95, 1433]));
}

#[test]
fn lanes_of_one_side_keep_the_copies_of_the_other() {
    let trace = two();
    let is_stream = |lane: LaneId| trace.lanes[lane].kind == proftui_trace::model::LaneKind::Stream;
    for scope in [Scope::of_lanes(&trace, is_stream), Scope::of_lanes(&trace, |lane| !is_stream(lane))] {
        assert_eq!(cells(&copies(&trace, &scope)), cells(&copies(&trace, &Scope::default())));
    }
}
