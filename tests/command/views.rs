//! What every view prints of traces that lack most of what views are about: no empty table, no share above
//! the whole.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::binary::{BINARY, json, printed};
use crate::scratch::Scratch;

/// A trace like VizTracer's: two threads with nested functions of category FEE.
const FUNCTIONS: &str = r#"{"traceEvents":[
    {"ph":"X","cat":"FEE","name":"main","pid":1,"tid":1,"ts":0,"dur":90},
    {"ph":"X","cat":"FEE","name":"load (loader.py:7)","pid":1,"tid":1,"ts":10,"dur":50},
    {"ph":"X","cat":"FEE","name":"load (loader.py:7)","pid":1,"tid":2,"ts":20,"dur":80}
],"viztracer_metadata":{"version":"0.16.3"}}"#;

/// The largest ratio in rows and the rows below them.
fn largest(table: &Value, rows: &Value) -> f64 {
    let columns = table["columns"].as_array().unwrap();
    let of_row = |row: &Value| {
        let cells = columns.iter().zip(row["cells"].as_array().unwrap());
        let ratios = cells.filter(|(column, _)| column["type"] == "ratio");
        let own = ratios.filter_map(|(_, cell)| cell.as_f64()).fold(0.0, f64::max);
        own.max(largest(table, &row["children"]))
    };
    rows.as_array().unwrap().iter().map(of_row).fold(0.0, f64::max)
}

#[test]
fn functions_alone_fill_three_views_and_the_others_say_what_would_fill_them() {
    let scratch = Scratch::new("views-functions");
    let path = &scratch.file("functions.json", FUNCTIONS);
    let text = printed(&["summary", "--view", "all", path]);
    assert!(!text.contains("(no rows)") && !text.contains("(nothing)"), "{text}");
    let operators = text.split("\n\n").find(|table| table.starts_with("Operators by name")).unwrap();
    assert!(operators.lines().count() <= 3 && operators.contains("--view names"), "{operators}");
    assert!(
        text.starts_with("What limits the run\n* No device work")
            && text.contains("The summarized part has no operators: --view names"),
        "{text}"
    );
    let tables = json(&["summary", "--format", "json", path]);
    for table in tables.as_array().unwrap() {
        let rows = table["rows"].as_array().unwrap();
        let is_filled = ["overview", "names", "flame"].contains(&table["view"].as_str().unwrap());
        assert_eq!(!rows.is_empty(), is_filled, "{}", table["view"]);
        assert!(!table["columns"].as_array().unwrap().is_empty());
        let note = table["notes"][0].as_str().unwrap();
        assert!(is_filled || note.starts_with("No ") && note.contains("in this trace."), "{note}");
        assert!(largest(table, &table["rows"]) <= 1.0, "{table}");
    }
    let names = json(&["summary", "--format", "json", "--view", "names", path]);
    let ids: Vec<&str> =
        names["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect();
    assert_eq!(ids[..5], ["name", "calls", "own", "own_share", "total"]);
    let first = &names["rows"][0];
    assert_eq!(
        first["cells"].as_array().unwrap()[..3],
        [Value::from("load (loader.py:7)"), 2.into(), 130_000.into()]
    );
    assert_eq!(first["children"].as_array().unwrap().len(), 2, "a row per thread");
    let one = json(&["summary", "--format", "json", "--view", "names", "--lanes", "thread 1", path]);
    assert_eq!(one["rows"][0]["cells"][1], 1, "only the calls on that thread");
}

#[test]
fn a_filter_that_leaves_no_row_says_so() {
    let text =
        printed(&["summary", "--view", "kernel", "--name", "absent", "demo-traces/synthetic-gpu.json.gz"]);
    assert_eq!(text, "Kernels by name\n* No row has the text \"absent\".\n");
}

/// The ids of a table's columns.
fn ids(table: &Value) -> Vec<&str> {
    table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect()
}

const KERNEL: &str =
    r#"{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":0,"dur":10,"args":{"blocks per SM":0.5}}"#;

#[test]
fn occupancy_is_read_for_the_view_of_devices_by_itself() {
    let scratch = Scratch::new("views-occupancy");
    let path = &scratch.file("kernel.json", format!("[{KERNEL}]"));
    let table = json(&["summary", "--format", "json", "--view", "device", path]);
    let at = ids(&table).iter().position(|id| *id == "sm_efficiency").expect("a column");
    assert_eq!((&table["rows"][0]["cells"][at], ids(&table)[at + 1]), (&Value::from(0.5), "occupancy"));
    let all = json(&["summary", "--format", "json", path]);
    let table = all.as_array().unwrap().iter().find(|table| table["view"] == "device").unwrap();
    assert!(!ids(table).contains(&"sm_efficiency"), "no second pass over the file: {table}");
}

#[test]
fn devices_are_listed_where_arguments_cannot_be_read_again() {
    let mut child = Command::new(BINARY)
        .args(["summary", "--format", "json", "--view", "device", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || {
        // More than is kept of a pipe.
        let blank = vec![b' '; 1 << 20];
        input.write_all(format!("[{KERNEL}").as_bytes())?;
        (0..66).try_for_each(|_| input.write_all(&blank))?;
        input.write_all(b"]")
    });
    let out = child.wait_with_output().expect("ended");
    writer.join().expect("no panic").expect("all was taken");
    let table: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!((table["rows"].as_array().unwrap().len(), ids(&table).contains(&"occupancy")), (1, false));
    let notes = table["notes"].to_string();
    assert!(notes.contains("left out: ") && notes.contains("load it from a file"), "{notes}");
}
