//! `proftui export` as its users run it: folders of files, standard output, what it refuses, its page of the
//! documentation.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proftui_insight::dataset::{QUERIES, TABLES};

use crate::binary::{printed, proftui, said};
use crate::scratch::Scratch;

const TRACE: &str = "demo-traces/synthetic-gpu.json.gz";

#[test]
fn each_table_is_a_file() {
    let folder = Scratch::new("tables");
    let to = folder.path("new/tables");
    let output = proftui(&["export", TRACE, "--format", "csv", "-o", &to]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let mut names: Vec<String> = fs::read_dir(&to)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let mut want: Vec<String> = TABLES.iter().map(|table| format!("{}.csv", table.name())).collect();
    want.sort();
    assert_eq!(names, want);
    for table in TABLES {
        let file = fs::read_to_string(Path::new(&to).join(format!("{}.csv", table.name()))).expect("a file");
        let (heading, rows) = file.split_once("\r\n").expect("a heading");
        let columns: Vec<&str> = table.columns().iter().map(|column| column.id).collect();
        assert_eq!(heading, columns.join(","));
        assert!(rows.starts_with("synthetic-gpu.json.gz,"), "{}: {rows:.80}", table.name());
        let on_stdout = printed(&["export", TRACE, "--format", "csv", "--table", table.name()]);
        assert_eq!(on_stdout, file, "{}", table.name());
    }
    // A second export replaces nothing without --force.
    let again = proftui(&["export", TRACE, "--format", "csv", "-o", &to]);
    assert_eq!(again.status.code(), Some(1));
    assert!(said(&again).contains("the file exists already: use --force"), "{}", said(&again));
    let forced = proftui(&[
        "export", TRACE, "--format", "csv", "-o", &to, "--force", "--table", "steps", "--name", "rank 7",
    ]);
    assert!(forced.status.success(), "{}", said(&forced));
    let steps = fs::read_to_string(Path::new(&to).join("steps.csv")).expect("a file");
    assert!(steps.lines().skip(1).all(|line| line.starts_with("rank 7,")), "{steps}");
}

#[test]
fn arrow_is_a_stream_on_standard_output_and_else_a_file() {
    let folder = Scratch::new("tables-arrow");
    let output = proftui(&["export", TRACE, "--table", "steps"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(output.stdout[..4], [0xff; 4], "a message of a stream of Arrow begins so");
    let to = folder.path("tables");
    assert!(proftui(&["export", TRACE, "-o", &to]).status.success());
    let file = fs::read(Path::new(&to).join("steps.arrow")).expect("a file");
    assert!(file.starts_with(b"ARROW1") && file.ends_with(b"ARROW1"));
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let folder = Scratch::new("tables-refused");
    let file = folder.path("file");
    fs::write(&file, "").expect("a file");
    for (words, why) in [
        (&["export", TRACE][..], "standard output takes one table: name it with --table"),
        (&["export", TRACE, "-o", &file], "the folder cannot be made"),
        (&["export", TRACE, "--table", "steps", "--csv-raw"], "--csv-raw needs --format csv"),
        (&["export", "no-such-file.json", "--table", "steps"], "no-such-file.json"),
    ] {
        let output = proftui(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(why) && said(&output).lines().count() == 1, "{}", said(&output));
    }
    assert_eq!(proftui(&["export"]).status.code(), Some(2));
}

#[test]
fn queries_name_tables_that_there_are() {
    for query in QUERIES {
        let sql = printed(&["export", "--query", query.name]);
        assert_eq!(sql, query.sql);
        assert!(sql.starts_with("-- "), "{}", query.name);
        let words: Vec<&str> = sql.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| ["FROM", "JOIN"].contains(&pair[0])) {
            let is_table = TABLES.iter().any(|table| table.name() == pair[1]);
            let is_part = sql.contains(&format!("{} AS (", pair[1]));
            assert!(is_table || is_part, "{}: {}", query.name, pair[1]);
        }
    }
}

/// The tables as the page has them.
fn page() -> String {
    let mut out = String::new();
    for table in TABLES {
        write!(
            out,
            "### {}\n\n{}.\n\n| column | type | meaning |\n| --- | --- | --- |\n",
            table.name(),
            table.about()
        )
        .expect("a text");
        for column in table.columns() {
            let kind = column.kind.name();
            let nullable = if column.is_nullable { ", may be missing" } else { "" };
            writeln!(out, "| `{}` | {kind}{nullable} | {} |", column.id, column.about).expect("a text");
        }
        out.push('\n');
    }
    out.trim_end().to_owned() + "\n"
}

#[test]
fn the_page_has_all_tables_and_columns() {
    const MARK: &str = "## Tables and columns\n\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
    let text = fs::read_to_string(&path).expect("a page");
    let (before, tables) = text.split_once(MARK).expect("a heading");
    if std::env::var_os("PROFTUI_DOCS").is_some_and(|value| value == "write") && tables != page() {
        fs::write(&path, format!("{before}{MARK}{}", page())).expect("written");
        return;
    }
    assert_eq!(tables, page(), "PROFTUI_DOCS=write writes it");
}
