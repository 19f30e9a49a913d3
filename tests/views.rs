//! Every view of every trace, odd ones included: no panic, no row of the wrong width, the laws that sums obey.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

use std::path::PathBuf;

use proftui::analysis::fluid::{Options, State, report};
use proftui::analysis::gpu::busy::busy;
use proftui::analysis::gpu::{idle, kinds, overlap, work};
use proftui::analysis::{Scope, Table, TableRow, VIEWS, Value, View};
use proftui::base::time::Span;
use proftui::import::{Progress, Request, load, load_bytes};
use proftui::model::Trace;

fn of_text(text: &str) -> Trace {
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn demo(name: &str) -> Trace {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
    load(&Request::new([path]), &Progress::default()).expect("a trace").trace
}

fn view(name: &str, trace: &Trace) -> Table {
    (View::named(name).expect("a view").run)(trace, &Scope::default())
}

fn check(table: &Table) {
    fn rows(table: &Table, list: &[TableRow]) {
        for row in list {
            assert_eq!(row.cells.len(), table.columns.len(), "{}", table.view);
            rows(table, &row.children);
        }
    }
    rows(table, &table.rows);
    let look = proftui::report::text::Look { width: Some(80), ..Default::default() };
    proftui::report::text::render(table, look);
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
            VIEWS.iter().for_each(|view| check(&(view.run)(&trace, &scope)));
            for state in [State::Cpu, State::Gpu, State::All] {
                let options = Options { state, ..Options::default() };
                proftui::report::fluid::render(&report(&trace, &scope, options));
            }
        }
    }
}

#[test]
fn device_times_add_up() {
    let trace = demo("synthetic-gpu.json.gz");
    VIEWS.iter().for_each(|view| check(&(view.run)(&trace, &Scope::default())));
    for device in work::devices(&trace, &Scope::default()) {
        let time = busy(&device);
        assert_eq!(time.span, time.idle + time.compute + time.non_compute);
        let mut busy = 0;
        kinds::pieces(&device, |_, dur| busy += dur);
        assert_eq!(busy, time.span - time.idle, "kinds of work fill the busy time");
        let communication = overlap::overlap(&device);
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
    let spans: Vec<_> = busy.rows.iter().map(|row| (row.cells[2].clone(), row.cells[3].clone())).collect();
    let time = |ns| Value::Duration(ns);
    assert_eq!(spans, [(time(30_000), time(10_000)), (time(40_000), time(0))]);
    let kinds = view("kinds", &trace);
    assert_eq!(kinds.rows[0].cells[..2], [Value::text("computation"), time(50_000)]);
    assert_eq!(kinds.rows[0].children.len(), 2);
    assert_eq!(kinds.rows[1].cells[1], time(10_000));
    assert_eq!(view("distributed", &trace).rows.len(), 1, "only one communicates");
    let idle = view("idle", &trace);
    assert_eq!(idle.rows[0].cells[2], time(10_000));
    assert!(view("launches", &trace).rows.is_empty());
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
}
