//! Tables of frames as a file for speedscope: one profile of open and close events, in the table's order
//! (<https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>).
//!
//! A profile of events has two entries a frame however deep it is; one of samples would repeat all frames
//! around it.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use proftui_base::saturate::saturate;

/// The address that marks the format.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
/// Id of the column of what a frame weighs together with the frames below it.
const TOTAL: &str = "total";
/// Id of the column of what a frame weighs without the frames below it.
const OWN: &str = "own";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    active_profile_index: u32,
    shared: Shared<'a>,
    profiles: [Profile<'a>; 1],
}

#[derive(Default, Serialize)]
struct Shared<'a> {
    frames: Vec<Named<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile<'a> {
    r#type: &'static str,
    name: &'a str,
    unit: &'static str,
    start_value: i64,
    end_value: i64,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    r#type: &'static str,
    frame: u32,
    at: i64,
}

/// Collects the open and close events of frames, and the names of the frames.
#[derive(Default)]
struct Writer<'a> {
    frames: Vec<Named<'a>>,
    known: FxHashMap<&'a str, u32>,
    events: Vec<Event>,
    /// Sum of the own weights of the frames that are closed so far, at which the next frame opens.
    at: i64,
}

/// Renders a table of frames, nested as child rows, as a file for speedscope with the name `name`. Without
/// the column `own` the file has no events.
///
/// # Errors
/// When serialization fails.
pub fn render(table: &Table, name: &str) -> serde_json::Result<String> {
    let mut writer = Writer::default();
    if let Some(own) = table.column(OWN) {
        writer.rows(&table.rows, own);
    }
    let unit = match table.column(TOTAL).map(|at| table.columns[at].kind) {
        Some(ColumnKind::Duration) => "nanoseconds",
        Some(ColumnKind::Bytes) => "bytes",
        _ => "none",
    };
    let Writer { frames, events, at, .. } = writer;
    let profile =
        Profile { r#type: "evented", name: table.title, unit, start_value: 0, end_value: at, events };
    let exporter = concat!("proftui@", env!("CARGO_PKG_VERSION"));
    serde_json::to_string(&File {
        schema: SCHEMA,
        exporter,
        name,
        active_profile_index: 0,
        shared: Shared { frames },
        profiles: [profile],
    })
}

impl<'a> Writer<'a> {
    /// Adds the events of rows and of their child rows; `own` is the index of the column of own weights.
    fn rows(&mut self, rows: &'a [TableRow], own: usize) {
        for row in rows {
            let name = match row.cells.first() {
                Some(Value::Text(name)) => name.as_str(),
                _ => "",
            };
            let next = saturate::<u32>(self.frames.len());
            let frame = *self.known.entry(name).or_insert(next);
            if frame == next {
                self.frames.push(Named { name });
            }
            self.events.push(Event { r#type: "O", frame, at: self.at });
            self.rows(&row.children, own);
            self.at = self.at.saturating_add(row.cells.get(own).map_or(0, weight));
            self.events.push(Event { r#type: "C", frame, at: self.at });
        }
    }
}

/// A cell's weight: its time (ns), bytes, count or amount; 0 for other kinds of cells and negative numbers.
pub(super) fn weight(cell: &Value) -> i64 {
    match cell {
        Value::Duration(weight) | Value::Bytes(weight) => (*weight).max(0),
        Value::Count(weight) | Value::Amount(weight) => i64::try_from(*weight).unwrap_or(i64::MAX),
        _ => 0,
    }
}
