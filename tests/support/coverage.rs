//! Reads `docs/coverage.md`: which feature of the guides is given by which command, key or name of the Python
//! module. Must not know how these are run.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;
use std::path::Path;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// What a piece of code in the column `Here` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A command line; names of traces are replaced by their paths.
    Command(String),
    /// The trace in which the row's keys are pressed: `proftui open NAME`.
    Open(String),
    /// An expression or a statement with the Python module.
    Python(String),
    /// A file of the repository.
    File(String),
    /// A key, or a text that is typed into a prompt.
    Keys(String),
}

/// A row of the page: a feature of a guide.
#[derive(Clone, Debug)]
pub struct Row {
    /// Heading of the guide.
    pub guide: String,
    pub feature: String,
    pub here: Vec<Code>,
    /// What the row's codes print or show.
    pub shows: Vec<String>,
    /// `works`, `partly` or `not`.
    pub state: String,
}

/// The page.
pub struct Page {
    pub text: String,
    pub rows: Vec<Row>,
    /// Paths of traces by their names on the page.
    pub traces: BTreeMap<String, String>,
}

/// The cells of a row of a table, without the marks between them; `\|` is a mark in a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let inside = line.strip_prefix('|')?.strip_suffix('|')?;
    let cells = inside.replace("\\|", "\u{1}");
    Some(cells.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect())
}

/// The pieces between backquotes.
fn codes(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn kind(code: &str, traces: &BTreeMap<String, String>) -> Code {
    let line = || {
        let words = code.split(' ').map(|word| traces.get(word).map_or(word, String::as_str));
        words.collect::<Vec<_>>().join(" ")
    };
    if let Some(trace) = code.strip_prefix("proftui open ") {
        return Code::Open(traces.get(trace).unwrap_or_else(|| panic!("no trace is named {trace}")).clone());
    }
    let is_python = code.contains("proftui.")
        || ["prof.", "print(", "p.", "import ", "recorded(", "active(", "files("]
            .iter()
            .any(|start| code.starts_with(start));
    if code.starts_with("proftui ") {
        Code::Command(line())
    } else if is_python {
        Code::Python(code.to_owned())
    } else if code.contains('/') && code.len() > 1 {
        Code::File(code.to_owned())
    } else {
        Code::Keys(code.to_owned())
    }
}

/// Reads the page.
///
/// # Panics
/// When a row is not as the page says that rows are.
pub fn page() -> Page {
    let text =
        std::fs::read_to_string(Path::new(REPOSITORY).join("docs/coverage.md")).expect("docs/coverage.md");
    let mut traces = BTreeMap::new();
    let mut rows = Vec::new();
    let mut guide = "";
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            guide = heading;
        }
        let Some(cells) = cells(line) else { continue };
        match &cells[..] {
            [name, path] if path.starts_with("`demo-traces/") => {
                traces.extend(codes(name).pop().zip(codes(path).pop()));
            }
            [feature, here, shows, state, _]
                if !guide.is_empty() && ["works", "partly", "not"].contains(&state.as_str()) =>
            {
                let here: Vec<Code> = codes(here).iter().map(|code| kind(code, &traces)).collect();
                let is_right = if here.is_empty() { state != "works" } else { state != "not" };
                assert!(is_right, "{feature}: only what works has a command");
                let (feature, shows) = (feature.clone(), codes(shows));
                rows.push(Row { guide: guide.to_owned(), feature, here, shows, state: state.clone() });
            }
            [_, _, _, state, _] if !guide.is_empty() => {
                assert!(["State", "---"].contains(&state.as_str()), "{line}");
            }
            _ => {}
        }
    }
    assert!(rows.len() > 300 && traces.len() > 5, "{} rows, {} traces", rows.len(), traces.len());
    Page { text, rows, traces }
}
