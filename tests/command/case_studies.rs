//! The four case studies of the guides, by our own tables alone. The traces have the figures that the guides
//! print (`tests/generate/guide_cases.py`).

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::binary::BINARY;

fn trace(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces");
    ["paddle_trace", "pt.trace"]
        .map(|kind| folder.join(format!("guide-{name}.{kind}.json.gz")))
        .into_iter()
        .find(|path| path.exists())
        .expect("a trace")
}

/// A view of a trace, with further options.
fn view(trace_name: &str, view: &str, options: &[&str]) -> Value {
    let output = Command::new(BINARY)
        .args(["summary", "--format", "json", "--view", view])
        .args(options)
        .arg(trace(trace_name))
        .output()
        .expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The values of a column by the first cell of each row.
fn column<'a>(table: &'a Value, id: &str) -> Vec<(&'a str, &'a Value)> {
    let columns = table["columns"].as_array().expect("columns");
    let at = columns.iter().position(|column| column["id"] == id).unwrap_or_else(|| panic!("no column {id}"));
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().map(|row| (row["cells"][0].as_str().expect("a name"), &row["cells"][at])).collect()
}

fn number(table: &Value, row: &str, id: &str) -> f64 {
    let values = column(table, id);
    let found =
        values.iter().find(|(name, _)| *name == row).unwrap_or_else(|| panic!("no row {row}: {values:?}"));
    found.1.as_f64().unwrap_or_else(|| panic!("no number in {id} of {row}"))
}

/// The sum of a column, over the rows with a value.
fn sum(table: &Value, id: &str) -> f64 {
    column(table, id).iter().filter_map(|(_, value)| value.as_f64()).sum()
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 0.002 * expected.abs(), "{value}, expected {expected}");
}

const MS: f64 = 1e6;

#[test]
fn loading_data_takes_half_of_a_step_and_next_to_nothing_with_workers() {
    assert_near(number(&view("loader-before", "model", &[]), "Data loading", "share"), 0.4911);
    assert_near(number(&view("loader-after", "model", &[]), "Data loading", "share"), 0.0182);
    assert_near(number(&view("loader-before", "host", &[]), "MainThread 4242", "loading"), 144.09 * MS);
    assert_near(number(&view("loader-after", "host", &[]), "MainThread 4242", "loading"), 1.70 * MS);
}

#[test]
fn slice_grad_has_most_of_the_hosts_own_time_and_neither_calls_nor_waits() {
    let table = view("slice-grad", "operator", &["--sorted-by", "own"]);
    assert_eq!(column(&table, "own")[0].0, "slice_grad");
    let own = number(&table, "slice_grad", "own");
    // The report: 16651.6 ms on the host in 1,900 calls, 97 % of its time; the trace has a twentieth of the
    // calls.
    assert_near(own, 16651.58 / 20.0 * MS);
    assert_near(own / (own + number(&table, "slice_grad", "device_own")), 0.9726);
    assert!(number(&table, "slice_grad", "own_runtime") < 0.001 * own);
    assert!(number(&table, "slice_grad", "own_waiting") < f64::EPSILON);
}

#[test]
fn copies_of_control_flow_cost_the_host_fourteen_times_the_devices_time() {
    // The report: 32.5351 ms in 1,200 copies, of that 2.142 on the device; then 15.281 ms in 600.
    for (name, count, host, device) in
        [("control-flow-before", 1200.0, 30.393, 2.142), ("control-flow-after", 600.0, 14.334, 0.947)]
    {
        let table = view(name, "memcpy", &[]);
        assert_near(sum(&table, "calls"), count);
        assert_near(sum(&table, "host"), host * MS);
        assert_near(sum(&table, "total"), device * MS);
    }
    let calls = view("control-flow-before", "calls", &[]);
    assert_eq!(column(&calls, "waits")[0], ("cudaMemcpy", &Value::from("yes")));
}

#[test]
fn the_convolution_without_cudnn_has_most_of_the_own_time() {
    let table = view("conv", "operator", &[]);
    assert_eq!(column(&table, "own")[0].0, "aten::_slow_conv2d_forward");
    // The table of the guide: 219.779 ms of 253.751 ms; the range around the model is no operator.
    assert_near(number(&table, "aten::_slow_conv2d_forward", "own"), 219.779 * MS);
    assert_near(number(&table, "aten::conv2d", "total"), 221.245 * MS);
    assert_near(number(&table, "aten::thnn_conv2d", "total"), 220.303 * MS);
}
