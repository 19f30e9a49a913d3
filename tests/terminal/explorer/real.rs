//! Every pane over real traces, where a collection of them stands beside the checkout.

use std::path::{Path, PathBuf};

use proftui::app::State;
use proftui::app::view::lines::LineKind;
use proftui_insight::analysis::{TableRow, VIEWS, Value};
use proftui_trace::model::{LaneId, LaneKind};

use super::{explorer, key_of, press, screen};

/// Larger files are left to tests/shared, which holds their tables against sums in Python.
const LARGEST: u64 = 1 << 20;

/// Folders of the collection whose JSON is no trace in Chrome's form.
const OTHER_FORMATS: [&str; 2] = ["formats/perfetto", "formats/sampled"];

/// The Chrome JSON files under a folder that are not too large.
fn traces(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the collection") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !OTHER_FORMATS.iter().any(|other| path.ends_with(other)) {
            traces(&path, found);
        }
        let name = path.to_string_lossy();
        let is_trace = name.ends_with(".json") || name.ends_with(".json.gz");
        if is_trace && std::fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST) {
            found.push(path);
        }
    }
}

/// The shares in a row and below it that are none.
fn wrong_shares(row: &TableRow) -> Vec<f64> {
    let of_row = row.cells.iter().filter_map(|cell| match cell {
        Value::Ratio(share) if !(0.0..=1.0 + 1e-9).contains(share) => Some(*share),
        _ => None,
    });
    of_row.chain(row.children.iter().flat_map(wrong_shares)).collect()
}

/// The text that the pane must show first: the name of its first row, or the note that stands in for rows.
fn first_text(state: &State) -> String {
    let pane = state.table().expect("a summary");
    let text = match pane.row(0).map(|row| &row.cells[0]) {
        Some(Value::Text(name)) => name.to_string(),
        Some(_) => String::new(),
        None => pane.table.notes.first().expect("rows or a note").clone(),
    };
    text.chars().take(8).collect::<String>().trim_end().to_owned()
}

#[test]
fn every_pane_shows_rows_or_says_what_would_fill_it() {
    let Some(shared) = crate::skip::shared("traces", "every pane over real traces") else { return };
    let mut paths = Vec::new();
    traces(&shared, &mut paths);
    assert!(paths.len() > 50, "{} traces", paths.len());
    let on_screen = format!("1wwwww<tab><tab>{}<backtab>", key_of("pane.scope"));
    for path in paths {
        // The whole trace, and the time range on the screen after zooming in.
        for keys in ["1<tab>", &on_screen] {
            let mut state = explorer(&path.to_string_lossy(), (80, 24));
            press(&mut state, keys);
            for view in VIEWS {
                press(&mut state, &format!(":{}<enter>", view.command));
                let shown = screen(&state);
                let what = format!("{} of {}\n{shown}", view.name, path.display());
                let first = first_text(&state);
                assert!(shown.contains(&first), "{first:?} is missing: {what}");
                assert!(!shown.contains("(nothing)") && !shown.contains("NaN"), "{what}");
                let table = &state.table().expect("a summary").table;
                // Peaks are measured or estimated: an operator may have a little more.
                if view.name == "roofline" {
                    continue;
                }
                let wrong: Vec<f64> = table.rows.iter().flat_map(wrong_shares).collect();
                assert!(wrong.is_empty(), "{wrong:?}: {what}");
            }
        }
    }
}

/// What is wrong with the counts on a screen: a first part that is no part, one or no row among the "others",
/// a plural of one.
fn wrong_count(shown: &str) -> Option<&str> {
    let number = |text: &str| {
        let digits: String = text.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    };
    shown.lines().find(|line| {
        let first = line.split_once("first ").and_then(|(_, after)| {
            let (top, of) = after.split_once(" of ")?;
            Some(number(top)? >= number(of)?)
        });
        let others = line.split_once(" others (").and_then(|(_, after)| Some(number(after)? < 2));
        let is_plural = |words: &[&str]| words[0] == "1" && ["rows", "others", "names"].contains(&words[1]);
        let words: Vec<&str> = line.split([' ', '(', ')', ',']).collect();
        first == Some(true) || others == Some(true) || words.windows(2).any(is_plural)
    })
}

#[test]
fn charts_count_their_rows() {
    assert!(wrong_count(" Kernels · first 10 of 7 rows").is_some());
    assert!(wrong_count("  11 others (1)").is_some());
    assert_eq!(wrong_count(" first 10 of 12 rows\n 11 others (2)"), None);
    let Some(shared) = crate::skip::shared("traces", "the charts of every pane over real traces") else {
        return;
    };
    let mut paths = Vec::new();
    traces(&shared, &mut paths);
    let mut count = 0;
    for path in paths {
        let mut state = explorer(&path.to_string_lossy(), (160, 50));
        press(&mut state, "1<tab>o");
        for view in VIEWS {
            press(&mut state, &format!(":{}<enter>", view.command));
            let charts = state.table().expect("a summary").table.charts.len();
            for _ in 0..charts {
                press(&mut state, "V");
                let shown = screen(&state);
                count += 1;
                assert_eq!(wrong_count(&shown), None, "{} of {}\n{shown}", view.name, path.display());
            }
        }
    }
    assert!(count > 300, "{count} charts");
}

/// The lines of the timeline on the screen of a newly opened trace.
fn lines_on_screen(state: &State) -> Vec<LineKind> {
    state.visible_lines().filter_map(|line| state.timeline.lines().get(line)).map(|line| line.kind).collect()
}

#[test]
fn the_first_screen_shows_a_stream_with_work_and_the_thread_that_launches_it() {
    let Some(shared) = crate::skip::shared("traces", "the first screen of real traces") else { return };
    let mut paths = Vec::new();
    traces(&shared, &mut paths);
    // Of Ascend's traces in `formats`, the first screen of 24 lines shows a stream without work: this does
    // not hold there yet.
    paths.retain(|path| !path.parent().is_some_and(|folder| folder.ends_with("formats/ascend")));
    let mut devices = 0;
    for path in paths {
        let state = explorer(&path.to_string_lossy(), (80, 24));
        let trace = &state.session.trace;
        if state.session.ledger.devices.is_empty() {
            continue;
        }
        devices += 1;
        let what = format!("{}\n{}", path.display(), screen(&state));
        let lanes: Vec<LaneId> = lines_on_screen(&state)
            .into_iter()
            .filter_map(|kind| if let LineKind::Row(lane, _) = kind { Some(lane) } else { None })
            .collect();
        let stream = lanes.iter().copied().find(|&lane| {
            let is_stream = trace.lanes[lane].kind == LaneKind::Stream;
            is_stream && state.session.ledger.devices.iter().any(|device| device.lanes.contains(&lane))
        });
        let stream = stream.unwrap_or_else(|| panic!("no stream with work: {what}"));
        assert!(trace.lane_title(&trace.lanes[stream]).starts_with("stream "), "{what}");
        let launches = |lane: LaneId| trace.links.within(trace.lanes[lane].slices).len();
        let worker = |lane: LaneId| trace.groups[trace.lanes[lane].group].worker;
        let of_worker = trace.lanes.ids().iter().filter(|&lane| worker(lane) == worker(stream));
        let most = of_worker.max_by_key(|&lane| launches(lane)).filter(|&lane| launches(lane) > 0);
        assert!(most.is_none_or(|most| lanes.contains(&most)), "no launching thread: {what}");
    }
    assert!(devices >= 15, "{devices} traces with devices");
}
