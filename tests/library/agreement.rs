//! Whatever says how busy a device was, or how long it was idle for a cause, says the same: the verdict, the
//! tables of devices, busy and idle time, the explorer's headings, for whole traces and random parts.

use std::collections::BTreeMap;
use std::path::Path;

use proftui::app::Session;
use proftui::app::view::busy;
use proftui::app::view::line::{Line, LineKind};
use proftui_base::time::Span;
use proftui_insight::analysis::insights::insights;
use proftui_insight::analysis::ledger::Cause;
use proftui_insight::analysis::views::gpu::columns::columns;
use proftui_insight::analysis::{Arguments, Scope, Table, TableRow, Value, View};
use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{GroupId, Trace};

use crate::generate::rng::Rng;
use crate::real_traces::all;

/// How many random parts of each trace are compared.
const PARTS: usize = 5;
/// What one source says of a device, ns: busy and idle time, the time that shares are of, time by cause.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    busy: Option<i64>,
    idle: Option<i64>,
    time: Option<i64>,
    causes: Option<BTreeMap<String, i64>>,
}

fn time(table: &Table, row: &TableRow, id: &str) -> i64 {
    match row.cells[table.column(id).unwrap_or_else(|| panic!("a column {id}"))] {
        Value::Duration(ns) => ns,
        ref other => panic!("{id}: {other:?}"),
    }
}

fn text(row: &TableRow, at: usize) -> String {
    match &row.cells[at] {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What the tables say of the device with this title.
fn of_tables(trace: &Trace, scope: &Scope, title: &str) -> Vec<(&'static str, Said)> {
    let view = |name: &str| View::named(name).expect("a view").table(trace, scope);
    let (device, busy, idle) = (view("device"), view("busy"), view("idle"));
    let own = |table: &Table| table.rows.iter().find(|row| text(row, 0) == title).expect("a row").clone();
    let (of_device, of_busy) = (own(&device), own(&busy));
    let (work, none) = (time(&device, &of_device, "busy_all"), time(&device, &of_device, "idle"));
    let causes = idle.rows.iter().filter(|row| text(row, 0) == title);
    let code = idle.column("cause").expect("codes of causes");
    let causes = causes.map(|row| (text(row, code), time(&idle, row, "time"))).collect();
    let compute = time(&busy, &of_busy, "compute") + time(&busy, &of_busy, "other");
    vec![
        ("device", Said { busy: Some(work), idle: Some(none), time: Some(work + none), causes: None }),
        (
            "busy",
            Said {
                busy: Some(compute),
                idle: Some(time(&busy, &of_busy, "idle")),
                time: Some(time(&busy, &of_busy, "part")),
                causes: None,
            },
        ),
        ("idle", Said { causes: Some(causes), ..Said::default() }),
    ]
}

/// The differences between what is said of each device in a part.
fn compare(session: &Session, span: Option<Span>) -> (usize, Vec<String>) {
    let trace = &session.trace;
    let scope = Scope { span, lanes: None };
    let asked = View::named("busy").expect("a view").scope(trace, &scope);
    let found = insights(trace, &asked, &Arguments::default());
    if found.is_host {
        return (0, Vec::new());
    }
    let verdict = View::named("verdict").expect("a view").table(trace, &scope);
    let mut wrong = Vec::new();
    let mut differ = |what: &str, one: i64, other: i64| {
        if one != other {
            wrong.push(format!("{what}: {one}, the ledger has {other}"));
        }
    };
    let whole = found.whole();
    let row = |name: &str| verdict.rows.iter().find(|row| text(row, 0) == name && text(row, 1) != "note");
    let work = row("device work").map_or(0, |row| time(&verdict, row, "time"));
    differ("verdict, work", work, whole.busy);
    for cause in Cause::ALL.iter().filter(|&&cause| found.idle(cause) > 0) {
        let rows = verdict.rows.iter().filter(|row| text(row, 0) == cause.title() && text(row, 1) == "cause");
        let sum = rows.map(|row| time(&verdict, row, "time")).sum();
        differ(&format!("verdict, {}", cause.id()), sum, found.idle(*cause));
    }
    for (group, sums) in &found.devices {
        let title = trace.group_title(&trace.groups[*group]);
        let causes: BTreeMap<String, i64> = Cause::ALL
            .iter()
            .map(|&cause| (cause.id().to_owned(), sums.of(cause).ns))
            .filter(|(_, ns)| *ns > 0)
            .collect();
        for (source, said) in of_tables(trace, &scope, &title) {
            for (what, ours, ledger) in [
                ("busy", said.busy, sums.work),
                ("idle", said.idle, sums.idle),
                ("time", said.time, sums.span),
            ] {
                differ(&format!("{source} of {title}, {what}"), ours.unwrap_or(ledger), ledger);
            }
            if let Some(said) = said.causes.filter(|said| *said != causes) {
                differ(&format!("{source} of {title}: {said:?}, not {causes:?}"), 0, 1);
            }
        }
        let line = Line { kind: LineKind::Group(*group), is_head: true, is_pinned: false, is_outer: false };
        let view = asked.span.unwrap_or(trace.span);
        let (work, of) = busy::of(session, &line, view).unwrap_or_default();
        differ(&format!("heading of {title}, busy"), work, sums.work);
        differ(&format!("heading of {title}, time"), of, sums.span);
    }
    // The minimap is of parts of the recording.
    let is_part = span.is_some() && found.outside == 0 && found.unused.is_empty();
    if let Some(span) = span.filter(|_| is_part) {
        let column = columns(trace, &[span.start, span.end])[0];
        differ("minimap, busy", column.busy, whole.busy);
    }
    (found.devices.len(), wrong)
}

#[test]
fn all_say_the_same_of_a_device() {
    let (mut compared, mut traces_with_devices, mut wrong) = (0, 0, Vec::new());
    for path in all("agreement on real traces", &[".json", ".json.gz"]) {
        let Ok(loaded) = load(&Request::new([path.clone()]), &Progress::default()) else { continue };
        let session = Session::new(loaded);
        let main = session.trace.main_span;
        let mut random = Rng(main.len() as u64);
        let mut at = || main.start + random.below(main.len().max(1) as u64) as i64;
        let parts: Vec<Option<Span>> = (0..PARTS)
            .map(|_| {
                let (one, other) = (at(), at());
                Some(Span { start: one.min(other), end: one.max(other) + 1 })
            })
            .collect();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut has_device = false;
        for span in [None].into_iter().chain(parts) {
            let (devices, differs) = compare(&session, span);
            has_device |= devices > 0;
            compared += devices;
            wrong.extend(differs.into_iter().map(|what| format!("{name} {span:?}: {what}")));
        }
        traces_with_devices += usize::from(has_device);
    }
    println!("{compared} devices in parts of {traces_with_devices} traces");
    assert!(traces_with_devices >= 5, "{traces_with_devices} traces with devices");
    let some: Vec<&String> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} differ, such as {some:#?}", wrong.len());
}

/// A group's number is what the heading is of.
#[test]
fn a_heading_without_a_device_says_nothing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces/torch-cnn-cpu.pt.trace.json.gz");
    let loaded = load(&Request::new([path]), &Progress::default()).expect("a trace");
    let session = Session::new(loaded);
    assert!(session.device(GroupId::new(0)).is_none());
}
