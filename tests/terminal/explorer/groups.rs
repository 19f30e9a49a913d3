//! The choice of the rank, process or device that summaries cover.

use std::path::PathBuf;

use proftui::app::pane::overlay::Overlay;
use proftui::app::{Msg, Session, State};
use proftui_base::time::Span;
use proftui_insight::analysis::{TableRow, Value};
use proftui_trace::import::{Progress, Request, load};

use super::{GPU, explorer, press, screen, send};
use crate::scratch::Scratch;

/// The events of one rank: an operator that launches a kernel of `ns` ns on each of two devices, and one that
/// launches none.
fn rank(number: u32, ns: u32) -> String {
    let pid = 100 + number;
    let on_device = |device: u32| {
        let correlation = 5 + device;
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"aten::mm{device}","pid":{pid},"tid":1,"ts":{ts},"dur":20}},
            {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{pid},"tid":1,"ts":{launch},"dur":5,
              "args":{{"correlation":{correlation}}}}},
            {{"ph":"X","cat":"kernel","name":"gemm{device}","pid":{device},"tid":7,"ts":{start},"dur":{ns},
              "args":{{"device":{device},"stream":7,"correlation":{correlation}}}}}"#,
            ts = 100 + device * 50,
            launch = 105 + device * 50,
            start = 300 + device * 1000,
        )
    };
    format!(
        r#"{{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{number},"world_size":2}},"traceEvents":[
            {{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":{pid},"tid":1,"ts":0,"dur":900}},
            {}, {},
            {{"ph":"X","cat":"cpu_op","name":"aten::view","pid":{pid},"tid":1,"ts":400,"dur":10}}]}}"#,
        on_device(0),
        on_device(1)
    )
}

fn session(paths: &[PathBuf]) -> Session {
    Session::new(load(&Request::new(paths.iter().cloned()), &Progress::default()).expect("two ranks"))
}

/// The files of two ranks with two devices each; the second rank's kernels take twice as long.
fn files(name: &str) -> (Scratch, Vec<PathBuf>) {
    let folder = Scratch::new(name);
    let paths =
        (0..2).map(|number| folder.file(&format!("rank{number}.json"), rank(number, 400 + 400 * number)));
    let paths = paths.map(PathBuf::from).collect();
    (folder, paths)
}

/// The numbers of a column of the summary, by the names of the rows.
fn column(state: &State, id: &str) -> Vec<(String, Value)> {
    let table = &state.table().expect("a summary").table;
    let at = table.column(id).expect("the column");
    let cell = |row: &TableRow| match &row.cells[0] {
        Value::Text(name) => (name.to_string(), row.cells[at].clone()),
        other => panic!("no name: {other:?}"),
    };
    table.rows.iter().map(cell).collect()
}

fn times(ns: &[(&str, i64)]) -> Vec<(String, Value)> {
    ns.iter().map(|&(name, ns)| (name.to_owned(), Value::Duration(ns))).collect()
}

/// Chooses the item of the list whose title contains `title`.
fn choose(state: &mut State, title: &str) {
    press(state, "B");
    press(state, "<pgup>");
    for _ in 0..20 {
        let Overlay::List(list) = state.dialog.overlay().expect("a list") else { panic!("no list") };
        if list.items[list.chosen].title.as_str().contains(title) {
            press(state, "<enter>");
            return;
        }
        press(state, "j");
    }
    panic!("no item {title}: {}", screen(state));
}

#[test]
fn a_rank_or_a_device_limits_every_summary() {
    let (_folder, paths) = files("groups");
    let mut state = State::new(session(&paths), (120, 40));
    press(&mut state, "6");
    assert_eq!(column(&state, "total"), times(&[("gemm0", 1_200_000), ("gemm1", 1_200_000)]));
    choose(&mut state, "rank 1");
    assert_eq!(column(&state, "total"), times(&[("gemm0", 800_000), ("gemm1", 800_000)]));
    assert!(screen(&state).contains("rank 1, row 1 of 2"), "{}", screen(&state));
    choose(&mut state, "rank 0 · GPU 1");
    assert_eq!(column(&state, "total"), times(&[("gemm1", 400_000)]), "the devices of ranks stay apart");
    assert!(screen(&state).contains("rank 0 · GPU 1, row 1 of 1"), "{}", screen(&state));
    choose(&mut state, "all");
    assert_eq!(column(&state, "total").len(), 2);
    assert!(screen(&state).contains("─ row 1 of 2 ─"), "{}", screen(&state));
}

#[test]
fn a_device_alone_keeps_the_operators_that_launched_its_work() {
    let (_folder, paths) = files("groups-device");
    let mut state = State::new(session(&paths), (120, 40));
    press(&mut state, "5");
    assert_eq!(column(&state, "device_own").len(), 3);
    choose(&mut state, "rank 1 · GPU 1");
    assert_eq!(column(&state, "device_own"), times(&[("aten::mm1", 800_000)]));
    assert_eq!(column(&state, "calls"), [("aten::mm1".to_owned(), Value::Count(0))], "the host is left out");
    let note =
        |state: &State| state.table().and_then(|pane| pane.table.notes.first().cloned()).unwrap_or_default();
    assert!(
        note(&state).starts_with("This part of the trace has no threads of the host"),
        "{}",
        note(&state)
    );
    press(&mut state, "8");
    assert_eq!(
        note(&state),
        "No user-defined ranges in this part of the trace. This part has only some lanes of the trace."
    );
    press(&mut state, "5");
    choose(&mut state, "process 101");
    let device = column(&state, "device_own");
    let wanted = times(&[("aten::mm0", 800_000), ("aten::mm1", 800_000), ("aten::view", 0)]);
    assert_eq!(device, wanted, "what a process launched, on whatever device");
    press(&mut state, "6");
    assert_eq!(
        note(&state),
        "No kernels in this part of the trace. This part has only some lanes of the trace."
    );
}

#[test]
fn lanes_and_time_are_chosen_together() {
    let (_folder, paths) = files("groups-time");
    let mut state = State::new(session(&paths), (120, 40));
    press(&mut state, "6");
    choose(&mut state, "rank 1");
    let start = state.session.trace.main_span.start + 350_000;
    state.timeline.show(Span { start, end: start + 100_000 });
    press(&mut state, "b");
    assert_eq!(column(&state, "total"), times(&[("gemm0", 100_000)]));
    assert!(screen(&state).contains("time range on the screen"), "{}", screen(&state));
    let message = state.message.as_ref().map(|message| message.full().to_string());
    assert_eq!(message.as_deref(), Some("summaries cover: rank 1, time range on the screen"));
    // The step of the chosen rank, wherever the focus is.
    press(&mut state, "bb");
    assert_eq!(column(&state, "total"), times(&[("gemm0", 600_000)]));
    press(&mut state, "b");
    assert_eq!(column(&state, "total"), times(&[("gemm0", 800_000), ("gemm1", 800_000)]));
}

#[test]
fn the_choice_survives_loading_again_while_its_lanes_exist() {
    let (_folder, paths) = files("groups-reload");
    let mut state = State::new(session(&paths[1..]), (120, 40));
    press(&mut state, "6");
    choose(&mut state, "GPU 1");
    let before = column(&state, "total");
    assert_eq!(before, times(&[("gemm1", 800_000)]));
    send(&mut state, Msg::Loaded(Box::new(Ok(session(&paths[1..])))));
    assert_eq!(column(&state, "total"), before);
    // Without its device 1.
    std::fs::write(
        &paths[1],
        rank(1, 800).replace(r#""device":1"#, r#""device":0"#).replace(r#""pid":1,"#, r#""pid":0,"#),
    )
    .expect("a new file");
    send(&mut state, Msg::Loaded(Box::new(Ok(session(&paths[1..])))));
    assert_eq!(column(&state, "total").len(), 2, "all");
    let shown = screen(&state);
    assert!(
        shown.contains("GPU 1 is no longer in the trace; summaries cover all processes and devices"),
        "{shown}"
    );
}

#[test]
fn the_list_says_how_little_there_is_to_choose() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "B");
    let shown = screen(&state);
    assert!(shown.contains("(1 process, 1 device with events)"), "{shown}");
    assert!(shown.contains("GPU 0") && !shown.contains("Profiler Spans"), "{shown}");
    press(&mut state, "<esc>");
    assert!(!state.dialog.is_open());
}
