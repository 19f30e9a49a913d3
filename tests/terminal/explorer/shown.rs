//! What the screen shows is whole and true: nothing is cut without a mark, covered, or asserted before it is
//! known.

use proftui::app::pane::overlay::PromptKind;
use proftui::app::pane::table_pane::Half;
use proftui::app::session::loading::Shown;
use proftui::app::view::lines::LineKind;
use proftui::app::{Key, Msg, State, command};
use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_insight::analysis::{ColumnKind, VIEWS};

use super::{GPU, explorer, press, screen, selected, send};
use crate::scratch::Scratch;

/// The line of the screen with this number.
fn line(state: &State, y: u16) -> String {
    screen(state).lines().nth(usize::from(y)).unwrap_or_default().to_owned()
}

fn ruler(state: &State) -> String {
    line(state, state.geometry().ruler.y)
}

/// An explorer of a trace with these events, and with a header that names the device 2 with an empty text.
fn of_events(name: &str, events: &str, size: (u16, u16)) -> State {
    let text = format!(
        r#"{{"schemaVersion":1,"deviceProperties":[{{"id":2,"name":""}}],"traceEvents":[{events}]}}"#
    );
    explorer(&Scratch::new(name).file(&format!("{name}.json"), text), size)
}

/// One of everything: a step, an operator, its launch and its kernel, on a device without a name, and an
/// instant.
const ONE: &str = r#"
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":900},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":100},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":10,"args":{"correlation":5}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":2,"tid":7,"ts":400,"dur":50,"args":{"device":2,"stream":7,"correlation":5}},
    {"ph":"X","cat":"cpu_op","name":"after","pid":1,"tid":1,"ts":950,"dur":50}"#;

#[test]
fn a_device_takes_several_rows_where_all_lanes_have_room() {
    for (size, high) in [((160, 50), 4), ((80, 24), 1), ((40, 12), 1)] {
        let state = of_events("tall", ONE, size);
        let shown: Vec<usize> = state.visible_lines().collect();
        let rows = shown.iter().filter(|&&line| line == shown[0]).count();
        assert_eq!(rows, high, "{size:?}\n{}", screen(&state));
        let heading = state.timeline.lines().get(shown[0]).map(|line| line.kind);
        assert!(matches!(heading, Some(LineKind::Group(_))), "{heading:?}");
        if high > 1 {
            let area = state.geometry().timeline;
            assert_eq!(shown.len(), usize::from(area.height), "no row between lanes and pane is blank");
            // The kernel fills all rows of its columns.
            let x = screen(&state)
                .lines()
                .nth(area.y.into())
                .and_then(|line| line.chars().position(|c| c == '█'));
            let x = x.expect("the kernel");
            let column = |y: u16| line(&state, y).chars().nth(x);
            assert!((area.y..area.y + 4).all(|y| column(y) == Some('█')), "{}", screen(&state));
        }
    }
}

#[test]
fn the_cursor_is_named_beside_the_ruler_and_every_mark_up_to_its_right_end() {
    let mut state = explorer(GPU, (80, 24));
    for columns in 40..=120 {
        send(&mut state, Msg::Resize(columns, 24));
        for part in 0..8 {
            let viewport = state.timeline.viewport();
            state.timeline.put_cursor(viewport.start + (viewport.len() - 1) * part / 7);
            let ruler = ruler(&state);
            assert_eq!(ruler.matches('▼').count(), 1, "{columns}: {ruler}");
            // The whole time, with its unit, stands behind the mark, and the length of the screen before it.
            let (before, after) = ruler.split_once('▼').expect("the cursor's mark");
            let time = after.split("  ").next().unwrap_or_default();
            assert!(time.starts_with(|c: char| c == '-' || c.is_ascii_digit()), "{columns}: {ruler}");
            assert!(
                time.ends_with("ms") || time.ends_with("µs") || time.ends_with("ns"),
                "{columns}: {ruler}"
            );
            assert!(before.trim_end().ends_with("ms"), "{columns}: {ruler}");
        }
    }
    let ruler = ruler(&state);
    let mut at = 0;
    for label in ["│#10 ", "│#11 ", "│#12 ", "╷30 ms", "│#13", "│end"] {
        at += ruler[at..].find(label).unwrap_or_else(|| panic!("{label}: {ruler}"));
    }
}

#[test]
fn the_tabs_name_the_scope_before_all_that_has_no_room() {
    let mut state = explorer(GPU, (60, 24));
    press(&mut state, "6Gb");
    for columns in 50..=160 {
        send(&mut state, Msg::Resize(columns, 24));
        let tabs = line(&state, state.geometry().tabs.y);
        assert!(
            tabs.contains(" 6 Kernels ") && tabs.contains("time range on the screen"),
            "{columns}: {tabs}"
        );
        let whole = " by launch configuration, time range on the screen, row 1 of ";
        assert!(columns < 135 || tabs.contains("by launch configuration"), "{columns}: {tabs}");
        assert!(columns < 150 || tabs.contains(whole), "{columns}: {tabs}");
    }
}

#[test]
fn one_of_a_kind_is_no_plural() {
    let mut state = of_events("one-of-a-kind", ONE, (200, 50));
    press(&mut state, "g999us<enter>");
    let check = |state: &State, what: &str| {
        // The tabs begin with the keys that show them.
        let tabs = usize::from(state.geometry().tabs.y);
        for (_, line) in screen(state).lines().enumerate().filter(|&(y, _)| y != tabs) {
            let words: Vec<&str> = line.split([' ', '(', ')', ',']).collect();
            let is_plural = |pair: &&[&str]| {
                pair[0] == "1" && pair[1].len() > 3 && pair[1].ends_with('s') && pair[1].is_ascii()
            };
            assert_eq!(words.windows(2).find(is_plural), None, "{what}: {line}");
        }
    };
    for view in VIEWS {
        press(&mut state, &format!(":{}<enter>", view.command));
        check(&state, view.name);
    }
    press(&mut state, "6<tab>V--------");
    check(&state, "the first row");
    press(&mut state, "V6<esc><esc>/gemm<enter>");
    check(&state, "search");
    assert_eq!(selected(&state), "gemm");
    press(&mut state, "x");
    check(&state, "a hidden lane");
}

#[test]
fn a_device_without_a_name_is_its_number() {
    let state = of_events("no-name", ONE, (80, 24));
    let shown = screen(&state);
    assert!(shown.contains("GPU 2 ") && !shown.contains("GPU 2 ·"), "{shown}");
}

#[test]
fn cells_of_the_minimap_that_are_nearly_full_are_seven_eighths() {
    // At least ten pieces of work per column of the minimap, each of which leaves 1 to 5 % of its time idle.
    let columns = 60;
    let piece = |n: u32| {
        let percent = 95 + n / 10 % 5;
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":2,"tid":7,"ts":{},"dur":{}.{percent}}}"#,
            n * 100,
            percent - 1
        )
    };
    let events: Vec<String> = (0..columns * 10).map(piece).collect();
    let mut state = of_events("nearly-full", &events.join(","), (80, 24));
    state.minimap.device.iter_mut().enumerate().for_each(|(n, share)| *share = 0.95 + (n % 5) as f32 / 100.0);
    let area = state.geometry().minimap;
    let columns = area.width;
    // The brackets at both ends say that the screen shows all of it.
    let within = |cell: &str| format!("[{}]", cell.repeat(columns as usize - 2));
    let cells: String = line(&state, area.y).chars().skip(usize::from(area.x)).collect();
    assert_eq!(cells, within("▇"), "95 to 99 %");
    state.minimap.device.iter_mut().for_each(|share| *share = 0.996);
    let cells: String = line(&state, area.y).chars().skip(usize::from(area.x)).collect();
    assert_eq!(cells, within("█"), "what rounds to 100 %");
}

#[test]
fn columns_without_room_are_counted_and_shown_by_a_key() {
    let mut state = explorer(GPU, (80, 24));
    for view in VIEWS {
        press(&mut state, &format!(":{}<enter>", view.command));
        // Of a serving engine the trace has nothing.
        if state.table().expect("a table").table.rows.is_empty() {
            assert_eq!(view.name, "serving");
            continue;
        }
        // A flame has no columns, and findings have a form of their own.
        if view.is_verdict {
            continue;
        }
        if state.table().is_some_and(|pane| matches!(pane.halves(state.size.0).0, Half::Chart(_))) {
            continue;
        }
        // Below a headline, which may take several lines.
        let headline = |state: &State| {
            let text = state.table().map_or("", |pane| pane.table.headline.as_str());
            let words: Vec<&str> = text.split(' ').collect();
            let top = state.geometry().pane.y;
            let is_of = |y: &u16| {
                line(state, *y).split_whitespace().all(|word| words.contains(&word) || word.ends_with('…'))
            };
            (top..top + 2).take_while(is_of).count() as u16
        };
        let heading = |state: &State| line(state, state.geometry().pane.y + headline(state));
        let titles: Vec<String> = state
            .table()
            .expect("a table")
            .table
            .columns
            .iter()
            .map(|column| column.title.to_string())
            .collect();
        let seen = heading(&state);
        let is_missing = titles.iter().any(|title| !seen.contains(title.as_str()));
        let tabs = |state: &State| line(state, state.geometry().tabs.y);
        press(&mut state, "<tab>");
        assert_eq!(is_missing, tabs(&state).contains(" →"), "{}: {seen}\n{}", view.name, tabs(&state));
        if !is_missing {
            press(&mut state, "<esc>");
            continue;
        }
        let mut all = heading(&state);
        for _ in 0..titles.len() {
            assert!(tabs(&state).contains('+') && tabs(&state).contains(" →"), "{}", tabs(&state));
            press(&mut state, "<right>");
            all += &heading(&state);
        }
        for title in &titles {
            assert!(all.contains(title.as_str()), "{}: {title} is on no page: {all}", view.name);
        }
        press(&mut state, &"<left>".repeat(titles.len()));
        assert_eq!(heading(&state), seen, "{}: and back", view.name);
        press(&mut state, "<esc>");
    }
}

#[test]
fn the_column_that_orders_the_rows_is_shown_with_its_bars() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "6<tab>");
    let columns = state.table().expect("a table").table.columns.len();
    for _ in 0..columns {
        press(&mut state, ">>");
        let pane = state.table().expect("a table");
        let (at, title) =
            pane.rows.order.map(|(at, _)| (at, &pane.table.columns[at].title)).expect("an order");
        let heading = line(&state, state.geometry().pane.y);
        assert!(heading.contains(&format!("{title}▾")), "{title}: {heading}");
        let bars = pane.rows.bars.expect("bars");
        let bar = &pane.table.columns[bars.column].title;
        let is_text = pane.table.columns[at].kind == ColumnKind::Text;
        assert!(bars.column == at || is_text, "{title} orders, {bar} is drawn");
        let bar = SafeText::new(bar).elide_end(8).to_string();
        assert!(heading.contains(&bar), "the column of the bars, {bar}, is named: {heading}");
        if !is_text {
            let rows = (0..pane.rows.len()).filter_map(|line| pane.row(line));
            let lengths: Vec<f64> = rows.filter_map(|row| bars.share(row)).collect();
            assert!(lengths.is_sorted_by(|a, b| a >= b), "{title}: {lengths:?}");
        }
    }
    press(&mut state, "V>>");
    let shown = screen(&state);
    assert!(shown.contains("Time of all kernels by name, rows sorted by"), "{shown}");
}

/// A kernel whose name differs from those of other numbers only in the middle.
fn kernel(number: usize) -> String {
    let part = "cutlass_gemm_device_GemmUniversal";
    format!("the kernel {part}_128x{number}_tn_align4 with parameters of {part}_tn_align4")
}

#[test]
fn names_that_differ_in_the_middle_stay_apart_wherever_the_table_is_scrolled_to() {
    let event = |number: usize| {
        let (name, ts, dur) = (kernel(number), number * 1000, 900 - number);
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
        )
    };
    let events: Vec<String> = (100..160).map(event).collect();
    let mut state = of_events("alike", &events.join(","), (80, 24));
    press(&mut state, "6");
    // The names on the screen, by their first columns.
    let names = |state: &State| -> Vec<String> {
        let shown = screen(state);
        let rows = shown
            .lines()
            .map(|line| line.trim_start_matches([' ', '▸']))
            .filter(|line| line.starts_with("the ker"));
        rows.map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
    };
    let top = names(&state);
    assert!(top.len() > 3 && top[0].contains("x100_"), "{top:?}");
    let mut distinct = top.clone();
    distinct.dedup();
    assert_eq!(distinct, top, "in the order of their lengths, equal names are neighbours");
    press(&mut state, "<tab>");
    let third = names(&state)[2].clone();
    press(&mut state, &"j".repeat(20));
    press(&mut state, &"k".repeat(20));
    assert_eq!(names(&state)[0], top[0]);
    assert_eq!(names(&state)[2], third, "a row looks the same before and after scrolling");
    press(&mut state, "V");
    let shown = screen(&state);
    assert!(shown.contains("x100_") && shown.contains("x101_"), "the chart's names, too: {shown}");
}

#[test]
fn a_tag_of_a_link_covers_no_name() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "/cutlass<enter>[f");
    let launch = state.selected.slice().expect("a launch");
    for _ in 0..4 {
        press(&mut state, "w");
        let y = state.geometry().timeline.y;
        let row = (y..y + state.geometry().timeline.height)
            .map(|y| line(&state, y))
            .find(|line| line.contains(" ▶"))
            .expect("a tag at the right edge");
        assert!(row.contains("cudaLaunchKernel ") && row.ends_with('▶'), "{row}");
    }
    press(&mut state, "]fww");
    assert_ne!(state.selected.slice(), Some(launch));
    press(&mut state, "ddd");
    let shown = screen(&state);
    let row = shown.lines().find(|line| line.contains("◀ ")).expect("a tag at the left edge");
    assert!(
        row.contains("launched by gemm bf16") && row.ends_with("‹32x3›"),
        "the name is not covered: {row}"
    );
}

#[test]
fn prompts_explain_themselves_in_eighty_columns() {
    for kind in
        [PromptKind::Palette, PromptKind::Search, PromptKind::Time, PromptKind::Filter, PromptKind::Mark]
    {
        assert!(SafeText::new(kind.help()).width() <= 74, "{kind:?}");
    }
}

#[test]
fn messages_are_whole_at_eighty_columns() {
    let mut state = explorer(GPU, (80, 24));
    let check = |state: &State, what: &str| {
        let Some(message) = &state.message else { return };
        let full = message.full();
        let lines = message.lines(80, 24);
        let shown = lines.iter().map(SafeText::as_str).collect::<Vec<_>>().join(" ");
        assert!(!shown.contains('…') || full.as_str().contains('…'), "{what}: {shown}");
        assert!(full.as_str().starts_with(&shown), "{what}: {shown}");
        let screen = screen(state);
        for line in &lines {
            assert!(screen.contains(line.as_str()), "{what}: {line}\n{screen}");
        }
    };
    // Every command, by the palette: from the timeline and from a pane, without and with a selected event.
    for before in ["", "l", "6<tab>V", "1<tab>"] {
        for command in command::all().filter(|command| !command.id.starts_with("app.")) {
            press(&mut state, &format!("<esc><esc>{before}:{}<enter>", command.id));
            check(&state, command.id);
            send(&mut state, Msg::Key(Key::Esc));
        }
    }
    for view in VIEWS {
        press(&mut state, &format!(":{}<enter><tab>", view.command));
        for _ in 0..30 {
            press(&mut state, ">>");
            let message = state.message.as_ref().expect("what the column means");
            let shown = message.lines(80, 24).iter().map(SafeText::as_str).collect::<Vec<_>>().join(" ");
            let (said, about) = shown
                .split_once(": ")
                .unwrap_or_else(|| panic!("what the column means has no room: {}", message.full()));
            assert!(said.starts_with("sorted by ") && message.full().as_str().contains(about), "{shown}");
        }
        press(&mut state, "<esc>");
    }
}

#[test]
fn a_typed_time_goes_where_it_says_or_is_refused() {
    let mut state = explorer(GPU, (80, 24));
    let footer = |state: &State| {
        let shown = screen(state);
        shown.lines().last().unwrap_or_default().to_owned()
    };
    let before = state.timeline.cursor();
    press(&mut state, "g4<enter>");
    assert_eq!(
        (footer(&state).as_str(), state.timeline.cursor()),
        ("4 has no unit: type 4ns, 4us, 4ms or 4s", before)
    );
    press(&mut state, "g11<enter>");
    assert!(footer(&state).ends_with("or #11 for step 11"), "{}", footer(&state));
    press(&mut state, "g4ms<enter>");
    assert_eq!(footer(&state), "the cursor is 4.000 ms after the trace's start, in step 10");
    press(&mut state, "g5s<enter>");
    let end = fmt::duration(state.session.trace.span.end - state.session.trace.main_span.start);
    assert_eq!(footer(&state), format!("the trace ends at {end}: the cursor is there"));
    press(&mut state, "g#99<enter>");
    assert_eq!(footer(&state), "no step 99 is loaded; the lowest is 10, the highest 13");
}

#[test]
fn nothing_is_said_to_be_missing_while_the_trace_is_read() {
    let host = ONE.lines().filter(|line| !line.contains("kernel\"")).collect::<String>();
    let mut state = of_events("half-read", &host, (80, 30));
    assert!(screen(&state).contains("no GPU events"), "all of the trace is read");
    state.source.begin(Shown::Snapshot);
    let assert_open = |state: &State, what: &str| {
        let shown = screen(state);
        for claim in ["no GPU events", "(no rows)", "in this trace", "There are no", "not in the trace"] {
            assert!(!shown.contains(claim), "{what}: {claim}\n{shown}");
        }
    };
    assert_open(&state, "first");
    assert!(screen(&state).contains("GPU reading …"));
    for view in VIEWS {
        press(&mut state, &format!(":{}<enter>", view.command));
        assert_open(&state, view.name);
        // The thread that runs the steps is judged already.
        let is_filled = state.table().is_some_and(|pane| !pane.table.rows.is_empty());
        assert!(is_filled || screen(&state).contains("reading …:"), "{}: {}", view.name, screen(&state));
    }
    // A kernel whose launch is still to come.
    let device = ONE.lines().filter(|line| line.contains("kernel\"")).collect::<String>();
    let mut state = of_events("half-read-device", device.trim_end_matches(','), (80, 24));
    state.source.begin(Shown::Snapshot);
    press(&mut state, "/gemm<enter>");
    assert_eq!(selected(&state), "gemm");
    assert_open(&state, "a kernel");
    press(&mut state, "[");
    assert!(screen(&state).contains("no link that way is read yet"));
    press(&mut state, "}");
    assert!(screen(&state).contains("no step is loaded so far"));
}

#[test]
fn a_link_of_the_details_is_cut_before_its_times() {
    let mut state = explorer(GPU, (80, 30));
    press(&mut state, "/cutlass<enter>[");
    let shown = screen(&state);
    let link = shown.lines().find(|line| line.contains("device work")).expect("the link to the kernel");
    assert!(link.contains('…') && link.contains(" · queue delay ") && link.contains(" · took "), "{link}");
}
