//! Our analysis of Paddle's protobuf gives the integers that Paddle itself worked out for it, where a
//! collection of traces with those integers stands beside the checkout.
//!
//! Must not know how tables are printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proftui_insight::analysis::table::Value as Cell;
use proftui_insight::analysis::{Scope, Table, TableRow};
use proftui_insight::compat::paddle::{Options, summaries};
use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::Trace;
use serde_json::Value;

use crate::tally::Tally;

/// The same integer.
fn same(tally: &mut Tally, what: &str, ours: Option<i64>, theirs: &Value) {
    let is_same = ours.is_some() && ours == theirs.as_i64();
    tally.compare(is_same, what, ours.map_or("nothing".into(), |ours| ours.to_string()), theirs);
}

/// Both have the same names.
fn names(tally: &mut Tally, what: &str, ours: usize, theirs: usize) {
    same(tally, &format!("{what}: how many"), i64::try_from(ours).ok(), &Value::from(theirs));
}

/// All tables of one trace, by view.
struct Tables(Vec<Table>);

impl Tables {
    fn of(trace: &Trace, by_thread: bool) -> Self {
        let options = Options { by_thread, ..Options::default() };
        Self(summaries(trace, &Scope::default(), options, |_| true))
    }

    fn rows(&self, view: &str) -> &[TableRow] {
        self.0.iter().find(|table| table.view == view).map_or(&[], |table| table.rows.as_slice())
    }

    /// A number, if the row has it.
    fn number(&self, view: &str, row: &TableRow, column: &str) -> Option<i64> {
        let table = self.0.iter().find(|table| table.view == view)?;
        match row.cells[table.column(column)?] {
            Cell::Count(number) => i64::try_from(number).ok(),
            Cell::Duration(number) | Cell::Bytes(number) => Some(number),
            _ => None,
        }
    }
}

fn name(row: &TableRow) -> &str {
    match &row.cells[0] {
        Cell::Text(name) => name.as_str(),
        other => panic!("a name, not {other:?}"),
    }
}

fn named<'a>(rows: impl IntoIterator<Item = &'a TableRow>, wanted: &str) -> Option<&'a TableRow> {
    rows.into_iter().find(|row| name(row) == wanted)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Which device time an item is about: kernels alone, or copies and fills as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Kernels,
    All,
    /// All, of a range inside an operator.
    Inner,
}

/// The times of one item.
fn times(
    tally: &mut Tally,
    what: &str,
    tables: &Tables,
    view: &str,
    row: &TableRow,
    item: &Value,
    work: Work,
) {
    let prefix = if work == Work::Kernels { "gpu" } else { "general_gpu" };
    let mut pairs = vec![
        ("calls", "call".to_owned()),
        ("gpu_total", format!("{prefix}_time")),
        ("gpu_max", format!("max_{prefix}_time")),
        ("gpu_min", format!("min_{prefix}_time")),
    ];
    // Of device work Paddle has no host times: the smallest of none is infinite.
    if item["min_cpu_time"].is_number() {
        let cpu = [("cpu_total", "cpu_time"), ("cpu_max", "max_cpu_time"), ("cpu_min", "min_cpu_time")];
        pairs.extend(cpu.map(|(ours, theirs)| (ours, theirs.to_owned())));
    }
    for (ours, theirs) in pairs {
        same(tally, &format!("{what} {theirs}"), tables.number(view, row, ours), &item[&theirs]);
    }
}

/// Items by name, with what is inside them.
fn items(
    tally: &mut Tally,
    what: &str,
    tables: &Tables,
    view: &str,
    rows: &[&TableRow],
    items: &Value,
    work: Work,
) {
    names(tally, what, rows.len(), items.as_object().map_or(0, serde_json::Map::len));
    for (wanted, item) in members(items) {
        let what = format!("{what} {wanted}");
        let Some(row) = named(rows.iter().copied(), wanted) else {
            same(tally, &what, None, item);
            continue;
        };
        times(tally, &what, tables, view, row, item, work);
        // Inner ranges come before device work; only they have host times.
        let is_work = |row: &&TableRow| tables.number(view, row, "cpu_total").is_none();
        let (devices, inners): (Vec<_>, Vec<_>) = row.children.iter().partition(is_work);
        for (key, rows, work) in
            [("operator_inners", inners, Work::Inner), ("devices", devices, Work::Kernels)]
        {
            // What is inside an inner range Paddle keeps and never prints; no table has it.
            let is_deeper = work == Work::Inner && key == "operator_inners";
            if !is_deeper && (!rows.is_empty() || item.get(key).is_some()) {
                self::items(tally, &format!("{what} {key}"), tables, view, &rows, &item[key], work);
            }
        }
    }
}

/// Items that stand under rows of threads, or of all of them.
fn by_thread(tally: &mut Tally, what: &str, tables: &Tables, view: &str, threads: &Value) {
    let rows = tables.rows(view);
    names(tally, what, rows.len(), threads.as_object().map_or(0, serde_json::Map::len));
    for (thread, of_thread) in members(threads) {
        let rows: Vec<_> = named(rows, thread).map_or(Vec::new(), |row| row.children.iter().collect());
        items(tally, &format!("{what} of {thread}"), tables, view, &rows, of_thread, Work::All);
    }
}

/// Times by kind, and how often each was met.
fn ranges(tally: &mut Tally, what: &str, tables: &Tables, stats: &Value) {
    let (theirs, spread) = (&stats["time_range"], &stats["distributed"]);
    let rows = tables.rows("overview");
    let on = |place: &'static str| {
        rows.iter().filter(move |row| matches!(&row.cells[1], Cell::Text(text) if text.as_str() == place))
    };
    let phases = &stats["model_perspective_items"];
    for (kind, time) in members(&theirs["cpu_range_sum_ns"]) {
        // Paddle's own table prints other numbers for these: communication by name, phases by their outermost
        // event.
        let is_phase = kind != "ProfileStep" && phases.get(kind).is_some();
        let (time, calls) = match kind.as_str() {
            "Communication" => (&spread["cpu_communication_range_ns"], &spread["cpu_calls"]),
            _ if is_phase => (&phases[kind]["cpu_time"], &phases[kind]["call"]),
            _ => (time, &theirs["call_times"][kind]),
        };
        let row = named(on("CPU"), kind);
        let number = |column| row.and_then(|row| tables.number("overview", row, column));
        same(tally, &format!("{what} host {kind} calls"), number("calls"), calls);
        same(tally, &format!("{what} host {kind} time"), number("time"), time);
    }
    let devices = theirs["gpu_range_sum_ns"].as_object().expect("devices");
    for (device, kinds) in devices {
        for (kind, time) in members(kinds) {
            let row = named(on("GPU"), kind);
            let number = |column| row.and_then(|row| tables.number("overview", row, column));
            same(tally, &format!("{what} {kind} calls"), number("calls"), &theirs["call_times"][kind]);
            // What several devices did at once is listed for each there and joined here.
            if devices.len() == 1 {
                same(tally, &format!("{what} device {device} {kind} time"), number("time"), time);
            }
        }
    }
    if rows.iter().any(|row| name(row) == "Communication") {
        let times = tables.rows("distributed");
        for (ours, theirs) in [
            ("Communication", "communication_range_ns"),
            ("Computation", "computation_range_ns"),
            ("Overlap", "overlap_range_ns"),
        ] {
            let time = named(times, ours).and_then(|row| tables.number("distributed", row, "time"));
            same(tally, &format!("{what} {ours}"), time, &spread[theirs]);
        }
        let gpu = named(on("GPU"), "Communication");
        let gpu = gpu.map_or(Some(0), |row| tables.number("overview", row, "calls"));
        same(tally, &format!("{what} device communication"), gpu, &spread["gpu_calls"]);
    }
}

fn memory(tally: &mut Tally, what: &str, tables: &Tables, memory: &Value) {
    let columns = [
        ("allocations", "allocation_count"),
        ("frees", "free_count"),
        ("allocated", "allocation_size"),
        ("freed", "free_size"),
        ("increased", "increase_size"),
    ];
    let places = tables.rows("memory");
    for (place, _) in members(&memory["allocated"]) {
        let Some(row) = named(places, place) else {
            same(tally, &format!("{what} {place}"), None, &Value::Null);
            continue;
        };
        for (ours, theirs) in [("peak_allocated", "peak_allocated"), ("peak_reserved", "peak_reserved")] {
            let peak = tables.number("memory", row, ours);
            same(tally, &format!("{what} {place} {theirs}"), peak, &memory[theirs][place]);
        }
        for (kind, key) in [("Allocated", "allocated"), ("Reserved", "reserved")] {
            let is_kind =
                |row: &&TableRow| matches!(&row.cells[1], Cell::Text(text) if text.as_str() == kind);
            let rows: BTreeMap<&str, &TableRow> =
                row.children.iter().filter(is_kind).map(|row| (name(row), row)).collect();
            let items = &memory[key][place];
            names(tally, &format!("{what} {place} {key}"), rows.len(), members(items).count());
            for (event, item) in members(items) {
                for (ours, theirs) in columns {
                    let number = rows.get(event.as_str()).and_then(|row| tables.number("memory", row, ours));
                    same(tally, &format!("{what} {place} {key} {event} {theirs}"), number, &item[theirs]);
                }
            }
        }
    }
}

fn all(tally: &mut Tally, what: &str, trace: &Trace, stats: &Value) {
    let merged = Tables::of(trace, false);
    let threads = Tables::of(trace, true);
    ranges(tally, what, &merged, stats);
    for (view, merged_key, threads_key) in [
        ("operator", "operator_items", "operator_thread_items"),
        ("userdefined", "userdefined_items", "userdefined_thread_items"),
    ] {
        let rows: Vec<_> = merged.rows(view).iter().flat_map(|row| &row.children).collect();
        items(tally, &format!("{what} {view}"), &merged, view, &rows, &stats[merged_key], Work::All);
        by_thread(tally, &format!("{what} {view}"), &threads, view, &stats[threads_key]);
    }
    let model: Vec<_> = merged.rows("model").iter().filter(|row| name(row) != "Others").collect();
    let phases = &stats["model_perspective_items"];
    // One phase alone is no table.
    if members(phases).count() > 1 {
        items(tally, &format!("{what} model"), &merged, "model", &model, phases, Work::Kernels);
    }
    for (view, key, work) in
        [("memcpy", "memory_manipulation_items", Work::All), ("kernel", "kernel_items", Work::Kernels)]
    {
        let rows: Vec<_> = merged.rows(view).iter().collect();
        items(tally, &format!("{what} {view}"), &merged, view, &rows, &stats[key], work);
    }
    memory(tally, what, &merged, &stats["memory"]);
}

/// The files of this name anywhere under a folder.
fn found(folder: &Path, wanted: &str, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found(&path, wanted, out);
        } else if path.file_name().is_some_and(|name| name == wanted) {
            out.push(path);
        }
    }
}

#[test]
fn paddles_integers_are_ours() {
    let Some(shared) = crate::skip::shared("oracles/paddle", "Paddle's printed tables") else { return };
    let mut files = Vec::new();
    found(&shared, "stats.json", &mut files);
    assert!(!files.is_empty(), "the collection has integers");
    let mut tally = Tally::with("Paddle");
    for file in &files {
        let folder = file.parent().expect("a folder");
        let pb = folder.with_extension("paddle_trace.pb");
        let stats: Value = serde_json::from_slice(&std::fs::read(file).expect("integers")).expect("JSON");
        let trace = load(&Request::new([pb]), &Progress::default()).expect("a trace").trace;
        let what = folder.strip_prefix(&shared).expect("inside").display().to_string();
        all(&mut tally, &what, &trace, &stats);
    }
    tally.finish();
}
