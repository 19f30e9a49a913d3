//! Occupancy and SM efficiency of devices, from the arguments of kernels.

use proftui_base::time::Span;
use proftui_insight::analysis::{Arguments, Scope, Table, Value, View};
use proftui_trace::import::{Progress, Request, load_bytes};
use proptest::prelude::*;

/// A kernel of device 0: its stream, start and length (µs), and arguments.
fn kernel(stream: u32, ts: u32, dur: u32, arguments: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":{stream},"ts":{ts},"dur":{dur},"args":{{{arguments}}}}}"#
    )
}

/// The view `device` of these events, with the columns that need arguments.
fn devices(events: &[String], scope: &Scope) -> Table {
    let text = format!("[{}]", events.join(","));
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
    let view = View::named("device").expect("a view");
    let grouping = &view.groupings[0];
    let read = Arguments::read(&loaded.trace, &loaded.texts, scope, grouping.needs).expect("arguments");
    view.table_by(grouping, &loaded.trace, scope, &read)
}

fn figures(table: &Table, row: usize) -> [Value; 2] {
    let cell = |id: &str| table.rows[row].cells[table.column(id).expect("a column")].clone();
    [cell("sm_efficiency"), cell("occupancy")]
}

fn close(found: &[Value; 2], wanted: [f64; 2]) {
    for (value, wanted) in found.iter().zip(wanted) {
        assert!(
            matches!(value, Value::Ratio(share) if (share - wanted).abs() < 1e-9),
            "{found:?}, not {wanted}"
        );
    }
}

#[test]
fn kernels_that_run_at_once_share_the_multiprocessors() {
    let events = [
        // 40 µs by itself with half of them, then 20 with all but a tenth of one too many, then 20 with 0.6.
        kernel(7, 0, 60, r#""blocks per SM":0.5,"est. achieved occupancy %":30"#),
        kernel(8, 40, 40, r#""blocks per SM":0.6,"est. achieved occupancy %":60"#),
        // Twenty blocks on each are no more than all: 10 µs.
        kernel(7, 90, 10, r#""blocks per SM":20.5,"est. achieved occupancy %":100"#),
    ];
    let table = devices(&events, &Scope::default());
    close(&figures(&table, 0), [(20.0 + 20.0 + 12.0 + 10.0) / 100.0, (18.0 + 24.0 + 10.0) / 110.0]);

    let part = Scope { span: Some(Span { start: 50_000, end: 70_000 }), lanes: None };
    close(&figures(&devices(&events, &part), 0), [(10.0 + 6.0) / 20.0, (3.0 + 12.0) / 30.0]);
    let idle = Scope { span: Some(Span { start: 82_000, end: 88_000 }), lanes: None };
    assert_eq!(figures(&devices(&events, &idle), 0), [Value::Empty, Value::Empty]);
}

#[test]
fn what_kernels_do_not_state_is_said() {
    let none = [kernel(7, 0, 10, r#""correlation":1"#), kernel(7, 20, 10, r#""blocks per SM":"many""#)];
    let table = devices(&none, &Scope::default());
    assert_eq!(figures(&table, 0), [Value::Empty, Value::Empty]);
    assert!(
        table.notes.iter().any(|note| note.contains("neither blocks per SM nor occupancy")),
        "{:?}",
        table.notes
    );

    let some = [
        kernel(7, 0, 10, r#""blocks per SM":2,"theoretical achieved occupancy %":50"#),
        kernel(7, 10, 10, r#""est. achieved occupancy %":-3,"blocks per SM":1"#),
        kernel(7, 20, 20, r#""est. achieved occupancy %":101"#),
    ];
    let table = devices(&some, &Scope::default());
    close(&figures(&table, 0), [0.5, 0.5]);
    let note = "Kernels without blocks per SM, which count as 0 in SM %: 1 of 3; without an occupancy, left out of Occupancy: 2.";
    assert!(table.notes.iter().any(|found| found == note), "{:?}", table.notes);
}

#[test]
fn rows_of_processors_have_none() {
    let text = r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":0,"dur":10,"args":{"blocks per SM":1}}],
        "ExtraInfo":{"Process Cpu Utilization":"0.5"}}"#;
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
    let view = View::named("device").expect("a view");
    let read = Arguments::read(&loaded.trace, &loaded.texts, &Scope::default(), view.groupings[0].needs);
    let table =
        view.table_by(&view.groupings[0], &loaded.trace, &Scope::default(), &read.expect("arguments"));
    let plain = view.table(&loaded.trace, &Scope::default());
    assert_eq!(table.rows.len(), plain.rows.len());
    let last = table.rows.len() - 1;
    assert_eq!(figures(&table, last), [Value::Ratio(1.0), Value::Empty]);
    for row in 0..last {
        assert_eq!(figures(&table, row), [Value::Empty, Value::Empty]);
    }
    assert!(last > 0, "a row of the processor");
}

proptest! {
    /// Kernels, each on a stream of its own, by start, length (µs) and tenths of a block per multiprocessor:
    /// each microsecond counts by itself.
    #[test]
    fn each_instant_has_the_blocks_of_the_kernels_that_run(
        kernels in proptest::collection::vec((0_u32..60, 1_u32..20, 0_u32..14), 1..12),
        (start, len) in (0_u32..60, 1_u32..30),
    ) {
        let events: Vec<String> = (0..).zip(&kernels).map(|(stream, &(ts, dur, tenths))| {
            kernel(stream, ts, dur, &format!(r#""blocks per SM":{}.{}"#, tenths / 10, tenths % 10))
        }).collect();
        // Time outside of the trace belongs to no part.
        let first = kernels.iter().map(|kernel| kernel.0).min().unwrap_or_default().max(start);
        let last = kernels.iter().map(|kernel| kernel.0 + kernel.1).max().unwrap_or_default().min(start + len);
        prop_assume!(first < last);
        let span = Some(Span { start: i64::from(first) * 1000, end: i64::from(last) * 1000 });
        let table = devices(&events, &Scope { span, lanes: None });
        let running = |t: u32| kernels.iter().filter(move |(ts, dur, _)| *ts <= t && t < ts + dur);
        let tenths: u32 = (first..last).map(|t| running(t).map(|kernel| kernel.2).sum::<u32>().min(10)).sum();
        let wanted = f64::from(tenths) / 10.0 / f64::from(last - first);
        let has_kernel = (first..last).any(|t| running(t).next().is_some());
        let [share, _] = figures(&table, 0);
        match share {
            Value::Ratio(share) => prop_assert!((share - wanted).abs() < 1e-9, "{share}, not {wanted}"),
            other => prop_assert!(!has_kernel && other == Value::Empty, "{other:?}"),
        }
        let busy = table.rows[0].cells[table.column("utilization").expect("a column")].ratio_or_zero();
        prop_assert!(wanted <= busy + 1e-9);
    }
}
