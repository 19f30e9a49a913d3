//! Our tables in VisualDL's layout hold that tool's own numbers, where a collection of traces with what it
//! made of them stands beside the checkout.

use std::path::{Path, PathBuf};

use proftui_insight::analysis::{Scope, Table, TableRow, Value as Cell};
use proftui_insight::compat::visualdl::summaries;
use proftui_trace::import::{Progress, Request, load};
use serde_json::Value;

use crate::tally::Tally;

/// Alike within a slack, where VisualDL has a number; what is not there is nothing.
fn near(tally: &mut Tally, what: &str, ours: Option<f64>, theirs: &Value, slack: f64) {
    let Some(theirs) = theirs.as_f64() else { return };
    let ours = ours.unwrap_or(0.0);
    tally.compare((ours - theirs).abs() <= slack, what, ours, theirs);
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Count(n) | Cell::Amount(n) => Some(*n as f64),
        Cell::Duration(n) | Cell::Bytes(n) => Some(*n as f64),
        Cell::Ratio(n) | Cell::Factor(n) | Cell::Rate(n) => Some(*n),
        Cell::Text(text) => text.as_str().parse().ok(),
        Cell::Empty => None,
    }
}

fn text(cell: &Cell) -> &str {
    if let Cell::Text(text) = cell { text.as_str() } else { "" }
}

/// Everything made of one trace.
struct Ours {
    tables: Vec<Table>,
    name: String,
    /// ns that a time of one call may differ.
    slack: f64,
    /// Percent that a ratio may differ.
    ratio_slack: f64,
}

impl Ours {
    fn table(&self, title: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.title == title)
    }

    fn cell(&self, title: &str, row: Option<&TableRow>, column: &str) -> Option<f64> {
        let column = self.table(title)?.column(column).expect("a column");
        number(&row?.cells[column])
    }

    fn row(&self, title: &str, name: &str) -> Option<&TableRow> {
        self.table(title)?.rows.iter().find(|row| text(&row.cells[0]) == name)
    }
}

const EXECUTION: &str = "Execution Summary";
const STEPS: &str = "Execution Time Breakdown";
const MATRIX: &str = "Event Time Breakdown";
const SHAPES: &str = "Operators by Input Shape";

fn execution(tally: &mut Tally, ours: &Ours, raw: &Value) {
    const TITLE: &str = "Execution Summary";
    for (name, theirs) in raw["model_perspective_ns"].as_object().expect("phases") {
        let row = ours.row(TITLE, name);
        let calls = theirs["call"].as_f64().unwrap_or(0.0);
        for (id, column, slack) in [
            ("call", "calls", 0.0),
            (
                "cpu_time",
                "cpu_total",
                ours.slack * (calls + 4.0 * calls * f64::from(u8::from(name == "Other"))),
            ),
            // A union has as many ends as there are kernels at most.
            ("gpu_time", "gpu_total", ours.slack * 20.0),
        ] {
            near(
                tally,
                &format!("{} {TITLE} {name} {id}", ours.name),
                ours.cell(TITLE, row, column),
                &theirs[id],
                slack,
            );
        }
        let suffix = if name == "ProfileStep" { "step".into() } else { name.to_lowercase() };
        for side in ["cpu", "gpu"] {
            for (step, time) in theirs[format!("{side}_times")].as_object().into_iter().flatten() {
                let id = format!("{side}_{suffix}");
                let row = ours.table(STEPS).and_then(|table| {
                    table.rows.iter().find(|row| number(&row.cells[0]) == step.parse().ok())
                });
                let what = format!("{} {STEPS} {step} {id}", ours.name);
                near(tally, &what, ours.cell(STEPS, row, &id), time, ours.slack * 10.0);
            }
        }
    }
}

fn events(tally: &mut Tally, ours: &Ours, raw: &Value) {
    let phases = raw["merged_events_per_stage_ns"].as_object().expect("phases");
    for (phase, sides) in phases {
        for (_, theirs) in sides.as_object().expect("cpu and gpu") {
            for (kind, theirs) in theirs["ALL"].as_object().into_iter().flatten() {
                const TITLE: &str = "Event Summary";
                let own = ours.row(TITLE, kind);
                let row = if phase == "ProfileStep" {
                    own
                } else {
                    own.and_then(|row| row.children.iter().find(|row| text(&row.cells[0]) == phase))
                };
                let calls = theirs["calls"].as_f64().unwrap_or(0.0);
                let what = format!("{} {TITLE} {kind} {phase}", ours.name);
                near(tally, &what, ours.cell(TITLE, row, "calls"), &theirs["calls"], 0.0);
                near(tally, &what, ours.cell(TITLE, row, "time"), &theirs["total_time"], ours.slack * calls);
                let id = if phase == "ProfileStep" { "step".into() } else { phase.to_lowercase() };
                let what = format!("{} {MATRIX} {kind} {phase}", ours.name);
                let cell = ours.cell(MATRIX, ours.row(MATRIX, kind), &id);
                near(tally, &what, cell, &theirs["total_time"], ours.slack * calls);
            }
        }
    }
    // Nothing of ours that VisualDL has not.
    for row in ours.table("Event Summary").map_or(&[][..], |table| &table.rows) {
        for child in &row.children {
            let (kind, phase) = (text(&row.cells[0]), text(&child.cells[0]));
            let theirs = &raw["merged_events_per_stage_ns"][phase];
            let is_known = ["CPU", "GPU"].iter().any(|side| theirs[side]["ALL"].get(kind).is_some());
            near(
                tally,
                &format!("{} {kind} in {phase}", ours.name),
                Some(f64::from(u8::from(is_known))),
                &Value::from(1),
                0.0,
            );
        }
    }
}

fn distributed(tally: &mut Tally, ours: &Ours, raw: &Value) {
    const TITLE: &str = "Distributed";
    for (step, theirs) in raw["distributed_time_ns"].as_object().into_iter().flatten() {
        let row = ours.row(TITLE, step);
        for (id, column) in [
            ("communication_time", "communication"),
            ("computation_time", "computation"),
            ("overlap_time", "overlap"),
            ("others_time", "others"),
        ] {
            let what = format!("{} {TITLE} {step} {id}", ours.name);
            if row.is_none() && theirs[id].as_f64() == Some(0.0) {
                continue;
            }
            if ours.table(TITLE).is_none() {
                continue;
            }
            near(tally, &what, ours.cell(TITLE, row, column), &theirs[id], ours.slack * 20.0);
        }
    }
}

fn devices(tally: &mut Tally, ours: &Ours, raw: &Value, views: &Value) {
    const TITLE: &str = "Configuration and Devices";
    let share = |name: &str| ours.cell(TITLE, ours.row(TITLE, name), "value");
    let mut near = |name: &str, theirs: &Value, slack: f64| {
        near(tally, &format!("{} {name}", ours.name), share(name), theirs, slack);
    };
    near("GPU utilization", &raw["gpu_utilization"], 0.005);
    near("Tensor core share", &raw["tensorcore_ratio"], 0.005);
    near("Achieved occupancy", &raw["occupancy"], 0.005);
    let percent = |value: &Value| value.as_f64().map_or(Value::Null, |value| Value::from(value / 100.0));
    near("CPU process utilization", &percent(&views["device_infos"]["CPU"]["process_utilization"]), 0.0051);
    near("CPU system utilization", &percent(&views["device_infos"]["CPU"]["system_utilization"]), 0.0051);
    let gpu = &views["device_infos"]["GPU"];
    near("SM efficiency", &percent(&gpu["sm_efficiency"]), 0.01);
}

/// How a number is served.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Plain,
    /// µs.
    Time,
    /// Percent.
    Ratio,
}

/// The key of a row, in our tables and in VisualDL's.
type Keys<'a> = (&'a dyn Fn(&TableRow) -> String, &'a dyn Fn(&Value) -> String);

/// A column: VisualDL's name, ours, and its unit.
type Column = (&'static str, &'static str, Unit);

/// Rows of a table as VisualDL serves it, times in µs with two decimals: the columns of each that both have.
fn served(
    tally: &mut Tally,
    ours: &Ours,
    (title, rows): (&str, &[TableRow]),
    theirs: &Value,
    keys: Keys<'_>,
    columns: &[Column],
) {
    let theirs = theirs.as_array().map_or(&[][..], Vec::as_slice);
    let what = format!("{} {title}", ours.name);
    near(tally, &format!("{what} rows"), Some(rows.len() as f64), &Value::from(theirs.len()), 0.0);
    for event in theirs {
        let name = (keys.1)(event);
        let row = rows.iter().find(|row| (keys.0)(row) == name);
        let calls = event["calls"].as_f64().unwrap_or(1.0);
        for &(id, column, unit) in columns {
            let cell = ours.cell(title, row, column);
            let terms = if id.contains("total") { calls } else { 1.0 };
            let (scale, slack) = match unit {
                // Cut or rounded to two decimals.
                Unit::Time => (1e-3, 0.0061 + ours.slack * 1e-3 * terms),
                Unit::Ratio => (100.0, ours.ratio_slack),
                // Both sides have two decimals, and Paddle's JSON six figures of what protobuf has whole.
                Unit::Plain => (1.0, 0.0101),
            };
            if event[id].is_number() && (row.is_none() || cell.is_some() || event[id].as_f64() != Some(0.0)) {
                near(tally, &format!("{what} {name} {id}"), cell.map(|cell| cell * scale), &event[id], slack);
            }
        }
        if let (Some(row), Some(children)) = (row, event["children"].as_array())
            && !children.is_empty()
        {
            let own = |row: &TableRow| text(&row.cells[0]).to_owned();
            let their = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
            served(tally, ours, (title, &row.children), &event["children"], (&own, &their), columns);
        }
    }
}

/// Sizes are served in KiB with two decimals, times of the JSON in whole µs.
fn memory(tally: &mut Tally, ours: &Ours, views: &Value) {
    const TITLE: &str = "Allocations";
    let devices = views["memory_devices"].as_array().map_or(&[][..], Vec::as_slice);
    let table = ours.table(TITLE);
    for device in devices {
        let place = device["device"].as_str().expect("a place");
        let theirs = views[format!("memory_events.{place}.us")]["data"].as_array().expect("events");
        let of_place = |row: &&TableRow| text(&row.cells[2]) == place;
        let rows: Vec<&TableRow> =
            table.map_or(&[][..], |table| &table.rows).iter().filter(of_place).collect();
        let what = format!("{} {TITLE} {place}", ours.name);
        // An event between two others VisualDL may hang on both; then it has it twice.
        let id = |event: &Value| {
            ["MemoryAddr", "MemoryType", "AllocatedTimestamp"].map(|id| event[id].to_string())
        };
        let mut ids: Vec<_> =
            theirs.iter().filter(|event| !event["AllocatedEvent"].is_null()).map(id).collect();
        ids.sort();
        if ids.windows(2).all(|pair| pair[0] != pair[1]) {
            near(tally, &format!("{what} rows"), Some(rows.len() as f64), &Value::from(theirs.len()), 0.0);
        }
        let mut named = 0_usize;
        for event in theirs {
            let is_same = |row: &&&TableRow| {
                let times = [(4, "AllocatedTimestamp"), (6, "FreeTimestamp"), (7, "Duration")];
                let size = number(&row.cells[8]).unwrap_or_default() / 1024.0;
                text(&row.cells[0]) == event["MemoryAddr"].as_str().unwrap_or_default()
                    && event["MemoryType"].as_str().is_some_and(|kind| kind.starts_with(text(&row.cells[1])))
                    && (size - event["Size"].as_f64().unwrap_or_default()).abs() < 0.0051
                    && times.iter().all(|&(at, id)| {
                        let (own, their) = (number(&row.cells[at]), event[id].as_f64());
                        own.zip(their).is_none_or(|(own, their)| (own / 1e3 - their).abs() <= 2.0)
                    })
            };
            let found: Vec<_> = rows.iter().filter(is_same).collect();
            let count = f64::from(u8::from(!found.is_empty()));
            near(tally, &format!("{what} {event}"), Some(count), &Value::from(1), 0.0);
            let ends = [(3, "AllocatedEvent"), (5, "FreeEvent")];
            let has_names = |row: &&&&TableRow| {
                ends.iter().all(|&(at, id)| text(&row.cells[at]) == event[id].as_str().unwrap_or_default())
            };
            named += usize::from(found.iter().any(|row| has_names(&row)));
        }
        // VisualDL finds the event by a time cut to whole µs, so now and then it takes the one beside it.
        let most = theirs.len() * 8 / 10;
        near(tally, &format!("{what} names"), Some(f64::from(u8::from(named >= most))), &Value::from(1), 0.0);
    }
}

fn tables(tally: &mut Tally, ours: &Ours, views: &Value) {
    let both = [
        ("calls", "calls", Unit::Plain),
        ("cpu_total_time", "cpu_total", Unit::Time),
        ("cpu_avg_time", "cpu_avg", Unit::Time),
        ("cpu_max_time", "cpu_max", Unit::Time),
        ("cpu_min_time", "cpu_min", Unit::Time),
        ("cpu_ratio", "cpu_ratio", Unit::Ratio),
        ("gpu_total_time", "gpu_total", Unit::Time),
        ("gpu_avg_time", "gpu_avg", Unit::Time),
        ("gpu_max_time", "gpu_max", Unit::Time),
        ("gpu_min_time", "gpu_min", Unit::Time),
        ("gpu_ratio", "gpu_ratio", Unit::Ratio),
    ];
    let kernel = [
        ("calls", "calls", Unit::Plain),
        ("total_time", "total", Unit::Time),
        ("avg_time", "avg", Unit::Time),
        ("max_time", "max", Unit::Time),
        ("min_time", "min", Unit::Time),
        ("ratio", "ratio", Unit::Ratio),
        ("mean blocks per sm", "blocks_per_sm", Unit::Plain),
        ("mean est achieved occupancy", "occupancy", Unit::Ratio),
    ];
    let name = |row: &TableRow| text(&row.cells[0]).to_owned();
    let their_name = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
    for (title, view, columns) in [
        ("Operators", "operator_table.op_name.us", &both[..]),
        ("UserDefined Summary", "userdefined_perspective.us", &both[..]),
        ("GPU Kernels", "kernel_table.kernel_name.us", &kernel[..]),
    ] {
        let rows = ours.table(title).map_or(&[][..], |table| &table.rows);
        served(tally, ours, (title, rows), &views[view]["events"], (&name, &their_name), columns);
    }
    // Paddle's reader of protobuf, which VisualDL uses, loses the shapes that stand in it.
    if let Some(table) = ours.table(SHAPES).filter(|_| ours.name.ends_with("json")) {
        let shape = table.column("input_shape").expect("a column");
        let own = |row: &TableRow| format!("{} {}", text(&row.cells[0]), text(&row.cells[shape]));
        let their = |event: &Value| {
            let shapes = event["input_shape"].as_array().into_iter().flatten();
            let shapes: Vec<&str> = shapes.map(|shape| shape.as_str().unwrap_or_default()).collect();
            format!("{} {}", event["name"].as_str().unwrap_or_default(), shapes.join(" "))
        };
        let theirs = &views["operator_table.op_name_input_shape.us"]["events"];
        served(tally, ours, (SHAPES, &table.rows), theirs, (&own, &their), &both);
    }
    memory(tally, ours, views);
    // Max, min and average of phases.
    for side in ["cpu", "gpu"] {
        for theirs in views["model_perspective.us"][side].as_array().into_iter().flatten() {
            let phase = theirs["name"].as_str().unwrap_or_default();
            for id in ["total", "avg", "max", "min"] {
                let cell = ours.cell(EXECUTION, ours.row(EXECUTION, phase), &format!("{side}_{id}"));
                let what = format!("{} {EXECUTION} {phase} {side} {id}", ours.name);
                near(
                    tally,
                    &what,
                    cell.map(|ns| ns / 1e3),
                    &theirs[format!("{id}_time")],
                    0.0061 + ours.slack * 0.2,
                );
            }
        }
    }
}

fn oracles(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("raw.json") {
                found.push(folder.clone());
            }
        }
    }
    found.sort();
    found
}

fn read(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("what VisualDL made")).expect("JSON")
}

fn ours(path: PathBuf, name: String, slack: f64) -> Ours {
    let loaded = load(&Request::new([path]), &Progress::default()).expect("a trace");
    let tables = summaries(&loaded.trace, &loaded.texts, &Scope::default(), |_| true);
    // Both ends lie on the grid of a float32 that counts µs since the start.
    let us = (loaded.trace.span.len() as f64 / 1e3).max(1.0);
    let grid = (us.log2().floor() - 23.0).exp2() * 1e3;
    Ours { tables, name, slack: slack.max(2.0 * grid + 2.0), ratio_slack: 0.51 }
}

#[test]
fn tables_hold_visualdls_numbers() {
    let Some(recordings) = crate::skip::shared("oracles/paddle", "VisualDL's numbers") else { return };
    let mut tally = Tally::with("VisualDL");
    for folder in oracles(&recordings.join("visualdl")) {
        let (raw, views) = (read(folder.join("raw.json")), read(folder.join("views.json")));
        let run = folder.strip_prefix(recordings.join("visualdl")).expect("inside");
        for ending in ["json", "pb"] {
            let path = recordings.join(format!("{}.paddle_trace.{ending}", run.display()));
            if !path.exists() {
                continue;
            }
            let ours = ours(path, format!("{} {ending}", run.display()), 5.0);
            execution(&mut tally, &ours, &raw);
            events(&mut tally, &ours, &raw);
            distributed(&mut tally, &ours, &raw);
            devices(&mut tally, &ours, &raw, &views);
            tables(&mut tally, &ours, &views);
        }
    }
    tally.finish();
}
