//! Steps from repeating launches: found where these clearly repeat, offered, and made only where they are
//! asked for.

use proftui_insight::analysis::{Scope, View};
use proftui_trace::import::{Loaded, Progress, Request, StepsFrom, load_bytes};
use proftui_trace::model::Trace;
use proftui_trace::model::repeating::{Repeating, repeating};

/// A trace of launches in order: each by the name of its kernel, and the pause of the thread before it, µs.
fn launches(list: &[(&str, u32)], steps_from: StepsFrom) -> Trace {
    let mut now = 0;
    let mut events = Vec::new();
    for (number, (name, pause)) in (1..).zip(list) {
        now += pause;
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{now},"dur":2,"args":{{"correlation":{number}}}}},
            {{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"correlation":{number}}}}}"#,
            now + 5
        ));
        now += 2;
    }
    let text = format!("[{}]", events.join(","));
    let Loaded { trace, .. } =
        load_bytes(text.as_bytes(), &Request { steps_from, ..Request::default() }, &Progress::default())
            .expect("a trace");
    trace
}

/// Layers within a step: `embed`, four layers of three kernels, `head`, `sample`; before the next step the
/// thread waits.
fn step() -> Vec<(&'static str, u32)> {
    let layer = [("norm", 1), ("gemm", 1), ("attention", 1)];
    [vec![("embed", 50)], layer.repeat(4), vec![("head", 1), ("sample", 10)]].concat()
}

fn one(trace: &Trace) -> Repeating {
    let [found] = &repeating(trace)[..] else { panic!("{:?}", repeating(trace)) };
    found.clone()
}

#[test]
fn the_outermost_pattern_that_recurs_is_found() {
    let trace = launches(&step().repeat(6), StepsFrom::Marks);
    let found = one(&trace);
    assert_eq!((found.launches, found.of, found.repetitions.len()), (15, 90, 6));
    assert_eq!(
        found.title(&trace),
        "6 repetitions of 15 launches on thread 1 (100 % of its launches with work)"
    );
    // A repetition begins behind the longest pause, and lasts to the next one.
    let starts: Vec<i64> = found.repetitions.iter().map(|(_, span)| span.start).collect();
    let length = starts[1] - starts[0];
    assert_eq!(length, (50 + 13 + 10 + 15 * 2) * 1000);
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == length));
    assert!(found.repetitions.windows(2).all(|pair| pair[0].1.end == pair[1].1.start));
    assert_eq!(trace.name(trace.links.work_of(found.repetitions[0].0).next().unwrap()).as_str(), "embed");
}

#[test]
fn other_launches_in_between_are_tolerated() {
    let list =
        [vec![("load", 1), ("tune", 1)], step().repeat(3), vec![("log", 5)], step().repeat(3)].concat();
    let found = one(&launches(&list, StepsFrom::Marks));
    assert_eq!((found.launches, found.of, found.repetitions.len()), (15, 93, 6));
    assert!(
        found.repetitions[2].1.end < found.repetitions[3].1.start,
        "the launch in between is in no repetition"
    );
}

#[test]
fn without_a_clear_pattern_nothing_is_found() {
    let none =
        |list: &[(&str, u32)]| assert_eq!(repeating(&launches(list, StepsFrom::Launches)), [], "{list:?}");
    none(&[]);
    none(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)].repeat(2));
    none(&[("a", 1)].repeat(100));
    let names = ["a", "b", "c", "d", "e"];
    // Numbers of a quadratic generator, without a period below the list's length.
    let chaos: Vec<(&str, u32)> = (0..60_u32).map(|at| (names[(at * at * at / 7 % 5) as usize], 1)).collect();
    none(&chaos);
    // Layers of one step: no pause stands out.
    none(&[("norm", 1), ("gemm", 2), ("attention", 1), ("gemm", 2)].repeat(24));
    let rest: Vec<(&str, u32)> = (0..60).map(|at| (["x", "y", "z"][at * at % 3], 1)).collect();
    none(&[step().repeat(3), chaos, rest].concat());
}

#[test]
fn repetitions_are_steps_where_they_are_asked_for() {
    let list = step().repeat(4);
    let trace = launches(&list, StepsFrom::Marks);
    assert_eq!((trace.steps.len(), &trace.meta.inferred), (0, &None));
    let notes = View::named("overview").expect("a view").table(&trace, &Scope::default()).notes;
    assert!(notes.iter().any(|note| note.contains("4 repetitions of 15 launches")), "{notes:?}");
    let trace = launches(&list, StepsFrom::Launches);
    assert_eq!(trace.steps.iter().map(|step| step.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(repeating(&trace), [], "it has steps");
    let table = View::named("steps").expect("a view").table(&trace, &Scope::default());
    assert_eq!(table.rows.len(), 4);
    let note = "Steps inferred from repeating launches, not marked: 4 repetitions of 15 launches on thread 1 (100 % of its launches with work).";
    assert!(table.notes.iter().any(|text| text == note), "{:?}", table.notes);
    let third = Scope::default().within_steps(&trace, &(2..3)).expect("a step");
    assert_eq!(View::named("steps").expect("a view").table(&trace, &third).rows.len(), 1);
    assert_eq!(View::named("kernel").expect("a view").table(&trace, &third).rows.len(), 6);
}

#[test]
fn marked_steps_stay() {
    let text =
        r#"[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":0,"dur":9}]"#;
    let request = Request { steps_from: StepsFrom::Launches, ..Request::default() };
    let trace = load_bytes(text.as_bytes(), &request, &Progress::default()).expect("a trace").trace;
    assert_eq!((trace.steps.len(), trace.meta.inferred), (1, None));
}
