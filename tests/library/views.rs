//! Every view of every trace, odd ones included: no panic, no row of the wrong width, the laws that sums
//! obey.

use std::path::PathBuf;

use proftui_base::time::Span;
use proftui_insight::analysis::part::device_time::{DeviceTime, overlap};
use proftui_insight::analysis::part::work;
use proftui_insight::analysis::table::chart::ChartKind;
use proftui_insight::analysis::views::gpu::{idle, kinds};
use proftui_insight::analysis::{Arguments, ColumnKind, Part, Scope, Table, TableRow, VIEWS, Value, View};
use proftui_insight::compat::fluid::{Options, State, report};
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::Trace;

fn of_text(text: &str) -> Trace {
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn demo(name: &str) -> Trace {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
    load(&Request::new([path]), &Progress::default()).expect("a trace").trace
}

fn view(name: &str, trace: &Trace) -> Table {
    View::named(name).expect("a view").table(trace, &Scope::default())
}

fn check(table: &Table) {
    fn rows(table: &Table, list: &[TableRow]) {
        for row in list {
            assert_eq!(row.cells.len(), table.columns.len(), "{}", table.view);
            rows(table, &row.children);
        }
    }
    rows(table, &table.rows);
    let look = proftui_insight::report::text::Look { width: Some(80), ..Default::default() };
    proftui_insight::report::text::render(table, look);
}

#[test]
fn odd_traces_have_every_view() {
    let device = |ts: &str, dur: &str| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"correlation":1}}}},
            {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{ts},"dur":0,"args":{{"correlation":1}}}}"#
        )
    };
    let late = "9223372036854775";
    let odd = [
        "[]".to_owned(),
        r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":0}]"#.into(),
        r#"[{"ph":"C","name":"c","pid":1,"ts":5,"args":{"v":1}}]"#.into(),
        format!("[{}]", device("5", "0")),
        format!("[{},{}]", device(&format!("-{late}"), "1"), device(late, "0")),
        format!("[{},{}]", device("0", late), device("1", late)),
        format!("[{}]", vec![device("0", late); 8].join(",")),
        r#"[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":5,"dur":0}]"#
            .into(),
    ];
    for text in &odd {
        let trace = of_text(text);
        for scope in [Scope::default(), Scope { span: Some(Span { start: 0, end: 0 }), lanes: None }] {
            VIEWS.iter().for_each(|view| check(&view.table(&trace, &scope)));
            for state in [State::Cpu, State::Gpu, State::All] {
                let options = Options { state, ..Options::default() };
                proftui_insight::compat::fluid::print::render(&report(&trace, &scope, options));
            }
        }
    }
}

#[test]
fn device_times_add_up() {
    let trace = demo("synthetic-gpu.json.gz");
    VIEWS.iter().for_each(|view| check(&view.table(&trace, &Scope::default())));
    let all = Scope::default();
    let part = Part::new(&trace, &all);
    for device in work::in_run(&part) {
        let time = DeviceTime::of(&device, part.run(device.worker));
        assert_eq!(time.part, time.busy + time.between + time.edges);
        assert_eq!(time.span, time.busy + time.between);
        let mut busy = 0;
        kinds::intervals(&device, |_, dur| busy += dur);
        assert_eq!(busy, time.busy, "kinds of work fill the busy time");
        let communication = overlap(&device);
        assert!(communication.shared <= communication.communication && communication.communication <= busy);
        for (_, work) in device.streams() {
            let idle: i64 = idle::gaps(&work, false).iter().map(|gap| gap.dur).sum();
            let end = work.iter().map(|work| work.span.end).max().expect("work");
            assert!(idle <= end - work[0].span.start);
        }
    }
}

#[test]
fn each_device_stands_for_itself() {
    let work = |device: u32, name: &str, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":{device},"tid":7,"ts":{ts},"dur":{dur}}}"#)
    };
    let trace = of_text(&format!(
        "[{},{},{},{}]",
        work(0, "gemm", 0, 10),
        work(0, "ncclDevKernel", 20, 10),
        work(1, "gemm", 0, 30),
        work(1, "other", 30, 10)
    ));
    let busy = view("busy", &trace);
    let time = |ns| Value::Duration(ns);
    let cell = |row: &TableRow, id| row.cells[busy.column(id).expect("a column")].clone();
    let times: Vec<_> = busy
        .rows
        .iter()
        .map(|row| ["part", "idle", "between", "edges", "span"].map(|id| cell(row, id)))
        .collect();
    assert_eq!(times[0], [40_000, 20_000, 10_000, 10_000, 30_000].map(time));
    assert_eq!(times[1], [40_000, 0, 0, 0, 40_000].map(time));
    let kinds = view("kinds", &trace);
    assert_eq!(kinds.rows[0].cells[..2], [Value::text("computation"), time(50_000)]);
    assert_eq!(kinds.rows[0].children.len(), 2);
    assert_eq!(kinds.rows[1].cells[1], time(10_000));
    assert_eq!(view("distributed", &trace).rows.len(), 1, "only one communicates");
    let idle = view("waits", &trace);
    assert_eq!(idle.rows[0].cells[2], time(20_000));
    assert!(view("launches", &trace).rows.is_empty());
}

/// The values of a row from a column on, as ns.
fn times(table: &Table, row: usize, from: &str, count: usize) -> Vec<i64> {
    let at = table.column(from).expect("a column");
    let time = |cell: &Value| if let Value::Duration(ns) = cell { *ns } else { -1 };
    table.rows[row].cells[at..at + count].iter().map(time).collect()
}

#[test]
fn the_phases_of_each_step_add_up_and_so_does_its_device() {
    for name in
        ["synthetic-gpu.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz"]
    {
        let trace = demo(name);
        let table = view("steps", &trace);
        assert_eq!(table.rows.len(), trace.steps.len());
        let mut phases = [0; 5];
        for (row, step) in trace.steps.iter().enumerate() {
            assert_eq!(table.rows[row].longest, Some(step.slice));
            let of = times(&table, row, "time", 6);
            assert_eq!(of[0], step.span.len());
            assert_eq!(of[1..].iter().sum::<i64>(), of[0], "{name}, row {row}: {of:?}");
            phases.iter_mut().zip(&of[1..]).for_each(|(sum, time)| *sum += time);
            let device = times(&table, row, "device_busy", 6);
            if name.contains("gpu") {
                assert_eq!(device[0] + device[1], of[0], "busy and idle");
                assert_eq!(device[2..].iter().sum::<i64>(), device[0], "kinds of work fill the busy time");
            } else {
                assert_eq!(device, [-1; 6], "no device, no number");
            }
        }
        let model = view("model", &trace);
        let total = |title: &str| model.rows.iter().find(|row| row.cells[0] == Value::text(title));
        for (title, sum) in ["Data loading", "Forward", "Backward", "Optimizer", "Other"].iter().zip(phases) {
            assert_eq!(total(title).map(|row| row.cells[2].clone()), Some(Value::Duration(sum)), "{title}");
        }
    }
}

#[test]
fn work_across_the_end_of_a_step_counts_in_both_as_far_as_it_lies_in_them() {
    let event = |cat: &str, name: &str, pid: u32, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":7,"ts":{ts},"dur":{dur}}}"#)
    };
    let trace = of_text(&format!(
        "[{},{},{},{},{}]",
        event("user_annotation", "ProfilerStep#1", 9, 0, 100),
        event("user_annotation", "ProfilerStep#2", 9, 100, 100),
        event("kernel", "gemm", 0, 50, 70),
        event("kernel", "ncclDevKernel_AllReduce", 1, 110, 30),
        event("gpu_memcpy", "Memcpy DtoH", 1, 180, 40),
    ));
    let table = view("steps", &trace);
    assert_eq!(times(&table, 0, "device_busy", 6), [50, 50, 50, 0, 0, 0].map(|us| us * 1000));
    assert_eq!(times(&table, 1, "device_busy", 6), [60, 40, 10, 10, 20, 20].map(|us| us * 1000));
    let second = Scope { span: Some(trace.steps[1].span), lanes: None };
    let part = View::named("steps").expect("a view").table(&trace, &second);
    assert_eq!(part.rows, table.rows[1..], "what began before the part counts in it");
}

#[test]
fn charts_show_what_their_tables_hold() {
    for name in
        ["synthetic-gpu.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz"]
    {
        check_charts(&demo(name));
    }
    let trace = demo("synthetic-gpu.json.gz");
    let charts = |name: &str| view(name, &trace).charts.len();
    let known =
        ["kernel", "operator", "memcpy", "userdefined", "memory", "steps", "model", "stages", "distributed"];
    assert_eq!(known.map(charts), [2, 3, 2, 2, 1, 2, 2, 2, 1]);
}

fn check_charts(trace: &Trace) {
    for view in VIEWS {
        let table = view.table(trace, &Scope::default());
        for chart in &table.charts {
            match &chart.kind {
                ChartKind::Shares { share, all, .. } => {
                    assert_eq!(table.columns[*share].kind, ColumnKind::Ratio);
                    assert!(*all > 0.0, "{}", chart.title);
                }
                ChartKind::Columns { parts, longest } => {
                    let sums = table
                        .rows
                        .iter()
                        .map(|row| parts.iter().map(|part| row.cells[part.0].duration_or_zero()).sum());
                    assert!(longest.is_none_or(|longest| sums.max() == Some(longest)), "{}", chart.title);
                }
                ChartKind::Segments { by_name, .. } => {
                    let total = chart.order.expect("an order");
                    for row in &table.rows {
                        let Value::Text(name) = &row.cells[0] else { panic!("no name") };
                        // Device work without an operator has no host time.
                        let segments = by_name.get(name.as_str()).map_or(&[][..], Vec::as_slice);
                        let segments: i64 = segments.iter().map(|segment| segment.time).sum();
                        assert_eq!(segments, row.cells[total].duration_or_zero(), "{name:?}");
                    }
                }
                ChartKind::Flame(flame) => assert!(!flame.frames.is_empty()),
                ChartKind::Whole(segments) => assert!(segments.iter().any(|segment| segment.time > 0)),
                ChartKind::Stacks(stacks) => assert!(stacks.iter().any(|stack| stack.time() > 0)),
                ChartKind::Curves(of) => {
                    let peak = table.column("peak").expect("a column");
                    for row in &table.rows {
                        let Value::Text(name) = &row.cells[0] else { panic!("no name") };
                        let in_use = &of[name.as_str()].series[0];
                        assert_eq!(Value::Bytes(in_use.peak.1), row.cells[peak]);
                    }
                }
            }
        }
    }
}

/// The lines of the only place's curve: title and peak.
fn curve(trace: &Trace, scope: &Scope) -> Vec<(&'static str, (i64, i64))> {
    let table = View::named("memory").expect("a view").table(trace, scope);
    let Some(ChartKind::Curves(of)) = table.charts.first().map(|chart| &chart.kind) else {
        panic!("no curve")
    };
    of.values().flat_map(|curve| &curve.series).map(|series| (series.title, series.peak)).collect()
}

#[test]
fn a_curve_of_a_part_begins_with_what_was_held() {
    let event = |ts: u32, bytes: i32, totals: &str| {
        format!(
            r#"{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts},"args":{{"Device Type":0,"Device Id":-1,"Addr":1,"Bytes":{bytes}{totals}}}}}"#
        )
    };
    let totals = |allocated: u32, reserved: u32| {
        format!(r#","Total Allocated":{allocated},"Total Reserved":{reserved}"#)
    };
    let [one, two, three] = [totals(100, 512), totals(40, 512), totals(70, 512)];
    let events = [event(10, 100, &one), event(20, -60, &two), event(30, 30, &three)].join(",");
    let trace = of_text(&format!("[{events}]"));
    let part = Scope { span: Some(Span { start: 15_000, end: 40_000 }), lanes: None };
    assert_eq!(curve(&trace, &Scope::default()), [("in use", (10_000, 100)), ("reserved", (10_000, 512))]);
    assert_eq!(curve(&trace, &part), [("in use", (15_000, 100)), ("reserved", (15_000, 512))]);
    let untold = [event(10, 100, ""), event(20, -60, ""), event(30, 90, "")].join(",");
    let trace = of_text(&format!("[{untold}]"));
    assert_eq!(curve(&trace, &Scope::default()), [("allocated minus freed", (30_000, 130))]);
}

#[test]
fn a_call_inside_a_call_of_its_name_is_part_of_it() {
    let event = |name: &str, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":9,"tid":7,"ts":{ts},"dur":{dur}}}"#)
    };
    // a( b( a( c ) ) ): within the outer a, its b; what lies deeper is b's.
    let trace = of_text(&format!(
        "[{},{},{},{}]",
        event("a", 0, 100),
        event("b", 10, 60),
        event("a", 20, 30),
        event("c", 30, 10)
    ));
    let table = view("operator", &trace);
    let Some(ChartKind::Segments { by_name, longest }) = table.charts.last().map(|chart| &chart.kind) else {
        panic!("none")
    };
    let segments = |name: &str| {
        by_name[name]
            .iter()
            .map(|segment| (segment.name.as_str().to_owned(), segment.time / 1000))
            .collect::<Vec<_>>()
    };
    assert_eq!(*longest, 100_000);
    assert_eq!(segments("a"), [("other own time".to_owned(), 40), ("b".to_owned(), 60)]);
    assert_eq!(segments("b"), [("other own time".to_owned(), 30), ("a".to_owned(), 30)]);
    assert_eq!(segments("c"), [("other own time".to_owned(), 10)]);
}

#[test]
fn work_that_cannot_be_is_noted_where_device_work_is_summed_up() {
    let kernel = |at: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":{dur}}}"#, at * 100)
    };
    let kernels: Vec<String> = (0..100).map(|at| kernel(at, if at == 30 { 4_000 } else { 90 })).collect();
    let trace = of_text(&format!("[{}]", kernels.join(",")));
    let noted = |name: &str, scope: &Scope| {
        let table = View::named(name).expect("a view").table(&trace, scope);
        table.notes.iter().any(|note| note.starts_with("1 piece of device work cannot be as recorded"))
    };
    for name in ["kernel", "device", "kinds", "overview", "names"] {
        assert!(noted(name, &Scope::default()), "{name}");
    }
    let behind = Scope { span: Some(Span { start: 3_200_000, ..trace.main_span }), lanes: None };
    assert!(!noted("kernel", &behind), "it begins before this part");
}

#[test]
fn a_part_without_rows_names_no_option_if_the_trace_has_some() {
    let trace = demo("synthetic-gpu.json.gz");
    let start =
        Scope { span: Some(Span { end: trace.main_span.start + 10, ..trace.main_span }), lanes: None };
    let note = |name: &str| View::named(name).expect("a view").table(&trace, &start).notes.remove(0);
    let kernels = "No kernels in this part of the trace. Other parts of the trace have device work.";
    assert_eq!(note("kernel"), kernels);
    assert!(note("allocations").ends_with("Other parts of the trace have memory events."));
    let host = of_text(r#"[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":9}]"#);
    let part = Scope { span: Some(host.main_span), lanes: None };
    let table = View::named("kernel").expect("a view").table(&host, &part);
    assert!(table.notes[0].contains("ProfilerActivity.CUDA (torch)"), "no part has any");
}

#[test]
fn phases_are_of_the_steps_own_process() {
    let trace = of_text(
        r#"[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100},
            {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#x","pid":1,"tid":1,"ts":0,"dur":10},
            {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#x","pid":2,"tid":2,"ts":0,"dur":90}]"#,
    );
    let table = view("model", &trace);
    let loading = table.rows.iter().find(|row| row.cells[0] == Value::text("Data loading")).unwrap();
    assert_eq!(loading.cells[2], Value::Duration(10_000), "a loader's worker holds nobody up by itself");
}

#[test]
fn events_are_divided_by_the_phases_of_their_process() {
    let event = |cat: &str, name: &str, pid: u32, tid: u32, ts: u32, dur: u32, number: u32| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{"correlation":{number}}}}}"#
        )
    };
    let events = [
        event("user_annotation", "ProfilerStep#1", 1, 1, 0, 100, 0),
        event("user_annotation", "enumerate(DataLoader)#x", 1, 1, 0, 10, 0),
        event("user_annotation", "Optimizer.step#SGD", 1, 1, 80, 20, 0),
        event("forward", "Forward", 1, 1, 10, 40, 0),
        // 5 ns before the forward pass, 40 in it, 30 behind it; its own part adds nothing.
        event("cpu_op", "linear", 1, 2, 5, 75, 0),
        event("cpu_op", "mm", 1, 2, 12, 9, 0),
        event("cuda_runtime", "cudaLaunchKernel", 1, 1, 48, 4, 7),
        event("cuda_runtime", "cudaDeviceSynchronize", 1, 1, 95, 25, 8),
        // Launched in the forward pass, begun in none, ended behind the step.
        event("kernel", "gemm", 0, 7, 70, 50, 7),
        // Launched outside of the step, or not known by whom.
        event("cuda_runtime", "cudaLaunchKernel", 1, 1, 130, 4, 9),
        event("kernel", "gemm", 0, 7, 140, 6, 9),
        event("gpu_memcpy", "Memcpy HtoD", 0, 8, 50, 3, 99),
    ];
    let table = view("stages", &of_text(&format!("[{}]", events.join(","))));
    let cells = |name: &str| -> Vec<i64> {
        let row = table.rows.iter().find(|row| row.cells[0] == Value::text(name)).expect("a row");
        let number = |cell: &Value| match cell {
            Value::Count(count) => *count as i64,
            cell => cell.duration_or_zero() / 1000,
        };
        row.cells[1..].iter().map(number).collect()
    };
    // Count, in steps, data loading, forward, backward, optimizer, other, outside.
    assert_eq!(cells("ProfileStep"), [1, 100, 10, 40, 0, 20, 30, 0]);
    assert_eq!(cells("Operator"), [2, 75, 5, 40, 0, 0, 30, 0]);
    assert_eq!(cells("CudaRuntime"), [2, 9, 0, 2, 0, 5, 2, 24]);
    assert_eq!(cells("Kernel"), [1, 50, 0, 50, 0, 0, 0, 6]);
    assert_eq!(cells("Memcpy"), [0, 0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(table.rows.len(), 5, "phases are columns");
}

#[test]
fn speed_is_of_steps() {
    let step = |number: u32, ts: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}},
            {{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#x","pid":1,"tid":1,"ts":{ts},"dur":10}},
            {{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#x","pid":1,"tid":2,"ts":{ts},"dur":99}}"#
        )
    };
    let trace = of_text(&format!("[{},{}]", step(1, 0, 100), step(2, 100, 300)));
    let table = view("perf", &trace);
    let cells = |row: usize| table.rows[row].cells[1..].to_vec();
    assert_eq!(cells(0)[..2], [Value::Count(2), Value::Duration(400_000)]);
    assert_eq!(cells(0)[3..6], [200_000, 300_000, 100_000].map(Value::Duration));
    assert_eq!(cells(0)[6], Value::text("5000.000 steps/s"));
    assert_eq!(cells(1)[1], Value::Duration(20_000), "the step's own thread, not the loader's workers");
    assert_eq!(table.rows.len(), 2);
    // Three requests within 400 us.
    let trace = of_text(&format!("[{},{},{}]", step(1, 0, 300), step(2, 100, 300), step(3, 150, 100)));
    let cells = view("perf", &trace).rows[0].cells.clone();
    assert_eq!(cells[2], Value::Duration(700_000));
    assert_eq!(cells[7], Value::text("7500.000 steps/s"));
}

#[test]
fn ranges_repeated_on_streams_count_once() {
    let range = |category: &str, pid: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"{category}","name":"forward","pid":{pid},"tid":7,"ts":0,"dur":{dur}}}"#)
    };
    let trace =
        of_text(&format!("[{},{}]", range("user_annotation", 9, 10), range("gpu_user_annotation", 0, 25)));
    for (name, count, time) in [("overview", 1, 2), ("userdefined", 1, 2)] {
        let rows = view(name, &trace).rows;
        assert_eq!((rows.len(), &rows[0].cells[count]), (1, &Value::Count(1)), "{name}");
        assert_eq!(rows[0].cells[time], Value::Duration(10_000), "{name}");
    }
}

#[test]
fn no_two_columns_have_one_title() {
    let mut tables: Vec<Table> = Vec::new();
    for name in
        ["synthetic-gpu.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz"]
    {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
        let loaded = load(&Request::new([path]), &Progress::default()).expect("a trace");
        let all = Scope::default();
        tables.extend(VIEWS.iter().map(|view| view.table(&loaded.trace, &all)));
        for (view, grouping) in
            VIEWS.iter().flat_map(|view| view.groupings.iter().map(move |one| (view, one)))
        {
            let read = Arguments::read(&loaded.trace, &loaded.texts, &all, grouping.needs);
            let table = view.table_by(grouping, &loaded.trace, &all, &read.expect("arguments"));
            check(&table);
            assert_eq!(table.view, view.name, "{}", grouping.name);
            tables.push(table);
        }
    }
    for table in tables {
        for (at, column) in table.columns.iter().enumerate() {
            let is_same = |other: &proftui_insight::analysis::Column| {
                other.title == column.title || other.id == column.id
            };
            assert!(!table.columns[..at].iter().any(is_same), "{}: {}", table.view, column.title);
            assert!(column.title.chars().count() <= 16, "{}: {}", table.view, column.title);
        }
    }
}

#[test]
fn a_table_without_rows_says_what_would_fill_it() {
    let empty = of_text("[]");
    let trace = of_text(r#"[{"ph":"X","cat":"FEE","name":"f","pid":1,"tid":1,"ts":5,"dur":3}]"#);
    // An empty file is unusual, which Quality states.
    for view in VIEWS.iter().filter(|view| view.name != "quality") {
        for scope in [Scope::default(), Scope { span: Some(Span { start: 0, end: 1 }), lanes: None }] {
            let table = view.table(&empty, &scope);
            assert!(table.rows.is_empty(), "{}", view.name);
            let part = if scope.is_all() { "this trace" } else { "this part of the trace" };
            let want = format!("No {} in {part}. {}", view.of, view.filled_by);
            assert_eq!(table.notes, [want], "{}", view.name);
            let text =
                proftui_insight::report::text::render(&table, proftui_insight::report::text::Look::default());
            assert!(!text.contains("no rows") && text.lines().count() <= 4, "{text}");
        }
        let is_empty = !matches!(view.name, "overview" | "names" | "flame");
        assert_eq!(self::view(view.name, &trace).rows.is_empty(), is_empty, "{}", view.name);
    }
    let overview = view("overview", &trace);
    assert!(overview.notes[0].contains("--view names"), "{:?}", overview.notes);
    assert!(!view("overview", &demo("torch-cnn-cpu.pt.trace.json.gz")).notes[0].contains("--view names"));
}

#[test]
fn names_have_total_self_and_lanes() {
    let event = |name: &str, tid: u32, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"FEE","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    };
    let trace = of_text(&format!(
        "[{},{},{},{},{}]",
        event("f", 1, 0, 10),
        event("f", 1, 2, 4),
        event("g", 1, 7, 1),
        event("f", 2, 5, 10),
        r#"{"ph":"b","cat":"io","name":"read","id":1,"pid":1,"tid":1,"ts":0,"dur":0},{"ph":"e","cat":"io","name":"read","id":1,"pid":1,"tid":1,"ts":3}"#
    ));
    let table = view("names", &trace);
    let cells = |row: &TableRow| -> Vec<String> {
        ["name", "calls", "own", "total", "covered", "max"]
            .map(|id| {
                proftui_insight::report::text::value(&row.cells[table.column(id).expect("a column")])
                    .to_string()
            })
            .to_vec()
    };
    let all: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    assert_eq!(
        all,
        [
            ["f", "3", "19.00 µs", "20.00 µs", "15.00 µs", "10.00 µs"],
            ["read", "1", "3.000 µs", "3.000 µs", "3.000 µs", "3.000 µs"],
            ["g", "1", "1.000 µs", "1.000 µs", "1.000 µs", "1.000 µs"],
        ]
    );
    let below: Vec<Vec<String>> = table.rows[0].children.iter().map(cells).collect();
    assert_eq!(
        below,
        [
            ["thread 2", "1", "10.00 µs", "10.00 µs", "-", "10.00 µs"],
            ["thread 1", "2", "9.000 µs", "10.00 µs", "-", "10.00 µs"],
        ]
    );
    assert!(table.rows[1].children.is_empty(), "one lane");
}

#[test]
fn backward_is_derived_from_nodes_where_the_engine_has_no_events() {
    let event = |name: &str, tid: u32, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    };
    let trace = of_text(&format!(
        "[{}]",
        [
            r#"{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100}"#
                .into(),
            event("aten::addmm", 1, 10, 20),
            event("AddmmBackward0", 2, 40, 20),
            event("aten::mm", 2, 45, 10),
            event("aten::add", 2, 60, 5),
            event("torch::autograd::AccumulateGrad", 2, 70, 10),
            event("aten::mul_", 1, 90, 5),
        ]
        .join(",")
    ));
    let steps = view("steps", &trace);
    assert_eq!(times(&steps, 0, "time", 6), [100_000, 0, 20_000, 30_000, 0, 50_000]);
    assert!(steps.notes.iter().any(|note| note.contains("autograd's nodes")), "{:?}", steps.notes);
}
