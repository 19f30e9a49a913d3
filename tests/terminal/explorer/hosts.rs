//! Traces without a GPU: what the first screen says of the thread that runs the steps.

use proftui::app::Pane;

use super::{explorer, screen};
use crate::scratch::Scratch;

/// A slice of category `cat` on a thread, µs.
fn slice(cat: &str, name: &str, tid: u32, ts: u32, dur: u32) -> String {
    format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
}

/// Four steps of 10 ms each, in which `of_step` puts slices by its start.
fn steps(of_step: impl Fn(u32) -> Vec<String>) -> String {
    let step = |number: u32| {
        let start = number * 10_000;
        let mut slices = vec![slice("user_annotation", &format!("ProfilerStep#{number}"), 1, start, 10_000)];
        slices.extend(of_step(start));
        slices.join(",")
    };
    format!("[{}]", (1..5).map(step).collect::<Vec<_>>().join(","))
}

/// The words of the first screen of a trace at 80 by 24, with single spaces.
fn first_screen(name: &str, events: &str) -> String {
    let folder = Scratch::new(name);
    let state = explorer(&folder.file("trace.json", events), (80, 24));
    assert_eq!(Some(state.panes.shown()), Pane::verdict(), "{name}");
    screen(&state).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_screen_says_what_holds_the_host() {
    let mm = |ts, dur| slice("cpu_op", "aten::mm", 1, ts, dur);
    let frame = |name: &str, tid, ts, dur| slice("python_function", name, tid, ts, dur);
    let loader = steps(|at| {
        let name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        vec![slice("user_annotation", name, 1, at, 7_000), mm(at + 7_000, 3_000)]
    });
    let operator = steps(|at| vec![slice("cpu_op", "aten::nonzero", 1, at, 8_500), mm(at + 8_500, 1_500)]);
    let collection = steps(|at| {
        let gc = "<built-in function gc.collect>";
        vec![mm(at, 5_500), frame(gc, 1, at + 5_500, 4_500)]
    });
    let lock = steps(|at| {
        vec![
            frame("train.py(5): augment", 1, at, 7_000),
            mm(at + 7_000, 3_000),
            frame("train.py(9): log", 2, at, 9_000),
        ]
    });
    let serve = |at: u32| vec![frame("queue.py(154): get", 1, at, 9_000), mm(at + 9_000, 1_000)];
    let server = format!("[{}]", (0..4).flat_map(|at| serve(at * 10_000)).collect::<Vec<_>>().join(","));
    for (name, events, said, row) in [
        (
            "loader",
            loader,
            "70 % of steps 1–4 (40.00 ms) the host loads data or waits for it",
            "data loading",
        ),
        (
            "operator",
            operator,
            "85 % of steps 1–4 (40.00 ms) the host computes aten::nonzero !1.",
            "– 85 % every step",
        ),
        (
            "collection",
            collection,
            "45 % of steps 1–4 (40.00 ms) Python collects garbage",
            "garbage collection",
        ),
        (
            "lock",
            lock,
            "70 % of steps 1–4 (40.00 ms) the host is in the script's Python beside another thread (GIL): \
             train.py(5): augment",
            "28.00 ms 70 % every step",
        ),
        ("server", server, "90 % of 40.00 ms the server waits for requests", "○ !1 waits for requests"),
    ] {
        let shown = first_screen(name, &events);
        assert!(shown.contains(said), "{name}: {said}\n{shown}");
        assert!(shown.contains(row), "{name}: {row}\n{shown}");
    }
}
