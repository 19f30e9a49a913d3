//! The view of a serving engine's steps, and summaries without warm-up.

use proftui_insight::analysis::part::steady::steady;
use proftui_insight::analysis::{Scope, Table, Value, View};
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::{LaneKind, SliceId, Trace};

const CLASSES: [&str; 6] = ["matrix", "attention", "elementwise", "communication", "copies", "other_kernels"];

fn range(name: &str, tid: u32, ts: i64, dur: i64) -> String {
    format!(
        r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#
    )
}

/// A call on a thread of the host at `ts`, and the kernel that it launches on a stream; times in µs.
fn work(number: u32, (tid, ts): (u32, i64), kernel: &str, (stream, start, dur): (u32, i64, i64)) -> String {
    format!(
        r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":{tid},"ts":{ts},"dur":1,"args":{{"correlation":{number}}}}},
        {{"ph":"X","cat":"kernel","name":"{kernel}","pid":0,"tid":{stream},"ts":{start},"dur":{dur},"args":{{"correlation":{number}}}}}"#
    )
}

fn of(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn view(trace: &Trace, scope: &Scope) -> Table {
    View::named("serving").expect("a view").table(trace, scope)
}

/// Three decodes of 8 requests, one prefill; kernels that run after their step, and one of another thread.
fn engine() -> Trace {
    of(&[
        range("step[DECODE bs=8]", 1, 0, 100),
        work(1, (1, 10), "gemm", (7, 20, 30)),
        work(2, (1, 20), "flash_fwd_kernel", (7, 50, 100)),
        range("step[EXTEND bs=2 toks=700]", 1, 100, 200),
        work(3, (1, 110), "gemm", (7, 160, 200)),
        work(4, (1, 290), "ncclDevKernel_AllReduce", (8, 350, 20)),
        work(5, (2, 200), "topk", (9, 300, 7)),
        range("step[DECODE bs=8]", 1, 300, 50),
        work(6, (1, 310), "gemm", (7, 400, 40)),
        work(7, (1, 360), "gemm", (7, 450, 5)),
        range("step[DECODE bs=8]", 1, 400, 60),
        work(8, (1, 410), "topk", (7, 460, 10)),
    ])
}

/// The value of a column in a row.
fn cell(table: &Table, row: usize, id: &str) -> Value {
    table.rows[row].cells[table.column(id).expect("a column")].clone()
}

#[test]
fn a_row_has_the_steps_of_a_kind_and_batch_size() {
    let table = view(&engine(), &Scope::default());
    let row = |row: usize, ids: &[&str]| ids.iter().map(|id| cell(&table, row, id)).collect::<Vec<_>>();
    let us = |us: i64| Value::Duration(us * 1000);
    let host = [
        "step",
        "kind",
        "batch",
        "steps",
        "time",
        "p50",
        "p99",
        "max",
        "requests",
        "padding",
        "tokens",
        "tokens_rate",
    ];
    assert_eq!(
        row(0, &host),
        [
            Value::text("prefill 2"),
            Value::text("prefill"),
            Value::Count(2),
            Value::Count(1),
            us(200),
            us(200),
            us(200),
            us(200),
            Value::Count(2),
            Value::Count(0),
            Value::Count(700),
            Value::Count(3_500_000)
        ]
    );
    assert_eq!(
        row(1, &["step", "steps", "time", "p50", "max"]),
        [Value::text("decode 8"), Value::Count(3), us(210), us(60), us(100)]
    );
    assert_eq!(
        row(1, &["requests", "tokens", "tokens_rate"]),
        [Value::Count(24), Value::Count(24), Value::Count(114_286)]
    );
    assert_eq!(table.rows.len(), 2);
    // Work counts for the step that launched it, whenever it runs.
    assert_eq!(row(0, &["device"]), [us(220)]);
    assert_eq!(row(0, &CLASSES), [us(200), us(0), us(0), us(20), us(0), us(0)]);
    assert_eq!(row(1, &["device"]), [us(180)]);
    assert_eq!(row(1, &CLASSES), [us(70), us(100), us(0), us(0), us(0), us(10)]);
    // From 150 to 160; from 370 to 400, and from 440 to 460 but for the work at 450, which belongs to no
    // step.
    assert_eq!(row(0, &["bubble"]), [us(10)]);
    assert_eq!(row(1, &["bubble"]), [us(30 + 15)]);
    assert!(table.notes.iter().any(|note| note.contains("In no row: 7.000 µs")), "{:?}", table.notes);
}

#[test]
fn steps_with_padding_are_of_the_padded_batch_size() {
    let trace = of(&[
        range("decode[bs=117/128 tok=117 d=117]", 1, 0, 10),
        range("decode[bs=75/128 tok=75 d=75]", 1, 20, 10),
        range("execute_diffusion_1_512x512", 1, 40, 10),
        range("execute_diffusion_1_1024x512", 1, 60, 10),
    ]);
    let table = view(&trace, &Scope::default());
    let names: Vec<Value> = (0..table.rows.len()).map(|row| cell(&table, row, "step")).collect();
    assert_eq!(names, ["decode 128", "diffusion 1 512x512", "diffusion 1 1024x512"].map(Value::text));
    assert_eq!(cell(&table, 0, "padding"), Value::Count(64));
    assert_eq!((cell(&table, 0, "requests"), cell(&table, 0, "device")), (Value::Count(192), Value::Empty));
    assert_eq!((cell(&table, 1, "tokens"), cell(&table, 1, "tokens_rate")), (Value::Empty, Value::Empty));
}

/// The device time that calls on the threads of the steps launch within the steps, by a search of its own.
fn launched(trace: &Trace) -> i64 {
    let thread = |id: SliceId| {
        let lane = &trace.lanes[trace.lane_of(id)];
        (lane.group, lane.tid)
    };
    let streams = trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream);
    let work = streams.flat_map(|lane| lane.slices).filter(|&id| trace.slices.category(id).is_device_work());
    let is_of_step = |work: &SliceId| {
        trace.links.launch_of(*work).is_some_and(|launch| {
            let start = trace.slices.start[launch];
            let mut steps = trace.steps.iter().filter(|step| step.serving.is_some());
            steps.any(|step| step.span.contains(start) && thread(step.slice) == thread(launch))
        })
    };
    work.filter(is_of_step).map(|id| trace.slices.dur[id]).sum()
}

/// The sums of the columns of device time: all, and by class.
fn sums(table: &Table) -> (i64, i64) {
    let sum = |ids: &[&str]| {
        let cells = (0..table.rows.len()).flat_map(|row| ids.iter().map(move |id| cell(table, row, id)));
        cells.map(|cell| cell.duration_or_zero()).sum()
    };
    (sum(&["device"]), sum(&CLASSES))
}

#[test]
fn the_device_time_of_all_steps_is_that_launched_in_them() {
    let trace = engine();
    assert_eq!(launched(&trace), 400_000);
    assert_eq!(sums(&view(&trace, &Scope::default())), (400_000, 400_000));
    let Some(shared) = crate::skip::shared("traces", "device time of real steps") else { return };
    for path in [
        "sglang_decode/sglang_Qwen3-8B_decode.json.gz",
        "vllm_decode_full/graph_execution.json.gz",
        "xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz",
    ] {
        let request = Request::new([shared.join("tracelens/tests/traces/inference").join(path)]);
        let trace = load(&request, &Progress::default()).expect("a real trace").trace;
        let launched = launched(&trace);
        assert!(launched > 1_000_000, "{path}: {launched}");
        assert_eq!(sums(&view(&trace, &Scope::default())), (launched, launched), "{path}");
    }
}

#[test]
fn a_step_that_the_part_cuts_is_left_out_and_others_are_whole() {
    let trace = engine();
    let scope = Scope { span: Some(proftui_base::time::Span { start: 50_000, end: 350_000 }), lanes: None };
    let table = view(&trace, &scope);
    assert_eq!(table.rows.len(), 2);
    assert_eq!(cell(&table, 1, "steps"), Value::Count(1));
    assert_eq!(cell(&table, 1, "device"), Value::Duration(40_000), "its work runs after the part");
    assert!(
        table.notes.iter().any(|note| note == "Left out: 1 step that the summarized part cuts."),
        "{:?}",
        table.notes
    );
}

#[test]
fn without_warm_up_every_view_begins_with_the_first_steady_step() {
    let step = |number: i64, start: i64, dur: i64| range(&format!("ProfilerStep#{number}"), 1, start, dur);
    let trace = of(&[
        step(1, 0, 500),
        step(2, 500, 300),
        step(3, 800, 10),
        step(4, 810, 11),
        step(5, 821, 10),
        step(6, 831, 9),
    ]);
    let found = steady(&trace, Scope::default()).expect("steps");
    assert_eq!((found.left_out, found.steps), (2, 6));
    assert_eq!(
        found.note(),
        "--steady left out the first 2 of 6 steps, the warm-up: each is longer than the median of the comparable later steps by more than 3 MAD and 5 %, or fewer than 3 comparable steps follow it."
    );
    let steps = View::named("steps").expect("a view").table(&trace, &found.scope);
    assert_eq!(steps.rows.len(), 4);
    assert_eq!(cell(&steps, 0, "step"), Value::text("step 3"));
}
