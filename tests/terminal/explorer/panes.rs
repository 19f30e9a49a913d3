//! What keys do to panes and the tables in them.

use super::{GPU, explorer, has_quit, key_of, press, screen};
use crate::scratch::Scratch;
use proftui::app::pane::table_pane::ScopeChoice;
use proftui::app::{Effect, Pane, Region, State};
use proftui_insight::analysis::{TableRow, VIEWS, Value};

/// The names in the first column of the summary shown.
fn names(state: &State) -> Vec<String> {
    let pane = state.table().expect("a summary");
    (0..pane.rows.len())
        .filter_map(|line| match pane.row(line)?.cells.first()? {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        })
        .collect()
}

#[test]
fn every_summary_has_a_pane() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "1<tab>");
    for (at, view) in VIEWS.iter().enumerate() {
        press(&mut state, &format!(":{}<enter>", view.command));
        assert_eq!(state.panes.shown(), Pane::Table(at));
        assert!(screen(&state).contains(view.tab), "{} stands on its tab", view.name);
        assert!(state.table().is_some_and(|pane| !pane.table.columns.is_empty()));
    }
}

#[test]
fn tab_goes_through_the_panes_that_have_something() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "1<tab>");
    let mut seen = Vec::new();
    for _ in 0..100 {
        press(&mut state, "<tab>");
        seen.push(state.panes.shown());
        if state.panes.shown() == Pane::Details {
            break;
        }
        assert!(state.table().is_some_and(|pane| !pane.table.rows.is_empty()), "{}", screen(&state));
    }
    // Of a serving engine the trace has nothing.
    assert_eq!(seen.len(), VIEWS.len(), "{seen:?}");
    press(&mut state, "<backtab>");
    assert_eq!(Some(&state.panes.shown()), seen.get(seen.len() - 2), "around the end");
}

#[test]
fn the_key_of_a_pane_pressed_again_goes_through_its_topic() {
    let mut state = explorer(GPU, (80, 24));
    let mut shown = |keys: &str| {
        press(&mut state, keys);
        state.panes.shown().title()
    };
    assert_eq!(
        ["2", "2", "2", "3", "3", "2"].map(&mut shown),
        ["Steps", "Device", "Phases", "Device", "Phases", "Steps"]
    );
    assert_eq!(["!", "!", "!", "!"].map(&mut shown), ["Findings", "Causes", "Waits", "Findings"]);
    assert_eq!(["1", "1"].map(&mut shown), ["Here", "Here"]);
}

#[test]
fn a_pane_without_rows_says_what_would_fill_it() {
    let scratch = Scratch::new("functions");
    let functions = r#"[{"ph":"X","cat":"FEE","name":"main","pid":1,"tid":1,"ts":0,"dur":90},
        {"ph":"X","cat":"FEE","name":"load","pid":1,"tid":1,"ts":10,"dur":50}]"#;
    let mut state = explorer(&scratch.file("functions.json", functions), (80, 24));
    press(&mut state, &key_of("pane.operator"));
    let text = screen(&state);
    assert!(text.contains("No operators in this trace.") && !text.contains("(no rows)"), "{text}");
    // The sentence names the key of the pane that has rows.
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("the pane Events, key e"), "{text}");
    assert_eq!(key_of("pane.names"), "e");
    press(&mut state, "e");
    assert_eq!(names(&state), ["load", "main"]);
}

#[test]
fn rows_are_ordered_filtered_unfolded_and_followed() {
    let mut state = explorer(GPU, (100, 40));
    let kernel = key_of("pane.kernel");
    press(&mut state, &format!("{kernel}<tab>"));
    let all = names(&state);
    press(&mut state, ">>");
    let mut by_name = all.clone();
    by_name.sort();
    assert_eq!(names(&state), by_name, "texts from a to z");
    press(&mut state, "r");
    by_name.reverse();
    assert_eq!(names(&state), by_name);
    press(&mut state, "/nccl<enter>");
    assert!(names(&state).iter().all(|name| name.contains("nccl")), "{:?}", names(&state));
    press(&mut state, "/<esc>");
    assert_eq!(names(&state).len(), all.len(), "the filter is gone");
    press(&mut state, &kernel);
    let rows = names(&state).len();
    let has_children = |state: &State| {
        let pane = state.table().expect("a summary");
        pane.row(pane.line).is_some_and(|row| !row.children.is_empty())
    };
    while !has_children(&state) {
        press(&mut state, "j");
    }
    press(&mut state, "<space>");
    assert!(names(&state).len() > rows, "what it sums up is shown");
    press(&mut state, "j<space>");
    assert_eq!(names(&state).len(), rows, "a child folds its row");
    let row = state.table().and_then(|pane| pane.row(pane.line)).expect("a row").clone();
    press(&mut state, "<enter>");
    assert_eq!(state.selected.slice(), row.longest);
    let found = state.finding.search().map(|search| search.hits.len() as u64);
    assert_eq!(row.cells[1], Value::Count(found.expect("a search of its events")));
}

#[test]
fn an_allocation_goes_to_the_operator_that_took_it() {
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, ":pane.allocations<enter><tab>/log_softmax<enter>");
    assert!(!names(&state).is_empty());
    let row = state.table().and_then(|pane| pane.row(pane.line)).expect("a row").clone();
    press(&mut state, "<enter>");
    let target = state.selected.slice().expect("an event");
    assert_eq!(Some(target), row.longest);
    assert_eq!(state.session.trace.name(target).as_str(), "aten::_log_softmax");
}

#[test]
fn what_has_the_focus_can_be_copied() {
    let copied = |effects: Vec<Effect>| {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Copy(text) => Some(text),
            _ => None,
        })
    };
    let mut state = explorer(GPU, (100, 40));
    assert_eq!(copied(press(&mut state, "y")), None, "nothing is selected");
    assert_eq!(copied(press(&mut state, "/cudaMemcpyAsync<enter>y")).as_deref(), Some("cudaMemcpyAsync"));
    let row = copied(press(&mut state, &format!("{}<tab>y", key_of("pane.kernel")))).expect("a row");
    let cells: Vec<&str> = row.split('\t').collect();
    assert!(cells.len() > 4 && names(&state)[0] == cells[0], "{row}");
}

#[test]
fn a_copied_row_is_guarded_for_spreadsheets() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.json");
    let kernel = r#"[{"ph":"X","cat":"kernel","name":"=cmd|'/C calc'!A0","ts":1,"dur":5,"pid":0,"tid":7,"args":{"stream":7}}]"#;
    std::fs::write(&path, kernel).expect("written");
    let mut state = explorer(path.to_str().expect("UTF-8"), (100, 40));
    let effects = press(&mut state, &format!("{}<tab>y", key_of("pane.kernel")));
    let [Effect::Copy(row), ..] = &effects[..] else { panic!("{effects:?}") };
    assert!(row.starts_with("'=cmd|'/C calc'!A0\t1\t"), "{row}");
}

#[test]
fn a_summary_can_be_about_a_part() {
    let count = |state: &State| {
        let pane = state.table().expect("a summary");
        let cell = |row: &TableRow| match row.cells[1] {
            Value::Count(count) => count,
            _ => 0,
        };
        pane.table.rows.iter().map(cell).sum::<u64>()
    };
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, "2");
    let all = count(&state);
    press(&mut state, "bWWW");
    let screenful = count(&state);
    assert!(screenful < all, "{screenful} of {all} on the screen");
    press(&mut state, "bbb0");
    assert_eq!(count(&state), all, "of the whole again");
    press(&mut state, "b");
    assert_eq!(count(&state), all, "the screen shows the whole");
    press(&mut state, "bb");
    let steps: Vec<u64> = (0..state.session.trace.steps.len())
        .map(|_| {
            let count = count(&state);
            press(&mut state, "}");
            count
        })
        .collect();
    assert!(steps.iter().sum::<u64>() < all && steps.iter().all(|&count| count > 0), "{steps:?}");
    // The phase at the cursor: its time on the host, as the message says.
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, "/autograd::engine<enter>6bbb");
    let of_step = count(&state);
    press(&mut state, "b");
    assert_eq!(state.summaries.scope_choice(), ScopeChoice::Phase);
    let message = state.message.as_ref().map(|message| message.full().to_string()).unwrap_or_default();
    let wanted = "phase at the cursor, backward on the host (phase: in a search goes by launch)";
    assert!(message.ends_with(wanted), "{message}");
    assert!(count(&state) < of_step, "a part of a step");
}

#[test]
fn lines_of_panes_go_to_events() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, ":pane.overview<enter>");
    assert_eq!(state.panes.shown(), Pane::Table(1));
    assert!(screen(&state).contains("Of time"));
    press(&mut state, "1/cudaMemcpyAsync<enter><enter>");
    assert_eq!(state.panes.region(), Region::Pane);
    let at = state
        .selected
        .details()
        .lines
        .iter()
        .position(|line| line.target.is_some())
        .expect("a line with an event to go to");
    press(&mut state, &"j".repeat(at));
    let target = state.selected.details().lines[at].target;
    press(&mut state, "<enter>");
    assert_eq!(state.selected.slice(), target);
    press(&mut state, "q");
    assert_eq!(state.panes.region(), Region::Timeline, "back first");
    assert!(has_quit(&press(&mut state, "q")));
}
