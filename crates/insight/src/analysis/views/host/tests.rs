//! Threads of small traces, row by row.

use super::*;
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::LaneKind;

/// An event of thread 1 in process 1; times in µs.
fn event(cat: &str, name: &str, ts: i64, dur: i64) -> String {
    format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
}

fn trace(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

/// A thread with an operator of 30 µs on one lane and a function of 100 µs on the other.
fn two_lanes() -> Vec<String> {
    vec![event("python_function", "train.py(1): step", 0, 100), event("cpu_op", "aten::mm", 10, 30)]
}

#[test]
fn a_thread_of_which_the_scope_has_one_lane_is_taken_whole() {
    let mut events = two_lanes();
    events.push(event("user_annotation", "ProfilerStep#1", 0, 100));
    let trace = trace(&events);
    let all = threads(&trace, &Scope::default()).rows;
    let nothing = |rows: &[TableRow]| rows.iter().map(|row| row.cells[2].clone()).collect::<Vec<_>>();
    assert_eq!(nothing(&all), [Value::Duration(70_000)]);
    for kind in [LaneKind::Python, LaneKind::Thread] {
        let scope = Scope::of_lanes(&trace, |lane| trace.lanes[lane].kind == kind);
        assert_eq!(scope.lanes.as_ref().map(Vec::len), Some(1), "{kind:?}");
        assert_eq!(threads(&trace, &scope).rows, all, "{kind:?}");
    }
    assert_eq!(threads(&trace, &Scope { span: None, lanes: Some(Vec::new()) }).rows, []);
}

#[test]
fn the_notes_speak_of_steps_where_there_are_some() {
    let mut events = two_lanes();
    let without = threads(&trace(&events), &Scope::default()).notes;
    assert!(without[0].contains("the trace has no steps") && !without[1].contains("runs the steps"));
    events.push(event("user_annotation", "ProfilerStep#1", 0, 100));
    let with = threads(&trace(&events), &Scope::default()).notes;
    assert!(with[1].contains("the thread that runs the steps"), "{with:?}");
}
