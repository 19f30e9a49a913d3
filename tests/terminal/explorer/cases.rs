//! Key scripts as text: what each command changes, in `cases.txt`.
//!
//! A line is `id: "before" + "keys" = changes`: an explorer of the GPU demo trace at 100x30 gets the keys
//! `before`, then `keys`, the last of which runs the command `id`; the changes are the facts about the state
//! that are others then. `PROFTUI_CASES=write` writes the changes anew; read the diff before you commit it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proftui::app::pane::overlay::Overlay;
use proftui::app::pane::table_pane::TablePane;
use proftui::app::view::lines::LineKind;
use proftui::app::{Effect, Exported, Key, Pane, Selection, State, command};
use proftui_base::fmt;

use super::{GPU, explorer, press};

/// The file with the cases.
const FILE: &str = "tests/terminal/explorer/cases.txt";

/// A key script.
struct Case<'a> {
    id: &'a str,
    before: &'a str,
    keys: &'a str,
    changes: &'a str,
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Self {
        let wrong = || panic!("no case: {line}");
        let (id, rest) = line.split_once(": \"").unwrap_or_else(wrong);
        let (before, rest) = rest.split_once("\" + \"").unwrap_or_else(wrong);
        let (keys, changes) = rest.split_once("\" =").unwrap_or_else(wrong);
        Self { id, before, keys, changes: changes.trim() }
    }

    /// The keys one by one, as [`press`] reads them.
    fn each(keys: &str) -> Vec<&str> {
        let (mut each, mut rest) = (Vec::new(), keys);
        while let Some(first) = rest.chars().next() {
            let end = if first == '<' && rest.len() > 1 { rest.find('>').map(|at| at + 1) } else { None };
            let (key, after) = rest.split_at(end.unwrap_or(first.len_utf8()));
            each.push(key);
            rest = after;
        }
        each
    }
}

/// Facts about a state, by what they are called.
fn facts(state: &State) -> BTreeMap<&'static str, String> {
    let trace = &state.session.trace;
    let since = |t: i64| fmt::duration(t.saturating_sub(trace.main_span.start));
    let mut facts = BTreeMap::from([
        ("from", since(state.timeline.viewport().start)),
        ("length", fmt::duration(state.timeline.viewport().len())),
        ("cursor", since(state.timeline.cursor())),
        ("region", format!("{:?}", state.panes.region())),
        ("pane", state.panes.shown().title().to_owned()),
        ("pane size", format!("{:?}", state.panes.size())),
        ("scope", state.summaries.scope_choice().title().to_owned()),
        (
            "lanes of summaries",
            state.summaries.group_choice().title(trace).map_or("all".into(), |title| title.to_string()),
        ),
        ("times", state.looks.time_format().name().to_owned()),
        ("unit", state.looks.unit().map_or("own".into(), |unit| unit.symbol().to_owned())),
        ("others", state.finding.others().title().to_owned()),
        ("lines", state.timeline.lines().len().to_string()),
        ("pinned", state.timeline.lines().pinned_len().to_string()),
        ("hidden", state.timeline.lines().hidden().to_string()),
        ("marks", state.marks.list().len().to_string()),
        ("colours", state.looks.color_by().name().to_owned()),
    ]);
    let line = state.timeline.focused().map(|line| match line.kind {
        LineKind::Group(group) => trace.group_title(&trace.groups[group]),
        LineKind::Idle(_) => "idle".into(),
        LineKind::Merged(_) => "merged streams".into(),
        LineKind::More(_) => "more lanes".into(),
        LineKind::Others => "other lanes".into(),
        LineKind::Row(lane, row) => {
            let lane = &trace.lanes[lane];
            format!("{} depth {}", trace.lane_title(lane), row - lane.rows.start)
        }
        LineKind::Counter(lane, _) | LineKind::Marks(lane) => trace.lane_title(&trace.lanes[lane]),
    });
    facts.insert("line", line.unwrap_or_default());
    let selection = match state.selected.selection() {
        None => "nothing".into(),
        Some(Selection::Slice(id)) => trace.name(id).elide_middle(40).to_string(),
        Some(Selection::Gap(_, gap)) => format!("a gap of {}", fmt::duration(gap.len())),
        Some(Selection::Idle(_, gap)) => format!("idle for {}", fmt::duration(gap.len())),
        Some(Selection::Instant(at)) => format!("instant {at}"),
    };
    facts.insert("selection", selection);
    let stretch = state.stretch.map(|it| {
        format!(
            "{} from {}{}",
            fmt::duration(it.span.len()),
            since(it.span.start),
            if it.is_open { ", open" } else { "" }
        )
    });
    facts.insert("stretch", stretch.unwrap_or("none".into()));
    let search =
        state.finding.search().map(|search| format!("{} ({})", search.asked.pattern, search.hits.len()));
    facts.insert("search", search.map_or("none".into(), |text| fmt_short(&text)));
    let overlay = match state.dialog.overlay() {
        None => "none".into(),
        Some(Overlay::Help(help)) => format!("help from line {}, typed \"{}\"", help.top, help.typed),
        Some(Overlay::List(list)) => format!("list of {}, item {}", list.items.len(), list.chosen),
        Some(Overlay::Prompt(prompt)) => {
            format!("{:?} \"{}\", item {}", prompt.kind, prompt.text, prompt.chosen)
        }
    };
    facts.insert("overlay", overlay);
    facts.insert("menu", state.dialog.pending().map_or("none".into(), |prefix| prefix.title().to_owned()));
    let table = state.table().map(in_the_pane);
    let details = || format!("line {}", state.selected.line());
    facts.insert(
        "in the pane",
        if state.panes.shown() == Pane::Details { details() } else { table.unwrap_or_default() },
    );
    facts.insert(
        "message",
        state.message.as_ref().map_or("nothing".into(), |message| format!("\"{}\"", message.full())),
    );
    facts
}

/// What the pane of a summary shows: the focused line, how many there are, and what the user chose.
fn in_the_pane(pane: &TablePane) -> String {
    let order = pane.rows.order.map(|(column, is_ascending)| {
        let way = if is_ascending { ", ascending" } else { "" };
        format!("by {}{way}", pane.table.columns[column].title)
    });
    let bars = pane.chart().and_then(|chart| pane.top(chart)).map(|top| format!("{top} bars"));
    let grouping = pane.grouping.map(|grouping| format!("grouping {grouping}"));
    let filter = Some(&pane.rows.choice.filter).filter(|filter| !filter.is_empty());
    let has_both = pane.halves(100).1.is_some();
    let parts = [
        Some(format!("line {} of {}", pane.line + 1, pane.rows.len())),
        order,
        pane.chart().map(|chart| format!("chart \"{}\"", chart.title)),
        bars,
        has_both.then(|| "table beside it".into()),
        (pane.page != 0).then(|| format!("page {}", pane.page)),
        grouping,
        filter.map(|filter| format!("filter \"{filter}\"")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn fmt_short(text: &str) -> String {
    proftui_base::text::SafeText::new(text).elide_middle(40).to_string()
}

/// The effects that matter to the user.
fn effects(effects: &[Effect]) -> Vec<String> {
    let name = |effect: &Effect| match effect {
        Effect::Redraw => Some("redraws".to_owned()),
        Effect::Load => Some("loads again".into()),
        Effect::Copy(text) => Some(format!("copies \"{}\"", fmt_short(&text.replace(['\t', '\n'], " ")))),
        Effect::Edit(file, line) => Some(format!("edits {file} at line {line}")),
        Effect::Suspend => Some("suspends".into()),
        Effect::Mouse(is_on) => Some(format!("mouse {is_on}")),
        Effect::Export(path, Exported::Screen) => Some(format!("writes the screen to {path}")),
        Effect::Export(path, Exported::Text(text)) => {
            Some(format!("writes {path}: {}", fmt_short(text.lines().next().unwrap_or_default())))
        }
        Effect::Quit => Some("quits".into()),
        _ => None,
    };
    effects.iter().filter_map(name).collect()
}

/// The id of the command that the last of these keys runs, and what the keys change.
fn run(case: &Case<'_>) -> (String, String) {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, case.before);
    let before = facts(&state);
    let (mut id, mut last) = (String::new(), Vec::new());
    for key in Case::each(case.keys) {
        let name = if key.len() > 1 && key.starts_with('<') { &key[1..key.len() - 1] } else { key };
        let found = command::find(&state, Key::parse(name).unwrap_or_else(|| panic!("no key {key}")));
        id = found.map_or(String::new(), |command| command.id.to_owned());
        // The palette runs the command that is chosen.
        if let Some(Overlay::Prompt(prompt)) = state.dialog.overlay()
            && id == "prompt.accept"
            && prompt.text.contains('.')
            && command::all().any(|command| command.id == prompt.text)
        {
            id.clone_from(&prompt.text);
        }
        last = press(&mut state, key);
    }
    let after = facts(&state);
    let mut changes = Vec::new();
    for (fact, now) in &after {
        if before[fact] != *now {
            changes.push(if *fact == "message" { format!("says {now}") } else { format!("{fact}: {now}") });
        }
    }
    changes.extend(effects(&last));
    (id, if changes.is_empty() { "nothing".into() } else { changes.join("; ") })
}

#[test]
fn every_command_does_what_its_cases_say() {
    let path = format!("{}/{FILE}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the cases");
    let (mut written, mut wrong) = (String::new(), Vec::new());
    let (mut ids, mut count) = (BTreeSet::new(), 0);
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            writeln!(written, "{line}").expect("a string");
            continue;
        }
        let case = Case::parse(line);
        let (id, changes) = run(&case);
        writeln!(written, "{}: \"{}\" + \"{}\" = {changes}", case.id, case.before, case.keys)
            .expect("a string");
        if id != case.id {
            wrong.push(format!("{line}\n  the last key runs {id:?}"));
        } else if changes != case.changes {
            wrong.push(format!("{line}\n  but now {changes}"));
        }
        ids.insert(case.id);
        count += 1;
    }
    if std::env::var_os("PROFTUI_CASES").is_some_and(|value| value == "write") {
        std::fs::write(&path, &written).expect("the cases are written");
    }
    let missing: Vec<&str> =
        command::all().map(|command| command.id).filter(|id| !ids.contains(id)).collect();
    assert!(missing.is_empty(), "commands without a case: {missing:?}");
    assert!(count >= 150, "{count} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
