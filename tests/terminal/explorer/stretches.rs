//! Marking a stretch of time and looking at what is in it; marks.

use proftui::app::marking::marks::KeptMark;
use proftui::app::marking::settings::Settings;
use proftui::app::pane::table_pane::ScopeChoice;
use proftui::app::{Content, Effect, Explorer, Key, Msg, Pane, Session, State};
use proftui_base::time::Span;
use proftui_insight::analysis::{VIEWS, Value};
use proftui_trace::import::{Progress, Request, load};

use super::{GPU, explorer, key_of, press, screen, selected};

/// The cells of the first row of the summary shown with this name, by the column's id.
fn cell(state: &State, name: &str, column: &str) -> Value {
    let table = &state.table().expect("a summary").table;
    let at = table.columns.iter().position(|it| it.id == column).expect("a column");
    let is_it = |value: &Value| matches!(value, Value::Text(text) if text.as_str().contains(name));
    table.rows.iter().find(|row| is_it(&row.cells[0])).unwrap_or_else(|| panic!("no {name}")).cells[at]
        .clone()
}

fn stretch(state: &State) -> Span {
    state.stretch.expect("a stretch").span
}

#[test]
fn a_stretch_goes_from_event_to_event_and_every_summary_covers_it() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/cutlass<enter>");
    let first = state.session.trace.slices.span(state.selected.slice().expect("a kernel"));
    press(&mut state, "v");
    assert_eq!(stretch(&state), first, "it snaps to the event");
    assert!(state.stretch.expect("a stretch").is_open);
    press(&mut state, "lll");
    let last = state.session.trace.slices.span(state.selected.slice().expect("a kernel"));
    let span = first.union(last);
    assert_eq!(stretch(&state), span, "it follows the selection");
    press(&mut state, "v");
    press(&mut state, "l");
    assert_eq!(stretch(&state), span, "it has ended");
    assert_eq!(state.summaries.scope_choice(), ScopeChoice::Stretch);
    // The table by name is there at once, with what the devices did.
    let Pane::Table(view) = state.panes.shown() else { panic!("no table") };
    assert_eq!(VIEWS[view].name, "names");
    let headline = &state.table().expect("a summary").table.headline;
    assert!(headline.contains(" · GPU 0 busy ") && headline.contains("gap"), "{headline}");
    for column in ["calls", "total", "own", "average", "p50", "p99", "max", "own_share"] {
        assert_ne!(cell(&state, "cutlass", column), Value::Empty, "{column}");
    }
    // Kernels that begin in the stretch, by hand.
    let trace = &state.session.trace;
    let row = trace.row_of(state.selected.slice().expect("a kernel"));
    let begins = trace.rows[row].slices().iter().filter(|&id| span.contains(trace.slices.start[id]));
    let cutlass = begins.filter(|&id| trace.name(id).as_str().contains("cutlass")).count();
    assert!(cutlass >= 1);
    press(&mut state, "6");
    assert_eq!(state.table().expect("kernels").scope.span, Some(span), "every pane can be of it");
    press(&mut state, "f");
    let shown = screen(&state);
    assert!(shown.contains("marked stretch"), "{shown}");
    assert!(shown.contains('├') && shown.contains("─ 223.9 µs ─"), "{shown}");
}

#[test]
fn a_stretch_is_cleared_and_summaries_cover_what_they_did_before() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "2b");
    assert_eq!(state.summaries.scope_choice(), ScopeChoice::Screen);
    press(&mut state, "l/cutlass<enter>vlv<esc>");
    assert_eq!((state.stretch, state.summaries.scope_choice()), (None, ScopeChoice::Screen));
    assert!(state.selected.selection().is_some(), "the selection stays");
    press(&mut state, "<esc>");
    assert!(state.selected.selection().is_none());
    // Without a stretch the choice of scopes leaves it out.
    press(&mut state, "bb");
    assert_eq!(state.summaries.scope_choice(), ScopeChoice::Step);
}

#[test]
fn a_stretch_of_the_cursor_snaps_to_edges_of_the_focused_line() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/cutlass<enter>f");
    let kernel = state.session.trace.slices.span(state.selected.slice().expect("a kernel"));
    press(&mut state, "sss<esc>");
    state.timeline.put_cursor(kernel.start);
    press(&mut state, "v");
    let mut ends = Vec::new();
    while state.timeline.cursor() < kernel.end {
        press(&mut state, ".");
        ends.push(state.timeline.cursor());
    }
    assert!(ends.contains(&kernel.end), "{ends:?} {kernel:?}");
    assert_eq!(stretch(&state).start, kernel.start);
    let before = state.timeline.cursor();
    press(&mut state, ",");
    assert!(state.timeline.cursor() < before);
    assert_eq!(stretch(&state).end, state.timeline.cursor());
}

#[test]
fn a_stretch_is_of_one_lane_and_copied() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/cutlass<enter>vlllv");
    let all = state.table().expect("a summary").table.rows.len();
    press(&mut state, &format!("{}j", key_of("pane.group")));
    assert!(screen(&state).contains("the focused lane: stream 7"), "{}", screen(&state));
    press(&mut state, "<enter>");
    let pane = state.table().expect("a summary");
    assert!(pane.table.rows.len() < all && !pane.table.rows.is_empty());
    assert!(pane.table.headline.contains("stream 7 busy "), "{}", pane.table.headline);
    let copied = press(&mut state, "y").into_iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text),
        _ => None,
    });
    let copied = copied.expect("the table is copied");
    let lines: Vec<&str> = copied.lines().collect();
    assert!(lines[0].contains("stream 7 busy") && lines[1].starts_with("Name\t"), "{copied}");
    assert_eq!(lines.len(), 2 + state.table().expect("a summary").table.rows.len());
    press(&mut state, "f");
    let (view, span) = (state.timeline.viewport(), stretch(&state));
    assert!(
        view.start <= span.start && span.end <= view.end && view.len() < span.len() * 2,
        "{view:?} {span:?}"
    );
}

#[test]
fn marks_are_returned_to() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "'");
    assert!(screen(&state).contains("no mark is set"), "{}", screen(&state));
    press(&mut state, "/cutlass<enter>mslow gemm<enter>");
    let (at, name) = (state.timeline.cursor(), selected(&state));
    assert!(screen(&state).contains("marked as \"slow gemm\""), "{}", screen(&state));
    press(&mut state, &".".repeat(30));
    assert!(screen(&state).contains("◆slow gemm"), "{}", screen(&state));
    press(&mut state, "}}m<enter>");
    let step = state.timeline.cursor();
    assert!(step != at);
    press(&mut state, "'");
    let shown = screen(&state);
    assert!(shown.contains("mark 2") && shown.contains("slow gemm"), "{shown}");
    press(&mut state, "j<enter>");
    assert_eq!((state.timeline.cursor(), selected(&state)), (at, name));
    press(&mut state, "'<enter>");
    assert_eq!(state.timeline.cursor(), step);
    press(&mut state, ":mark.remove<enter>'");
    assert!(!screen(&state).contains("mark 2"), "{}", screen(&state));
}

/// Marks are set when the whole trace is there; one whose location the trace lacks stays in the file.
#[test]
fn marks_of_an_earlier_session_are_kept() {
    let kept = |location: &str, text: &str| KeptMark { location: location.into(), text: text.into() };
    let marks = Some(vec![kept("5ms@gpu0", "slow"), kept("1ms@gpu9", "elsewhere")]);
    let mut explorer =
        Explorer::new("t".into(), false, (100, 30)).with(Settings { marks, ..Settings::default() });
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(GPU);
    let session =
        || Session::new(load(&Request::new([path.clone()]), &Progress::default()).expect("a demo trace"));
    let state = |explorer: &Explorer| match explorer.content() {
        Content::Ready(state) => {
            (state.marks.list().len(), state.message.as_ref().map(|it| it.full().to_string()))
        }
        Content::Loading(_) => panic!("no trace"),
    };
    explorer.update(Msg::Snapshot(Box::new(session())));
    assert_eq!(state(&explorer).0, 0, "lanes of a snapshot have other numbers");
    explorer.update(Msg::Loaded(Box::new(Ok(session()))));
    let (count, said) = state(&explorer);
    assert_eq!(
        (count, said.as_deref()),
        (1, Some("1 mark of the session's file not set: the location cannot be read for this trace"))
    );
    let keys = Key::script("mhere<enter>").expect("keys");
    let effects: Vec<Effect> = keys.into_iter().flat_map(|key| explorer.update(Msg::Key(key))).collect();
    let text = effects.iter().find_map(|effect| match effect {
        Effect::KeepMarks(text) => Some(text.as_str()),
        _ => None,
    });
    let text = text.expect("the marks are written");
    assert!(["5ms@gpu0", "here", "1ms@gpu9"].iter().all(|part| text.contains(part)), "{text}");
}
