//! The tables that `proftui export` writes: their sums are those of proftui's own tables, their numbers name
//! slices, lanes and devices that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proftui_insight::analysis::Value;
use proftui_insight::ask::Ask;
use proftui_insight::dataset::{Source, TABLES, Table, Values};
use proftui_trace::import::{Loaded, Progress, Request, load};

const TRACES: [&str; 4] = [
    "synthetic-gpu.json.gz",
    "torch-transformer-gpu.paddle_trace.json.gz",
    "paddle-lenet-cpu.paddle_trace.json.gz",
    "hostile-names.json.gz",
];

fn demo(name: &str) -> Loaded {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
    load(&Request::new([path]), &Progress::default()).expect("a trace")
}

/// A value of a table as a text; `None` where it is missing.
fn text(values: &Values, at: usize) -> Option<String> {
    match values {
        Values::Int(all) => Some(all[at].to_string()),
        Values::MaybeInt(all) => all[at].map(|value| value.to_string()),
        Values::Float(all) => Some(all[at].to_string()),
        Values::Bool(all) => Some(all[at].to_string()),
        Values::Text(all) => all[at].clone(),
        Values::Coded(codes, texts) => codes[at].map(|code| texts[code as usize].clone()),
    }
}

/// The rows of a table, as texts by column.
fn rows(source: &Source<'_>, name: &str) -> Vec<BTreeMap<&'static str, Option<String>>> {
    let table: &dyn Table = *TABLES.iter().find(|table| table.name() == name).expect("a table");
    let columns = table.columns();
    let mut found = Vec::new();
    for batch in table.batches(source).expect("batches") {
        assert_eq!(batch.len(), columns.len(), "{name}");
        for at in 0..batch[0].len() {
            let row = columns.iter().zip(&batch).map(|(column, values)| {
                let value = text(values, at);
                assert!(value.is_some() || column.is_nullable, "{name}.{} is missing", column.id);
                (column.id, value)
            });
            found.push(row.collect());
        }
    }
    found
}

fn number(row: &BTreeMap<&str, Option<String>>, column: &str) -> i64 {
    row[column].as_deref().expect("a value").parse().expect("a number")
}

#[test]
fn kernels_and_operators_add_up_to_their_tables() {
    for name in TRACES {
        let loaded = demo(name);
        let slices = rows(&Source::new(&loaded, name.to_owned()), "slices");
        for (view, column, own) in [("kernel", "total", "counted_ns"), ("operator", "own", "own_ns")] {
            let mut sums: BTreeMap<String, (u64, i64)> = BTreeMap::new();
            let is_wanted = |row: &BTreeMap<&str, Option<String>>| match view {
                "kernel" => row["category"].as_deref() == Some("Kernel"),
                _ => row["own_ns"].is_some(),
            };
            for row in slices.iter().filter(|row| is_wanted(row)) {
                let sum = sums.entry(row["name"].clone().expect("a name")).or_default();
                *sum = (sum.0 + 1, sum.1 + number(row, own));
            }
            let answer = Ask::view(view).expect("a view").of(&loaded).expect("an answer");
            let table = &answer.tables[0].table;
            let at = |id| table.column(id).expect("a column");
            let mut want: BTreeMap<String, (u64, i64)> = BTreeMap::new();
            for row in &table.rows {
                let (Value::Text(name), Value::Count(calls)) = (&row.cells[0], &row.cells[at("calls")])
                else {
                    continue;
                };
                want.insert(name.to_string(), (*calls, row.cells[at(column)].duration_or_zero()));
            }
            assert_eq!(sums, want, "{name}: {view}");
        }
    }
}

#[test]
fn idle_time_adds_up_to_that_of_the_devices() {
    for name in TRACES {
        let loaded = demo(name);
        let source = Source::new(&loaded, name.to_owned());
        let mut idle: BTreeMap<i64, i64> = BTreeMap::new();
        let pieces = rows(&source, "idle");
        for row in
            pieces.iter().filter(|row| row["lane"].is_none() && row["in_run"].as_deref() == Some("true"))
        {
            *idle.entry(number(row, "device")).or_default() += number(row, "duration_ns");
        }
        let devices = rows(&source, "devices");
        for row in &devices {
            let of_pieces = idle.get(&number(row, "device")).copied().unwrap_or_default();
            assert_eq!(of_pieces, number(row, "idle_ns"), "{name}");
            assert_eq!(number(row, "run_ns"), number(row, "busy_ns") + number(row, "idle_ns"), "{name}");
            let communication: i64 = rows(&source, "collectives")
                .iter()
                .filter(|kernel| kernel["device"] == row["device"])
                .map(|kernel| number(kernel, "counted_ns"))
                .sum();
            assert_eq!(communication, number(row, "communication_ns"), "{name}");
        }
        assert_eq!(idle.len(), devices.len(), "{name}");
    }
}

#[test]
fn numbers_name_what_is_there() {
    let loaded = demo(TRACES[0]);
    let source = Source::new(&loaded, "a name".to_owned());
    let keys = |table: &str, column: &str| -> BTreeSet<i64> {
        rows(&source, table).iter().map(|row| number(row, column)).collect()
    };
    let (slices, lanes, devices) =
        (keys("slices", "slice"), keys("lanes", "lane"), keys("devices", "device"));
    assert_eq!(slices.len(), loaded.trace.slices.len());
    for (table, column, known) in [
        ("links", "from_slice", &slices),
        ("links", "to_slice", &slices),
        ("slices", "lane", &lanes),
        ("slices", "parent", &slices),
        ("slices", "launch", &slices),
        ("steps", "slice", &slices),
        ("collectives", "slice", &slices),
        ("collectives", "device", &devices),
        ("idle", "device", &devices),
        ("idle", "lane", &lanes),
        ("counters", "lane", &lanes),
        ("allocations", "lane", &lanes),
    ] {
        let found = rows(&source, table);
        assert!(!found.is_empty(), "{table}");
        let mut count = 0;
        for row in found.iter().filter(|row| row[column].is_some()) {
            assert!(known.contains(&number(row, column)), "{table}.{column}: {row:?}");
            assert_eq!(row["trace"].as_deref(), Some("a name"));
            count += 1;
        }
        assert!(count > 0, "{table}.{column}");
    }
}

#[test]
fn names_are_unique_and_explained() {
    let tables: BTreeSet<&str> = TABLES.iter().map(|table| table.name()).collect();
    assert_eq!(tables.len(), TABLES.len());
    for table in TABLES {
        let columns = table.columns();
        let names: BTreeSet<&str> = columns.iter().map(|column| column.id).collect();
        assert_eq!(names.len(), columns.len(), "{}", table.name());
        assert_eq!(columns[0].id, "trace", "{}", table.name());
        for column in columns {
            assert!(
                column.about.len() > 5 && !column.about.contains("  "),
                "{}: {}",
                column.id,
                column.about
            );
            let is_time = column.about.contains("in ns");
            assert_eq!(column.id.ends_with("_ns"), is_time, "{}: {}", column.id, column.about);
        }
    }
}
