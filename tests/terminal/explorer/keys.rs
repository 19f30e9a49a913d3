//! What keys do.

use proftui::app::pane::overlay::Overlay;
use proftui::app::view::lines::Line;
use proftui::app::{Key, Msg, Selection, State, command};
use proftui_base::time::Span;
use proftui_trace::model::RowId;

use super::{GPU, explorer, has_quit, press, screen, selected, send};
use crate::scratch::Scratch;

#[test]
fn zoom_keeps_the_cursor_and_history_goes_back() {
    let mut state = explorer(GPU, (100, 30));
    let (steps, cursor) = (state.timeline.viewport(), state.timeline.cursor());
    press(&mut state, "www");
    assert!(state.timeline.viewport().len() < steps.len() / 2 && state.timeline.viewport().contains(cursor));
    assert_eq!(state.timeline.cursor(), cursor);
    press(&mut state, "d");
    assert!(state.timeline.viewport().contains(state.timeline.cursor()), "the cursor goes along");
    press(&mut state, "uu");
    assert_eq!(state.timeline.viewport(), steps, "a run of one key is one step back");
    press(&mut state, "U");
    assert!(state.timeline.viewport().len() < steps.len());
    press(&mut state, "0");
    assert!(
        state.timeline.viewport().start < steps.start && steps.end < state.timeline.viewport().end,
        "all, not the steps alone"
    );
}

#[test]
fn events_rows_and_links() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "}");
    assert_eq!(selected(&state), "ProfilerStep#10");
    press(&mut state, "l");
    assert_eq!(selected(&state), "ProfilerStep#11");
    press(&mut state, "h");
    assert_eq!(selected(&state), "ProfilerStep#10");
    press(&mut state, "j");
    let trace = &state.session.trace;
    let inner = state.selected.slice().expect("something lies below");
    assert_eq!(trace.slices.parent(inner), trace.steps.first().map(|step| step.slice));
}

#[test]
fn launch_to_kernel_and_back() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/cudaMemcpyAsync<enter>");
    let launch = state.selected.slice().expect("a launch");
    press(&mut state, "]");
    let work = state.selected.slice().expect("its work");
    assert_eq!(state.session.trace.links.launch_of(work), Some(launch));
    press(&mut state, "[");
    assert_eq!(state.selected.slice(), Some(launch));
}

#[test]
fn a_graph_launch_lists_its_kernels() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/cudaGraphLaunch<enter>");
    let launch = state.selected.slice().expect("a launch");
    press(&mut state, "]");
    let Some(Overlay::List(list)) = state.dialog.overlay() else { panic!("no list") };
    assert!(list.items.len() >= 50, "{}", list.items.len());
    assert!(list.items[0].note.as_str().contains("queue"));
    press(&mut state, "j<enter>");
    let work = state.selected.slice().expect("its work");
    assert_eq!(state.session.trace.links.launch_of(work), Some(launch));
}

#[test]
fn forward_is_linked_to_backward() {
    let mut state = explorer(GPU, (100, 30));
    let flow = state.session.trace.flows[0];
    state.go_to_slice(flow.to);
    press(&mut state, "[");
    assert_eq!(state.selected.slice(), Some(flow.from));
}

#[test]
fn a_summary_becomes_its_charts_and_back() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "6");
    let title = |state: &State| state.table().and_then(|pane| pane.chart()).map(|chart| chart.title);
    assert_eq!(title(&state), None);
    press(&mut state, "V");
    assert!(title(&state).is_some_and(|title| title.contains("by name")));
    press(&mut state, "V");
    assert!(title(&state).is_some_and(|title| title.contains("tensor cores")));
    press(&mut state, "5");
    assert_eq!(title(&state), None, "each pane has its own");
    press(&mut state, "6V");
    assert_eq!(title(&state), None, "after the last the table");
    press(&mut state, "1V");
    assert!(screen(&state).contains("there is no chart to show here"));
}

#[test]
fn a_chart_has_as_many_rows_as_are_wanted() {
    let mut state = explorer(GPU, (100, 50));
    press(&mut state, "6<tab>Vo");
    let rows = state.table().expect("a table").rows.len();
    let others = |state: &State| {
        let screen = screen(state);
        let at = screen.find("others (").expect("others") + "others (".len();
        screen[at..].split(')').next().and_then(|count| count.parse::<usize>().ok()).expect("a number")
    };
    let top = |state: &State| state.table().and_then(|pane| pane.top(pane.chart()?));
    assert_eq!(others(&state), rows - 10);
    press(&mut state, "---");
    assert_eq!((top(&state), others(&state)), (Some(2), rows - 2));
    press(&mut state, "+");
    assert_eq!(others(&state), rows - 3);
    press(&mut state, "++++++++++++");
    assert_eq!(top(&state), None, "all have one");
    assert!(!screen(&state).contains("others ("), "none are left");
    press(&mut state, "------------------/gemm<enter>+++");
    assert!(others(&state) > rows - 10, "rows that the filter leaves out are others, too");
}

#[test]
fn a_bar_goes_to_the_longest_event_of_its_row() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "5<tab>VVV");
    let pane = state.table().expect("a table");
    assert_eq!(pane.rows.order, pane.table.column("total").map(|at| (at, false)), "the chart's own order");
    press(&mut state, "jjj");
    let pane = state.table().expect("a table");
    let longest = pane.row(3).and_then(|row| row.longest);
    press(&mut state, "<enter>");
    assert!(longest.is_some() && state.selected.slice() == longest);
}

#[test]
fn steps_and_times() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "}");
    assert_eq!(selected(&state), "ProfilerStep#10", "first the step around the cursor");
    press(&mut state, "}");
    assert_eq!(selected(&state), "ProfilerStep#11");
    press(&mut state, "}}");
    assert_eq!(selected(&state), "ProfilerStep#13");
    press(&mut state, "}");
    assert_eq!(selected(&state), "ProfilerStep#13", "the last step");
    press(&mut state, "{{");
    assert_eq!(selected(&state), "ProfilerStep#11");
    press(&mut state, "g#12<enter>");
    assert_eq!(state.timeline.cursor(), state.session.trace.steps[2].span.start);
    press(&mut state, "g+1ms<enter>");
    assert_eq!(state.timeline.cursor(), state.session.trace.steps[2].span.start + 1_000_000);
    press(&mut state, "g1never<enter>");
    assert!(screen(&state).contains("cannot be read as a time or step"));
}

#[test]
fn without_a_device_the_gaps_of_a_row_are_gone_through() {
    let scratch = Scratch::new("gaps");
    let event =
        |ts: u32| format!(r#"{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{ts},"dur":50}}"#);
    let text = format!("[{},{},{}]", event(0), event(100), event(300));
    let mut state = explorer(&scratch.file("gaps.json", &text), (100, 30));
    press(&mut state, "i");
    let Some(Selection::Gap(row, Span { start, end })) = state.selected.selection() else { panic!("no gap") };
    assert_eq!((row, end - start), (RowId::new(0), 50_000));
    press(&mut state, "i");
    let Some(Selection::Gap(_, Span { start, end })) = state.selected.selection() else { panic!("no gap") };
    assert_eq!(end - start, 150_000);
    press(&mut state, "I");
    assert!(matches!(state.selected.selection(), Some(Selection::Gap(_, gap)) if gap.len() == 50_000));
}

#[test]
fn search_walks_the_hits_and_around() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/adamw<enter>");
    let hits = state.finding.search().expect("a search").hits.len();
    assert!(hits > 1);
    let first = state.selected.slice();
    press(&mut state, &"n".repeat(hits));
    assert_eq!(state.selected.slice(), first, "around the end");
    press(&mut state, "N");
    press(&mut state, "n");
    assert_eq!(state.selected.slice(), first);
    press(&mut state, "/zzzzqqq<enter>");
    assert!(screen(&state).contains("no event matches"));
}

#[test]
fn folding_pinning_hiding() {
    let mut state = explorer(GPU, (100, 40));
    let before = state.timeline.lines().len();
    press(&mut state, "<space>");
    assert!(state.timeline.lines().len() < before);
    press(&mut state, "<space>");
    assert_eq!(state.timeline.lines().len(), before);
    let lane = state.timeline.focused().and_then(Line::lane).expect("a lane");
    press(&mut state, "p");
    assert_eq!(state.timeline.lines().get(0).and_then(Line::lane), Some(lane), "pinned on top");
    press(&mut state, "p");
    assert_eq!(state.timeline.lines().len(), before);
    press(&mut state, "x");
    assert!(state.timeline.lines().list().iter().all(|line| line.lane() != Some(lane)));
    press(&mut state, "X");
    assert_eq!(state.timeline.lines().len(), before);
}

#[test]
fn details_hold_every_argument() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/cutlass<enter>");
    let lines: Vec<String> =
        state.selected.details().lines.iter().map(|line| format!("{}={}", line.label, line.value)).collect();
    for label in
        ["grid", "block", "registers per thread", "correlation", "launched by", "operator", "duration"]
    {
        assert!(lines.iter().any(|line| line.starts_with(&format!("{label}="))), "{label} in {lines:#?}");
    }
}

#[test]
fn the_palette_runs_commands_by_name() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, ":next step<enter>");
    assert_eq!(selected(&state), "ProfilerStep#10");
    press(&mut state, ":<esc>");
    assert!(!state.dialog.is_open());
    press(&mut state, ":quit immediately");
    assert!(has_quit(&press(&mut state, "<enter>")));
}

#[test]
fn every_command_runs_on_every_trace_without_a_panic() {
    let traces = [
        GPU,
        "hostile-names.json.gz",
        "paddle-lenet-cpu.paddle_trace.json.gz",
        "torch-cnn-cpu.pt.trace.json.gz",
    ];
    for trace in traces {
        let mut state = explorer(trace, (90, 30));
        for command in command::all() {
            (command.run)(&mut state);
            let _ = screen(&state);
            (command.run)(&mut state);
            let _ = screen(&state);
            if command.id != "app.palette" {
                state.dialog.close();
            }
        }
        // What was chosen along the way must not have lost the trace.
        press(&mut state, "<esc><esc>X0");
        assert!(!state.timeline.lines().is_empty());
    }
}

#[test]
fn nothing_is_drawn_when_nothing_changed() {
    let mut state = explorer(GPU, (100, 30));
    assert!(press(&mut state, "<f9>").is_empty());
    assert!(send(&mut state, Msg::Paste("x".into())).is_empty());
}

#[test]
fn pasted_text_is_typed_not_obeyed() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/");
    send(&mut state, Msg::Paste("cut\x1b\nlass".into()));
    let Some(Overlay::Prompt(prompt)) = state.dialog.overlay() else { panic!("no prompt") };
    assert_eq!(prompt.text, "cutlass");
}

#[test]
fn the_palette_leaves_one_step_in_the_history() {
    let mut state = explorer(GPU, (100, 30));
    let whole = state.timeline.viewport();
    press(&mut state, ":zoom in around the cursor by a factor of 4<enter>");
    let near = state.timeline.viewport();
    assert_ne!(near, whole);
    press(&mut state, "}");
    press(&mut state, ":go back in the history<enter>");
    assert_eq!(state.timeline.viewport(), near);
    press(&mut state, ":go back in the history<enter>");
    assert_eq!(state.timeline.viewport(), whole);
    press(&mut state, "U");
    assert_eq!(state.timeline.viewport(), near);
}

#[test]
fn going_back_finds_the_line_and_the_selection_again() {
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, "/adamw<enter>");
    let (line, selection) = (state.timeline.focused().copied(), state.selected.selection());
    press(&mut state, "}");
    press(&mut state, "<home>");
    press(&mut state, "jp");
    press(&mut state, "u");
    assert_eq!(state.selected.selection(), selection);
    assert_eq!(state.timeline.focused().map(|line| line.kind), line.map(|line| line.kind));
}

#[test]
fn home_and_end_go_to_the_ends() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "pl<end>");
    assert_eq!(state.timeline.focus(), state.timeline.lines().len() - 1);
    press(&mut state, "<home>");
    assert_eq!(state.timeline.focus(), 0);
}

#[test]
fn a_search_can_be_cleared() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "/adamw<enter><esc>");
    assert!(state.finding.search().is_some(), "first the selection goes");
    press(&mut state, "<esc>");
    assert!(state.finding.search().is_none());
    press(&mut state, "/adamw<enter>/<enter>");
    assert!(state.finding.search().is_none(), "an empty search clears too");
}

#[test]
fn stepping_goes_on_from_where_the_person_looks() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "lWWDDDDl");
    let id = state.selected.slice().expect("an event");
    assert!(
        state.timeline.viewport().overlaps(state.session.trace.slices.span(id)),
        "not back to the old selection"
    );
}

/// Times at both ends of what 64 bits hold, a launch at one and its work at the other, a lane of a thousand
/// overlaps.
fn absurd() -> String {
    let x = |cat: &str, tid: u32, ts: &str, dur: &str, n: u32| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"n{n}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{"correlation":{n}}}}}"#
        )
    };
    let mut events = vec![
        x("cuda_runtime", 1, "-9223372036854775.807", "1", 1),
        x("kernel", 7, "9223372036854775.000", "0.807", 1),
        x("cpu_op", 1, "0", "9223372036854775.807", 2),
        x("cpu_op", 1, "-9223372036854775.807", "9223372036854775.807", 3),
        r#"{"ph":"C","name":"c","ts":9223372036854775.807,"pid":1,"args":{"v":-1e308,"w":1e308}}"#.into(),
        r#"{"ph":"i","name":"i","ts":-9223372036854775.807,"pid":1,"tid":9}"#.into(),
        r#"{"ph":"B","name":"open","ts":5,"pid":1,"tid":4}"#.into(),
    ];
    events.extend((0..1000).map(|i| x("kernel", 8, &i.to_string(), "5000.5", 100 + i)));
    format!("[{}]", events.join(","))
}

#[test]
fn an_absurd_trace_can_be_walked() {
    let scratch = Scratch::new("absurd");
    let mut state = explorer(&scratch.file("absurd.json", absurd()), (90, 30));
    let keys: Vec<Key> =
        command::all().filter(|c| !c.id.starts_with("app.")).flat_map(|c| c.keys.iter().copied()).collect();
    let mut random = 7_u64;
    for _ in 0..1500 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let key = keys[(random >> 33) as usize % keys.len()];
        send(&mut state, Msg::Key(key));
        let _ = screen(&state);
    }
}

#[test]
fn unfolded_rows_stay_unfolded_in_another_order_and_part() {
    let mut state = explorer(GPU, (100, 50));
    press(&mut state, "5<tab>o ");
    let open = |state: &State| -> Vec<String> {
        let pane = state.table().expect("a table");
        let names = (0..pane.rows.len()).filter(|&line| pane.is_open(line)).filter_map(|line| pane.row(line));
        names.map(|row| format!("{:?}", row.cells[0])).collect()
    };
    let before = open(&state);
    assert_eq!(before.len(), 1);
    press(&mut state, "r");
    assert_eq!(open(&state), before, "smallest first");
    press(&mut state, "bbb");
    assert_eq!(open(&state), before, "of a step");
    let line = (0..1000).find(|&line| state.table().expect("a table").is_open(line)).expect("the row");
    press(&mut state, &format!("<home>{} ", "j".repeat(line + 1)));
    assert_eq!(open(&state), Vec::<String>::new(), "a row below folds its own parent");
}
