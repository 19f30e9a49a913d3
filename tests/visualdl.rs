//! Our tables in VisualDL's layout hold that tool's own numbers, where a collection of traces with what it made of them
//! stands beside the checkout.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

use std::path::{Path, PathBuf};

use proftui::analysis::visualdl::summaries;
use proftui::analysis::{Scope, Table, TableRow, Value as Cell};
use proftui::import::{Progress, Request, load};
use serde_json::Value;

/// Counts comparisons and gathers those that fail.
#[derive(Default)]
struct Tally {
    count: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn near(&mut self, what: &str, ours: Option<f64>, theirs: &Value, slack: f64) {
        let Some(theirs) = theirs.as_f64() else { return };
        self.count += 1;
        // What is not there is nothing.
        let ours = ours.unwrap_or(0.0);
        if (ours - theirs).abs() > slack {
            self.wrong.push(format!("{what}: {ours}, VisualDL has {theirs}"));
        }
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Count(n) => Some(*n as f64),
        Cell::Duration(n) | Cell::Bytes(n) => Some(*n as f64),
        Cell::Ratio(n) => Some(*n),
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

fn execution(tally: &mut Tally, ours: &Ours, raw: &Value) {
    const TITLE: &str = "Execution Summary";
    for (name, theirs) in raw["model_perspective_ns"].as_object().expect("stages") {
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
            ("gpu_time", "gpu_total", ours.slack * 200.0),
        ] {
            tally.near(
                &format!("{} {TITLE} {name} {id}", ours.name),
                ours.cell(TITLE, row, column),
                &theirs[id],
                slack,
            );
        }
        const STEPS: &str = "Execution Time Breakdown";
        let suffix = if name == "ProfileStep" { "step".into() } else { name.to_lowercase() };
        for place in ["cpu", "gpu"] {
            for (step, time) in theirs[format!("{place}_times")].as_object().into_iter().flatten() {
                let id = format!("{place}_{suffix}");
                let row = ours.table(STEPS).and_then(|table| {
                    table.rows.iter().find(|row| number(&row.cells[0]) == step.parse().ok())
                });
                let what = format!("{} {STEPS} {step} {id}", ours.name);
                tally.near(&what, ours.cell(STEPS, row, &id), time, ours.slack * 50.0);
            }
        }
    }
}

fn events(tally: &mut Tally, ours: &Ours, raw: &Value) {
    let stages = raw["merged_events_per_stage_ns"].as_object().expect("stages");
    for (stage, places) in stages {
        for (_, theirs) in places.as_object().expect("places") {
            for (kind, theirs) in theirs["ALL"].as_object().into_iter().flatten() {
                const TITLE: &str = "Event Summary";
                let own = ours.row(TITLE, kind);
                let row = if stage == "ProfileStep" {
                    own
                } else {
                    own.and_then(|row| row.children.iter().find(|row| text(&row.cells[0]) == stage))
                };
                let calls = theirs["calls"].as_f64().unwrap_or(0.0);
                let what = format!("{} {TITLE} {kind} {stage}", ours.name);
                tally.near(&what, ours.cell(TITLE, row, "calls"), &theirs["calls"], 0.0);
                tally.near(&what, ours.cell(TITLE, row, "time"), &theirs["total_time"], ours.slack * calls);
                const MATRIX: &str = "Event Time Breakdown";
                let id = if stage == "ProfileStep" { "step".into() } else { stage.to_lowercase() };
                let what = format!("{} {MATRIX} {kind} {stage}", ours.name);
                let cell = ours.cell(MATRIX, ours.row(MATRIX, kind), &id);
                tally.near(&what, cell, &theirs["total_time"], ours.slack * calls);
            }
        }
    }
    // Nothing of ours that VisualDL has not.
    for row in ours.table("Event Summary").map_or(&[][..], |table| &table.rows) {
        for child in &row.children {
            let (kind, stage) = (text(&row.cells[0]), text(&child.cells[0]));
            let theirs = &raw["merged_events_per_stage_ns"][stage];
            let is_known = ["CPU", "GPU"].iter().any(|place| theirs[place]["ALL"].get(kind).is_some());
            tally.near(
                &format!("{} {kind} in {stage}", ours.name),
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
            tally.near(&what, ours.cell(TITLE, row, column), &theirs[id], ours.slack * 300.0);
        }
    }
}

fn devices(tally: &mut Tally, ours: &Ours, raw: &Value, views: &Value) {
    const TITLE: &str = "Configuration and Devices";
    let share = |name: &str| ours.cell(TITLE, ours.row(TITLE, name), "value");
    let mut near = |name: &str, theirs: &Value, slack: f64| {
        tally.near(&format!("{} {name}", ours.name), share(name), theirs, slack);
    };
    near("GPU utilization", &raw["gpu_utilization"], 0.005);
    near("Tensor core share", &raw["tensorcore_ratio"], 0.005);
    if ours.name.ends_with("json") {
        near("Achieved occupancy", &raw["occupancy"], 0.005);
    }
    let percent = |value: &Value| value.as_f64().map_or(Value::Null, |value| Value::from(value / 100.0));
    near("CPU process utilization", &percent(&views["device_infos"]["CPU"]["process_utilization"]), 0.0051);
    near("CPU system utilization", &percent(&views["device_infos"]["CPU"]["system_utilization"]), 0.0051);
    let gpu = &views["device_infos"]["GPU"];
    if ours.name.ends_with("json") {
        near("SM efficiency", &percent(&gpu["sm_efficiency"]), 0.01);
    }
}

/// Rows of a table as VisualDL serves it, times in µs with two decimals: the columns of each that both have.
fn served(
    tally: &mut Tally,
    ours: &Ours,
    rows: &[TableRow],
    title: &str,
    theirs: &Value,
    key: &dyn Fn(&TableRow) -> String,
    their_key: &dyn Fn(&Value) -> String,
    columns: &[(&str, &str, f64)],
) {
    let theirs = theirs.as_array().map_or(&[][..], Vec::as_slice);
    let what = format!("{} {title}", ours.name);
    tally.near(&format!("{what} rows"), Some(rows.len() as f64), &Value::from(theirs.len()), 0.0);
    for event in theirs {
        let name = their_key(event);
        let row = rows.iter().find(|row| key(row) == name);
        let calls = event["calls"].as_f64().unwrap_or(1.0);
        for &(id, column, scale) in columns {
            let cell = ours.cell(title, row, column);
            let is_total = scale == 1e-3 && id.contains("total");
            let slack = match scale {
                1e-3 => 0.0051 + 1e-3 + ours.slack * 1e-3 * if is_total { calls * 2.0 } else { 2.0 },
                100.0 => 0.51,
                _ => 0.01,
            };
            if event[id].is_number() && (row.is_none() || cell.is_some() || event[id].as_f64() != Some(0.0)) {
                tally.near(&format!("{what} {name} {id}"), cell.map(|cell| cell * scale), &event[id], slack);
            }
        }
        if let (Some(row), Some(children)) = (row, event["children"].as_array())
            && !children.is_empty()
        {
            served(
                tally,
                ours,
                &row.children,
                title,
                &event["children"],
                &|row| text(&row.cells[0]).to_owned(),
                &|event| event["name"].as_str().unwrap_or_default().to_owned(),
                columns,
            );
        }
    }
}

fn tables(tally: &mut Tally, ours: &Ours, views: &Value) {
    let both = [
        ("calls", "calls", 1.0),
        ("cpu_total_time", "cpu_total", 1e-3),
        ("cpu_avg_time", "cpu_avg", 1e-3),
        ("cpu_max_time", "cpu_max", 1e-3),
        ("cpu_min_time", "cpu_min", 1e-3),
        ("cpu_ratio", "cpu_ratio", 100.0),
        ("gpu_total_time", "gpu_total", 1e-3),
        ("gpu_avg_time", "gpu_avg", 1e-3),
        ("gpu_max_time", "gpu_max", 1e-3),
        ("gpu_min_time", "gpu_min", 1e-3),
        ("gpu_ratio", "gpu_ratio", 100.0),
    ];
    let kernel = [
        ("calls", "calls", 1.0),
        ("total_time", "total", 1e-3),
        ("avg_time", "avg", 1e-3),
        ("max_time", "max", 1e-3),
        ("min_time", "min", 1e-3),
        ("ratio", "ratio", 100.0),
        ("mean blocks per sm", "blocks_per_sm", 1.0),
        ("mean est achieved occupancy", "occupancy", 100.0),
    ];
    let kernel = if ours.name.ends_with("json") { &kernel[..] } else { &kernel[..6] };
    let name = |row: &TableRow| text(&row.cells[0]).to_owned();
    let their_name = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
    for (title, view, columns) in [
        ("Operators", "operator_table.op_name.us", &both[..]),
        ("UserDefined Summary", "userdefined_perspective.us", &both[..]),
        ("GPU Kernels", "kernel_table.kernel_name.us", kernel),
    ] {
        let rows = ours.table(title).map_or(&[][..], |table| &table.rows);
        served(tally, ours, rows, title, &views[view]["events"], &name, &their_name, columns);
    }
    // Max, min and average of stages.
    const TITLE: &str = "Execution Summary";
    for place in ["cpu", "gpu"] {
        for theirs in views["model_perspective.us"][place].as_array().into_iter().flatten() {
            let stage = theirs["name"].as_str().unwrap_or_default();
            for id in ["total", "avg", "max", "min"] {
                let cell = ours.cell(TITLE, ours.row(TITLE, stage), &format!("{place}_{id}"));
                let what = format!("{} {TITLE} {stage} {place} {id}", ours.name);
                tally.near(
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
    Ours { tables, name, slack }
}

#[test]
fn tables_hold_visualdls_numbers() {
    let recordings = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/oracles/paddle");
    if !recordings.is_dir() {
        eprintln!("skipped: no ../shared");
        return;
    }
    let mut tally = Tally::default();
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
    println!("VisualDL: {} comparisons, {} differ", tally.count, tally.wrong.len());
    tally.wrong.iter().take(80).for_each(|wrong| eprintln!("{wrong}"));
    assert!(tally.wrong.is_empty());
}
