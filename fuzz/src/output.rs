//! All layouts and formats of `summary`: the first bytes of an input choose options, the others are or make a
//! trace.
//!
//! No table or text may panic, have a character that is not safe to show, or be larger than the trace
//! explains.

use proftui_insight::analysis::{Arguments, Needs, Scope, Table, TableRow, VIEWS};
use proftui_base::fmt::TimeUnit;
use proftui_base::time::Span;
use proftui_insight::compat::{fluid, paddle, torch, visualdl};
use proftui_trace::import::Loaded;
use proftui_insight::report;
use proftui_insight::report::csv::Formulas;
use serde_json::Value as Json;

use crate::named;
use crate::readers::{cells, csv, is_safe};

/// What an input is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Csv,
    Markdown,
    Json,
    Torch,
    Paddle,
    Visualdl,
    Fluid,
}

/// Number of bytes that choose options.
pub const OPTIONS: usize = 3;

/// The units of time; none chooses one by the size of each time.
const UNITS: [Option<TimeUnit>; 4] = [None, Some(TimeUnit::Nano), Some(TimeUnit::Milli), Some(TimeUnit::Second)];

/// Loads the trace in `bytes` and checks one output of it.
pub fn check(output: Output, bytes: &[u8]) {
    let Some((&[kind, first, second], rest)) = bytes.split_first_chunk::<OPTIONS>() else { return };
    let text = if kind % 2 == 0 { Some(rest.to_vec()) } else { named::json(rest).map(String::into_bytes) };
    let Some(text) = text else { return };
    let Ok(loaded) = crate::load(&text) else { return };
    let span = loaded.trace.span;
    let half = Span { start: span.start, end: span.start.midpoint(span.end) };
    let is_part = kind & 0x30 == 0x30;
    let scope = if is_part { Scope { span: Some(half), lanes: None } } else { Scope::default() };
    let unit = UNITS[usize::from(kind >> 6)];
    // An event has a few rows, each with its numbers and a text or two, whose characters may be escaped.
    let strings = &loaded.trace.strings;
    let longest = strings.ids().iter().map(|id| strings.bytes(id).len()).max().unwrap_or_default();
    let events = loaded.trace.slices.len() + loaded.trace.memory.len() + loaded.trace.instants.len() + 16;
    let most = 4 * events * (2_000 + 16 * longest);
    let bounded = |out: &str| assert!(out.len() <= most, "{} bytes for {events} events: {output:?}", out.len());
    match output {
        Output::Csv | Output::Markdown | Output::Json => {
            for table in tables(&loaded, &scope, first, second) {
                bounded(&formatted(output, &table, unit, &loaded, &scope));
            }
        }
        Output::Torch => {
            let averages = averages(&loaded, &scope, first, second);
            let options = torch::print::TableOptions {
                row_limit: if first & 32 == 32 { 3 } else { -1 },
                is_top_level_only: first & 64 == 64,
                name_width: [55, 0, 2, 200][usize::from(second >> 6)],
                time_unit: unit,
            };
            let out = torch::print::render(&averages, &options);
            is_safe(&out, &[]);
            bounded(&out);
            rules_are_equal(&out);
        }
        Output::Paddle => {
            let tables = paddle::summaries(&loaded.trace, &scope, paddle_options(first, second), |_| true);
            tables.iter().for_each(is_table);
            let mut out = paddle::print::render(&tables, unit.unwrap_or(TimeUnit::Milli));
            let timed = paddle::timer::timed(&loaded.trace, &scope, (second > 0).then_some(u64::from(second)));
            out.push_str(&paddle::timer::print::render(&timed));
            is_safe(&out, &[]);
            bounded(&out);
            paddle::print::note(&tables).iter().for_each(|note| is_safe(note, &[]));
        }
        Output::Visualdl => {
            for table in visualdl::summaries(&loaded.trace, &loaded.texts, &scope, |_| true) {
                is_table(&table);
                let look = report::text::Look { width: Some(40 + usize::from(first)), unit, ..Default::default() };
                let out = report::text::render(&table, look);
                is_safe(&out, &[]);
                bounded(&out);
            }
        }
        Output::Fluid => {
            let key = fluid::SortKey::ALL[usize::from(first) % 8].1;
            let state = [fluid::State::All, fluid::State::Cpu, fluid::State::Gpu][usize::from(second) % 3];
            let detail = [fluid::Detail::Default, fluid::Detail::OpDetail, fluid::Detail::AllOpDetail];
            let options = fluid::Options { state, key, detail: detail[usize::from(second >> 4) % 3] };
            let report = fluid::report(&loaded.trace, &scope, options);
            let out = fluid::print::render(&report);
            is_safe(&out, &[]);
            bounded(&out);
            report.notes().iter().for_each(|note| is_safe(note, &[]));
            let rows: usize = report.sections.iter().map(|section| section.rows.len()).sum();
            assert!(out.lines().count() <= rows + report.memory.len() + 40 * report.sections.len() + 40);
        }
    }
}

/// A fourth of all tables of a trace, by `second`: some of our own views, each in every grouping; and those
/// of one layout.
fn tables(loaded: &Loaded, scope: &Scope, first: u8, second: u8) -> Vec<Table> {
    let trace = &loaded.trace;
    let part = second >> 6;
    let mut tables = match part {
        0 => vec![averages(loaded, scope, first, second).table()],
        1 => paddle::summaries(trace, scope, paddle_options(first, second), |_| true),
        2 => visualdl::summaries(trace, &loaded.texts, scope, |_| true),
        _ => Vec::new(),
    };
    for (_, view) in VIEWS.iter().enumerate().filter(|(at, _)| at % 4 == usize::from(part)) {
        tables.push(view.table(trace, scope));
        for grouping in view.groupings {
            let needs = Needs { stack: usize::from(first) % 8, ..grouping.needs };
            let arguments = Arguments::read(trace, &loaded.texts, scope, needs).expect("a text in memory can be read");
            tables.push(view.table_by(grouping, trace, scope, &arguments));
        }
    }
    tables
}

fn averages(loaded: &Loaded, scope: &Scope, first: u8, second: u8) -> torch::Averages {
    let rules = if first & 1 == 1 { torch::Rules::DeepLink } else { torch::Rules::default() };
    let by_stack = [0, 1, 5, usize::MAX][usize::from(first >> 1) % 4];
    let grouping = torch::Grouping { by_shape: first & 8 == 8, by_stack };
    let read = torch::averages(&loaded.trace, &loaded.texts, scope, rules, grouping);
    let mut averages = read.expect("a text in memory can be read");
    if first & 16 == 16 {
        let key = torch::SORT_KEYS[usize::from(second) % torch::SORT_KEYS.len()];
        assert!(averages.sort(key));
    }
    averages
}

fn paddle_options(first: u8, second: u8) -> paddle::Options {
    let keys = paddle::SortKey::ALL;
    let sorted_by = keys[usize::from(second) % keys.len()].1;
    paddle::Options { sorted_by, by_thread: first & 1 == 1, no_detail: first & 2 == 2 }
}

/// Formats a table and reads it again: it has the rows and columns of the table.
fn formatted(output: Output, table: &Table, unit: Option<TimeUnit>, loaded: &Loaded, scope: &Scope) -> String {
    is_table(table);
    let rows = count(&table.rows);
    match output {
        Output::Csv => {
            let out = report::csv::render(table, Formulas::Guarded);
            is_safe(&out, &['\r']);
            let records = csv(&out);
            assert_eq!(records.len(), rows + 1, "{out}");
            assert!(records.iter().all(|record| record.len() == table.columns.len() + 1), "{out}");
            assert!(records[1..].iter().all(|record| record[0].parse::<usize>().is_ok()), "{out}");
            let raw = csv(&report::csv::render(table, Formulas::Raw));
            assert_eq!(raw.len(), records.len());
            for (guarded, raw) in records.iter().flatten().zip(raw.iter().flatten()) {
                assert!(guarded == raw || guarded.strip_prefix('\'') == Some(raw), "{guarded}: {raw}");
                let begins = guarded.trim_start().starts_with(['=', '+', '-', '@']);
                assert!(!begins || guarded == "-" || guarded.trim_start().parse::<f64>().is_ok(), "{guarded}");
            }
            out
        }
        Output::Markdown => {
            let out = report::markdown::render(table, unit);
            is_safe(&out, &[]);
            let lines: Vec<&str> = out.lines().filter(|line| line.starts_with('|')).collect();
            assert!(lines.iter().all(|line| cells(line) == table.columns.len()), "{out}");
            assert!(lines.len() == rows + 2 || rows == 0, "{out}");
            assert_eq!(out.lines().count(), lines.len() + table.notes.len() + out.matches("\n\n").count() + 1, "{out}");
            out
        }
        _ => {
            let scope = report::json::scope(scope, &loaded.trace);
            let out = serde_json::to_string(&report::json::render(table, &scope)).expect("it has no error");
            is_safe(&out, &[]);
            let read: Json = serde_json::from_str(&out).expect("it is JSON");
            texts_are_safe(&read);
            assert_eq!(json_rows(&read["rows"], table.columns.len()), rows);
            out
        }
    }
}

/// Checks that each row has a cell per column.
fn is_table(table: &Table) {
    fn rows(list: &[TableRow], columns: usize) {
        for row in list {
            assert_eq!(row.cells.len(), columns);
            rows(&row.children, columns);
        }
    }
    rows(&table.rows, table.columns.len());
    table.notes.iter().for_each(|note| is_safe(note, &[]));
}

fn count(rows: &[TableRow]) -> usize {
    rows.iter().map(|row| 1 + count(&row.children)).sum()
}

/// The number of rows in JSON, each with as many cells as there are columns.
fn json_rows(rows: &Json, columns: usize) -> usize {
    let rows = rows.as_array().expect("a list of rows");
    let of_row = |row: &Json| {
        assert_eq!(row["cells"].as_array().map(Vec::len), Some(columns));
        1 + json_rows(&row["children"], columns)
    };
    rows.iter().map(of_row).sum()
}

/// Checks the texts in JSON once their escapes are resolved.
fn texts_are_safe(json: &Json) {
    match json {
        Json::String(text) => is_safe(text, &[]),
        Json::Array(list) => list.iter().for_each(texts_are_safe),
        Json::Object(members) => members.values().for_each(texts_are_safe),
        _ => {}
    }
}

/// Checks that the lines of dashes in torch's table, above, below its headings and below its rows, are the
/// same.
fn rules_are_equal(out: &str) {
    let is_rule = |line: &&str| !line.is_empty() && line.chars().all(|ch| matches!(ch, '-' | ' ')) && line.contains("--  ");
    let mut rules = out.lines().filter(is_rule);
    if let Some(first) = rules.next() {
        assert!(rules.all(|rule| rule == first || rule.trim_start() != rule), "{out}");
    }
}
