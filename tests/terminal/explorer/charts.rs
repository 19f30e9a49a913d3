//! Charts of panes: what they count, what stands beside them, and the unit of their times.

use proftui::app::{Msg, State};

use super::{GPU, explorer, press, screen, send};
use crate::scratch::Scratch;

/// An explorer of a trace with `count` kernels of different names on one stream, the first one longest.
fn kernels(count: usize, size: (u16, u16)) -> State {
    let kernel = |n: usize| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"gemm_{n:02}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7}}}}"#,
            n * 100,
            90 - n
        )
    };
    let events: Vec<String> = (0..count).map(kernel).collect();
    let text = format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(","));
    let folder = Scratch::new("charts");
    explorer(&folder.file("kernels.json", text), size)
}

/// The line of the screen that contains `text`.
fn line_of(state: &State, text: &str) -> String {
    let shown = screen(state);
    shown.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}: {shown}")).to_owned()
}

#[test]
fn titles_count_the_rows_that_there_are() {
    const TITLE: &str = "Time of all kernels by name";
    for (count, title, others) in [
        (1, "Time of all kernels by name", None),
        (7, "Time of all kernels by name", None),
        (10, "Time of all kernels by name", None),
        (11, "Time of all kernels by name", None),
        (12, "Time of all kernels by name · first 10 of 12 rows", Some("11 others (2)")),
    ] {
        let mut state = kernels(count, (100, 60));
        press(&mut state, "6<tab>oV");
        assert_eq!(line_of(&state, TITLE).trim(), title, "{count}");
        let shown = screen(&state);
        assert_eq!(shown.contains(" others"), others.is_some(), "{count}: {shown}");
        assert!(others.is_none_or(|others| shown.contains(others)), "{count}: {shown}");
        assert!(shown.contains(&format!("gemm_{:02}", count.min(10) - 1)), "{count}: {shown}");
    }
    let mut state = kernels(12, (100, 60));
    press(&mut state, "6<tab>oV/gemm_03<enter>");
    assert!(line_of(&state, TITLE).contains("· 1 of 12 rows"), "{}", screen(&state));
    assert!(screen(&state).contains("2 others (11)"), "{}", screen(&state));
}

#[test]
fn rows_without_a_value_have_no_bar() {
    let charts = [
        ("VV", "Own time by operator", "slice_grad_kernel"),
        ("VVV", "Operator time by what runs inside", "slice_grad/compute"),
    ];
    for (keys, title, without) in charts {
        let mut state = explorer("guide-slice-grad.paddle_trace.json.gz", (120, 50));
        press(&mut state, "5<tab><space>");
        press(&mut state, keys);
        assert!(screen(&state).contains(title), "{title}: {}", screen(&state));
        let shown = screen(&state);
        let line = shown.lines().find(|line| line.trim_start().starts_with(without)).unwrap_or_default();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), [without, "-"], "{title}: {shown}");
        assert!(line_of(&state, "832.6 ms").contains("slice_grad "), "{title}: {}", screen(&state));
    }
}

#[test]
fn more_bars_are_never_more_than_rows() {
    let mut state = kernels(3, (100, 60));
    press(&mut state, "6<tab>oV");
    let said = |state: &mut State, keys: &str| {
        press(state, keys);
        screen(state).lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(said(&mut state, "+"), "all 3 rows have bars of their own");
    assert_eq!(said(&mut state, "-"), "2 of 3 rows have bars of their own, the other row comes last");
    assert!(screen(&state).contains("3 other (1)"), "{}", screen(&state));
    assert_eq!(said(&mut state, "-"), "1 of 3 rows has a bar of its own, the other rows share one");
    assert!(screen(&state).contains("2 others (2)"), "{}", screen(&state));
    assert_eq!(said(&mut state, "+++"), "all 3 rows have bars of their own");
    let mut state = kernels(1, (100, 60));
    press(&mut state, "6<tab>oV");
    assert_eq!(said(&mut state, "+"), "the only row has a bar of its own");
}

#[test]
fn a_chart_stands_beside_another_where_there_is_room() {
    let mut state = explorer(GPU, (120, 30));
    press(&mut state, "6o|");
    let heading = line_of(&state, "Kernel  ");
    assert!(heading.contains("Time of all kernels by name"), "the table and the first chart: {heading}");
    press(&mut state, "V");
    let heading = line_of(&state, "Time of all");
    assert!(heading.contains("Kernel time on tensor cores"), "a chart and the next: {heading}");
    press(&mut state, "V");
    let heading = line_of(&state, "Time of all");
    assert!(heading.trim_start().starts_with("Kernel time on tensor"), "the last and the first: {heading}");
    press(&mut state, "|");
    assert!(!screen(&state).contains("Time of all kernels"), "{}", screen(&state));
    // A screen that gets too narrow shows one chart, and both again once it is wide enough.
    press(&mut state, "|<esc>");
    send(&mut state, Msg::Resize(99, 30));
    assert!(!screen(&state).contains("Time of all kernels"), "{}", screen(&state));
    send(&mut state, Msg::Resize(100, 30));
    assert!(screen(&state).contains("Time of all kernels"), "{}", screen(&state));
}

#[test]
fn each_of_two_charts_has_its_own_order() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "5oV|");
    let first = |state: &State| {
        let shown = screen(state);
        let line = shown.lines().skip_while(|line| !line.contains("Device time by operator")).nth(2);
        line.unwrap_or_default().to_owned()
    };
    let line = first(&state);
    let (left, right) = (line.find("aten::mm"), line.find("aten::_local"));
    assert!(left.is_some() && left < right, "{line}\n{}", screen(&state));
    // A column that the user chooses orders both.
    press(&mut state, "<tab>>1");
    assert!(screen(&state).contains("rows sorted"), "{}", screen(&state));
    let line = first(&state);
    let names: Vec<&str> = line.split_whitespace().filter(|word| word.starts_with("aten::")).collect();
    assert_eq!(names.len(), 2, "{line}");
    assert_eq!(names[0].get(..9), names[1].get(..9), "{line}");
}

#[test]
fn a_narrow_screen_says_how_wide_it_has_to_be() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "6|");
    let wanted = "side by side needs a screen of at least 100 columns; this one has 80";
    assert!(screen(&state).contains(wanted), "{}", screen(&state));
    press(&mut state, "1|");
    assert!(screen(&state).contains("there is no chart to show here"), "{}", screen(&state));
}

#[test]
fn all_times_of_a_pane_have_the_unit_chosen() {
    let mut state = kernels(3, (120, 40));
    press(&mut state, "6<tab>o");
    let row =
        |state: &State| line_of(state, "▸ gemm_00").split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
    assert!(row(&state).starts_with("1 90.00 µs 33.7%"), "{}", row(&state));
    for (cell, unit) in [("90000", "ns"), ("90.000", "µs"), ("0.090", "ms"), ("0.000090", "s")] {
        press(&mut state, "M");
        assert!(row(&state).starts_with(&format!("1 {cell} 33.7% {cell}")), "{}", row(&state));
        assert!(screen(&state).contains(&format!("─ times in {unit}, row 1 of 3 ─")), "{}", screen(&state));
        press(&mut state, "V");
        assert!(line_of(&state, " 33.7%").contains(&format!(" {cell}  ")), "{}", screen(&state));
        press(&mut state, "VV");
    }
    press(&mut state, "M");
    assert!(
        row(&state).starts_with("1 90.00 µs") && screen(&state).contains("─ row 1 of 3 ─"),
        "{}",
        row(&state)
    );
}

#[test]
fn times_of_one_unit_are_aligned_at_the_point() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "6<tab>oMMM");
    let shown = screen(&state);
    let below = shown.lines().skip_while(|line| !line.contains("Total ")).skip(1);
    let rows: Vec<Vec<char>> = below.map(|line| line.chars().collect()).collect();
    let heading: Vec<char> = line_of(&state, "Total ").chars().collect();
    let total: String = heading.iter().collect();
    let end = total.split("Total").next().expect("the column").chars().count() + "Total".len();
    let points: Vec<bool> = rows
        .iter()
        .filter(|row| row.len() > end && row[end - 1].is_ascii_digit())
        .map(|row| row[end - 4] == '.')
        .collect();
    assert!(points.len() > 10 && points.iter().all(|is_point| *is_point), "{shown}");
}

#[test]
fn the_overview_has_covered_time_beside_summed_time() {
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, ":pane.overview<enter>oV|");
    let heading = line_of(&state, "Summed time by category");
    assert!(heading.contains("Time covered by category") && !heading.contains("sorted"), "{heading}");
    for kernels in ["46.00 ms", "35.94 ms"] {
        assert!(line_of(&state, kernels).contains("Kernel  "), "{kernels}");
    }
    assert!(!screen(&state).contains("100.0%"), "no legend for bars of one part: {}", screen(&state));
    press(&mut state, "V|");
    assert!(line_of(&state, "Time covered by category").trim() == "Time covered by category");
}
