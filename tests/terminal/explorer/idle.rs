//! Idle time: its line above a device, its gaps and what ended them, the verdict, and the location with which
//! the explorer opens.

use proftui::app::view::lines::LineKind;
use proftui::app::{Content, Explorer, Msg, Pane, Region, Selection, Session, State};
use proftui::ui::theme::Depth;
use proftui_base::time::Span;
use proftui_insight::analysis::Value;
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::GroupId;
use ratatui::style::Modifier;

use super::{GPU, draw, explorer, key_of, press, screen, selected, theme};

/// The selected gap of a device.
fn gap(state: &State) -> (GroupId, Span) {
    match state.selected.selection() {
        Some(Selection::Idle(group, gap)) => (group, gap),
        other => panic!("no gap of a device is selected: {other:?}"),
    }
}

/// The text of the line of the details with this label.
fn detail(state: &State, label: &str) -> String {
    let line = state.selected.details().lines.iter().find(|line| line.label.as_str() == label);
    line.map_or(String::new(), |line| line.text().to_string())
}

/// The longest gap of the first device.
fn longest(state: &State) -> (GroupId, Span) {
    let device = &state.session.ledger.devices[0];
    let gaps = (0..device.idle.len()).map(|at| device.idle.gap_of(at).0);
    (device.group, gaps.max_by_key(|gap| gap.len()).expect("a gap"))
}

#[test]
fn gaps_of_the_device_are_gone_through_from_any_lane_and_pane() {
    let mut state = explorer(GPU, (100, 30));
    assert!(state.timeline.focused().is_some_and(|line| line.row().is_some()), "on a thread");
    press(&mut state, "WWWWi");
    let (group, first) = gap(&state);
    assert!(first.len() >= (2 * state.ns_per_column()).max(1_000), "two columns and a microsecond at least");
    let line = state.timeline.focused().map(|line| line.kind);
    assert_eq!(line, Some(LineKind::Idle(group)), "the device's line has the focus");
    press(&mut state, &format!("{}<tab>i", key_of("pane.kernel")));
    let (_, second) = gap(&state);
    assert!(second.start >= first.end && state.panes.region() == Region::Timeline);
    press(&mut state, "I");
    assert_eq!(gap(&state).1, first);
    let mut last = first;
    for _ in 0..1000 {
        press(&mut state, "i");
        if gap(&state).1 == last {
            break;
        }
        last = gap(&state).1;
    }
    assert!(screen(&state).contains("no later gap of at least"), "{}", screen(&state));
    // The keys of a line go through all its gaps that have two columns, too.
    press(&mut state, "h");
    assert!(gap(&state).1.end <= last.start);
}

#[test]
fn where_all_gaps_are_narrow_the_longest_one_is_gone_to() {
    let kernel = |ts: u64, dur: u64| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
        )
    };
    let events = [kernel(0, 1_000_000), kernel(1_000_100, 999_900), kernel(2_000_300, 1_000_000)];
    let text = format!("[{}]", events.join(","));
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    let mut state = State::new(Session::new(loaded), (100, 30));
    press(&mut state, "i");
    let of_300_us = Span { start: 2_000_000_000, end: 2_000_300_000 };
    assert_eq!(gap(&state).1, of_300_us);
    assert!(screen(&state).contains("the longest gap of the device"), "{}", screen(&state));
    press(&mut state, "i");
    assert_eq!(gap(&state).1, of_300_us);
    assert!(screen(&state).contains("no later gap of at least"), "{}", screen(&state));
    press(&mut state, "<enter>I");
    assert_eq!(
        gap(&state).1,
        Span { start: 1_000_000_000, end: 1_000_100_000 },
        "zoomed in, the others are there"
    );
}

#[test]
fn the_details_of_a_gap_say_why_and_who_ended_it() {
    let mut state = explorer(GPU, (100, 40));
    let (group, longest) = longest(&state);
    state.go_to_location(Location { span: longest, at: Some(Subject::Device(group)) });
    press(&mut state, "w");
    assert_eq!(gap(&state), (group, longest));
    let sides =
        state.session.ledger.devices[0].sides(&state.session.trace, longest).expect("work on both sides");
    let launch = sides.launch.expect("a launch");
    for label in ["because of", "ended by", "thread", "work before", "work after", "thread was in"] {
        assert!(!detail(&state, label).is_empty(), "{label}: {}", screen(&state));
    }
    assert!(detail(&state, "because of").contains("% of the gap"));
    let shares: f64 = state
        .selected
        .details()
        .lines
        .iter()
        .skip_while(|line| line.label.as_str() != "thread was in")
        .filter_map(|line| line.note.as_str().strip_prefix(" · ")?.split_once("% of the gap"))
        .map(|(share, _)| share.parse::<f64>().expect("a share"))
        .sum();
    assert!(
        shares > 0.0 && shares < 200.5,
        "of the thread's events, and of the lines of its script: {shares}"
    );
    press(&mut state, "[");
    assert_eq!(state.selected.slice(), Some(launch), "the link goes to the call");
    press(&mut state, "u");
    press(&mut state, "i");
    let state_of = gap(&state);
    press(&mut state, "]");
    let after = state.session.device(state_of.0).and_then(|of| of.sides(&state.session.trace, state_of.1));
    assert_eq!(state.selected.slice(), after.and_then(|sides| sides.after), "and the other to the work");
}

#[test]
fn enter_on_a_gap_brings_the_device_and_the_thread_that_ended_it_onto_the_screen() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "0");
    let (group, longest) = longest(&state);
    while !matches!(state.selected.selection(), Some(Selection::Idle(_, gap)) if gap == longest) {
        let before = state.selected.selection();
        press(&mut state, "i");
        assert_ne!(state.selected.selection(), before, "the longest gap is found");
    }
    press(&mut state, "<enter>");
    assert!(state.timeline.viewport().start < longest.start && longest.end < state.timeline.viewport().end);
    assert!(longest.len() * 4 > state.timeline.viewport().len(), "it is large on the screen");
    let shown: Vec<LineKind> = state
        .visible_lines()
        .filter_map(|line| state.timeline.lines().get(line))
        .map(|line| line.kind)
        .collect();
    assert_eq!(shown[0], LineKind::Idle(group), "pinned");
    let launch =
        state.session.ledger.devices[0].sides(&state.session.trace, longest).and_then(|sides| sides.launch);
    let row = state.session.trace.row_of(launch.expect("a launch"));
    assert!(
        shown.iter().any(|kind| matches!(kind, LineKind::Row(_, of) if *of == row)),
        "{}",
        screen(&state)
    );
    press(&mut state, "<enter>");
    assert_eq!((state.panes.shown(), state.panes.region()), (Pane::Details, Region::Pane), "pressed again");
    press(&mut state, "<esc>p");
    assert!(state.timeline.lines().list().iter().all(|line| !line.is_pinned), "the key that pins unpins it");
    press(&mut state, "w<enter><esc>");
    let line = state.timeline.focused().map(|line| line.kind);
    assert!(
        state.timeline.lines().list().iter().all(|line| !line.is_pinned),
        "and the key that clears the selection"
    );
    assert_eq!((line, state.selected.selection()), (Some(LineKind::Idle(group)), None));
}

#[test]
fn the_verdict_is_first_and_its_rows_go_to_their_locations() {
    let mut state = explorer(GPU, (80, 24));
    assert_eq!(Some(state.panes.shown()), Pane::verdict());
    let headline = state.table().expect("the verdict").table.headline.clone();
    assert!(headline.starts_with("20 % of steps 10–13") && headline.contains("GPU 73 % busy."), "{headline}");
    let shown = screen(&state);
    assert!(headline.split(' ').take(8).all(|word| shown.contains(word)), "{headline}\n{shown}");
    press(&mut state, "<tab><enter>");
    assert_eq!(state.panes.shown(), Pane::Details, "what is selected is explained");
    let (group, found) = gap(&state);
    assert!(detail(&state, "because of").contains("% of the gap"), "in two keys");
    press(&mut state, &key_of("pane.verdict"));
    let pane = state.table().expect("the verdict");
    let row = pane.row(pane.line).expect("a row");
    let Value::Text(location) = &row.cells[pane.table.column("at").expect("locations")] else {
        panic!("{row:?}")
    };
    let location = Location::parse(location.as_str(), &state.session.trace).expect("a location");
    assert_eq!(location.at, Some(Subject::Device(group)));
    assert!(found.start <= location.span.start && location.span.end <= found.end);
    assert!(
        state.timeline.viewport().start <= location.span.start
            && location.span.end <= state.timeline.viewport().end
    );
}

#[test]
fn an_event_that_is_selected_first_replaces_the_verdict_by_its_details() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "l");
    assert_eq!((state.panes.shown(), selected(&state).is_empty()), (Pane::Details, false));
    press(&mut state, &key_of("pane.verdict"));
    assert_eq!(Some(state.panes.shown()), Pane::verdict());
    press(&mut state, "<esc>l");
    assert_eq!(state.panes.shown(), Pane::Details, "also where it was asked for");
    press(&mut state, "5l");
    assert_ne!(state.panes.shown(), Pane::Details, "any other pane stays");
    let mut state = explorer("torch-cnn-cpu.pt.trace.json.gz", (80, 24));
    assert_eq!(Some(state.panes.shown()), Pane::verdict(), "without device work it is about the host");
    let shown = screen(&state);
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("the host computes aten::convolution_backward"), "{shown}");
    press(&mut state, "l");
    assert_eq!(state.panes.shown(), Pane::Details);
}

#[test]
fn the_verdict_is_about_the_part_that_is_chosen() {
    let mut state = explorer(GPU, (100, 30));
    let headline = |state: &State| state.table().expect("the verdict").table.headline.clone();
    press(&mut state, &key_of("pane.verdict"));
    let all = headline(&state);
    let (group, longest) = longest(&state);
    state.go_to_location(Location { span: longest, at: Some(Subject::Device(group)) });
    press(&mut state, &format!("{}b", key_of("pane.verdict")));
    assert_ne!(headline(&state), all, "of the screen");
    press(&mut state, "b");
    let of_gap = headline(&state);
    assert!(of_gap.starts_with("99 % of this stretch (9.694 ms) the GPU waits for data loading"), "{of_gap}");
    assert!(of_gap.ends_with("GPU 0 % busy."), "{of_gap}");
}

#[test]
fn the_idle_line_is_readable_in_every_theme() {
    let mut state = explorer(GPU, (120, 40));
    let (group, longest) = longest(&state);
    state.go_to_location(Location { span: longest, at: Some(Subject::Device(group)) });
    press(&mut state, "<esc>");
    for depth in [Depth::Mono, Depth::Ansi16, Depth::Indexed256, Depth::True] {
        let buffer = draw(&state, &theme(depth));
        let width = buffer.area.width as usize;
        let is_idle = |line: &&[ratatui::buffer::Cell]| {
            let text: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_start_matches(['●', ' ']).starts_with("why idle")
        };
        let line = buffer.content.chunks(width).find(is_idle).expect("a line of idle time");
        let is_filled = |cell: &&ratatui::buffer::Cell| match depth {
            Depth::Mono => cell.modifier.contains(Modifier::REVERSED),
            _ => cell.bg != ratatui::style::Color::Reset,
        };
        let cells = &line[state.geometry().timeline.x as usize..];
        assert!(cells.iter().filter(is_filled).count() * 3 > cells.len(), "{depth:?}: the gap is filled");
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        let device = &state.session.ledger.devices[0];
        let causes = device.idle.within(longest).map(|at| device.idle.piece(at));
        let most = causes.max_by_key(|piece| piece.span.len()).expect("a cause");
        let title = proftui_insight::analysis::ledger::Cause::from_u8(most.cause).title();
        assert!(text.contains(&title[..title.len().min(8)]), "{depth:?}: the cause is named: {text}");
    }
}

/// An explorer that is opened at a location, with the demo trace loaded.
fn opened_at(location: &str) -> Explorer {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(GPU);
    let loaded = load(&Request::new([path]), &Progress::default()).expect("a demo trace");
    let mut explorer = Explorer::new("demo".into(), true, (100, 30)).at(Some(location.to_owned()));
    explorer.update(Msg::Loaded(Box::new(Ok(Session::new(loaded)))));
    explorer
}

fn state(explorer: &Explorer) -> &State {
    match explorer.content() {
        Content::Ready(state) => state,
        Content::Loading(_) => panic!("not loaded"),
    }
}

#[test]
fn the_explorer_opens_at_a_location() {
    let plain = super::explorer(GPU, (100, 30));
    let (group, longest) = longest(&plain);
    let location = Location { span: longest, at: Some(Subject::Device(group)) }.text(&plain.session.trace);
    let explorer = opened_at(&location);
    assert_eq!(gap(state(&explorer)), (group, longest));
    assert!(
        state(&explorer).timeline.viewport().contains(longest.start)
            && state(&explorer).timeline.viewport().contains(longest.end)
    );

    let step = plain.session.trace.steps[1];
    let lane = plain.session.trace.lane_of(step.slice);
    let location = Location { span: step.span, at: Some(Subject::Lane(lane)) }.text(&plain.session.trace);
    let explorer = opened_at(&location);
    assert_eq!(state(&explorer).selected.slice(), Some(step.slice));
    assert!(
        state(&explorer).timeline.viewport().start <= step.span.start
            && step.span.end <= state(&explorer).timeline.viewport().end
    );

    let wrong = opened_at("12ms@gpu7");
    assert!(screen(state(&wrong)).contains("the trace has no device gpu7"), "{}", screen(state(&wrong)));
}
