//! Tables of a trace whose names are hostile to the format that they are printed in: what a reader of the
//! format gets are the names.

use std::fmt::Write;

use serde_json::Value;

use crate::binary::{json, printed, proftui, said};
use crate::scratch::Scratch;

/// Names that are grammar or more than text to a spreadsheet, to Markdown, or to a site that shows Markdown.
const NAMES: [&str; 14] = [
    "=1+1",
    "-2+3",
    "+x",
    "@user",
    "  =1",
    "a,\"b\";=1",
    "see #12 of GH-3",
    "http://host/x www.host.org a@b.c",
    "&amp; <b>x</b> <!-- x -->",
    "a|b",
    "a\\|b",
    "`x` ``y",
    "[x](http://y) *x* ~~y~~ $z$ :smile:",
    "deadbeefcafe",
];

fn trace(scratch: &Scratch) -> String {
    let mut events = String::new();
    for (at, name) in NAMES.iter().enumerate() {
        let name = serde_json::to_string(name).expect("JSON");
        let comma = if at == 0 { "" } else { "," };
        write!(
            events,
            r#"{comma}{{"ph":"X","cat":"kernel","name":{name},"ts":{},"dur":{},"pid":0,"tid":7}}"#,
            at * 100,
            90 - at
        )
        .expect("written");
    }
    scratch.file("=trace.json", format!("[{events}]"))
}

/// The names in the rows of a table as JSON, which needs no care.
fn names(table: &Value) -> Vec<String> {
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["cells"][0].as_str().expect("a name").to_owned()).collect()
}

/// The second field of a line of CSV.
fn second(line: &str) -> String {
    let rest = line.split_once(',').expect("a depth").1;
    match rest.strip_prefix('"') {
        None => rest.split(',').next().expect("a field").to_owned(),
        Some(quoted) => quoted.replace("\"\"", "\0").split('"').next().expect("a field").replace('\0', "\""),
    }
}

#[test]
fn names_come_back_from_csv_and_are_no_formulas() {
    let scratch = Scratch::new("formulas");
    let path = trace(&scratch);
    let args = ["summary", "--view", "kernel", "--format"];
    let wanted = names(&json(&[&args[..], &["json", &path]].concat()));
    assert_eq!(wanted.len(), NAMES.len());
    let read = |more: &[&str]| -> Vec<String> {
        let out = printed(&[&args[..], &["csv", &path], more].concat());
        out.split_terminator("\r\n").skip(1).filter(|line| line.starts_with("0,")).map(second).collect()
    };
    assert_eq!(read(&["--csv-raw"]), wanted);
    let guarded = read(&[]);
    for (guarded, name) in guarded.iter().zip(&wanted) {
        let is_formula = name.trim_start().starts_with(['=', '+', '-', '@']);
        assert_eq!(*guarded, if is_formula { format!("'{name}") } else { name.clone() });
    }
    for layout in ["torch", "visualdl"] {
        let out = printed(&["summary", "--layout", layout, "--format", "csv", &path]);
        assert!(!out.contains(",=1+1") && !out.contains("\"a,\"\"b\"\"=1\""), "{out}");
    }
}

#[test]
fn headings_of_compared_traces_are_no_formulas() {
    let scratch = Scratch::new("headings");
    let (one, other) = (
        trace(&scratch),
        scratch
            .file("@other.json", r#"[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":5,"pid":0,"tid":7}]"#),
    );
    let csv = printed(&["summary", "--view", "kernel", "--format", "csv", &one, &other]);
    let heading: Vec<&str> = csv.lines().next().expect("a heading").split(',').collect();
    assert!(heading.iter().all(|id| !id.starts_with(['=', '@'])), "{heading:?}");
    let markdown = printed(&["summary", "--view", "kernel", "--format", "markdown", &one, &other]);
    assert!(!markdown.lines().nth(2).expect("a heading").contains("| @"), "{markdown}");
}

#[test]
fn the_raw_form_is_one_of_csv() {
    for args in [&["--csv-raw"][..], &["--csv-raw", "--format", "json"], &["--csv-raw", "--layout", "fluid"]]
    {
        let out = proftui(&[&["summary", "demo-traces/synthetic-gpu.json.gz"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(said(&out).contains("--csv-raw needs"), "{}", said(&out));
    }
}

#[test]
fn markdown_has_a_cell_per_column_and_no_mention() {
    let scratch = Scratch::new("mentions");
    let path = trace(&scratch);
    let markdown = printed(&["summary", "--view", "kernel", "--format", "markdown", &path]);
    let lines: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    assert!(lines.iter().all(|line| bars(line) == bars(lines[0])), "{markdown}");
    for code in [
        "`@user`",
        "`see #12 of GH-3`",
        "`http://host/x www.host.org a@b.c`",
        "`&amp; <b>x</b> <!-- x -->`",
        "`a\\|b`",
        "`a\\`<!-- -->`\\|b`",
        "``` `x` ``y ```",
        "`[x](http://y) *x* ~~y~~ $z$ :smile:`",
        "`deadbeefcafe`",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("| {code} |"))), "{code}: {markdown}");
    }
}
