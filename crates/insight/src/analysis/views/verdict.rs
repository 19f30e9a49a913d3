//! What limits the run, as a table: the verdict above, then the findings, the idle time of each cause, and
//! the devices' work. The row of a finding or cause has the location where that shows most.
//!
//! Must not know how a finding or a cause is determined.

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::Trace;

use crate::analysis::arguments::Arguments;
use crate::analysis::insights::{Finding, Insights, insights};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::{Column, ColumnKind, LOCATION, Table, TableRow, Value};

/// The name of this view, in `--view` and in JSON.
pub const VIEW: &str = "verdict";

/// Builds the table of what limits the run in the part that `scope` selects, without findings that need the
/// arguments of events.
pub fn verdict(trace: &Trace, scope: &Scope) -> Table {
    of(trace, scope, &Arguments::default())
}

/// Builds the table of what limits the run in the part that `scope` selects. Findings that need
/// arguments of events that `read` lacks are left out.
pub fn of(trace: &Trace, scope: &Scope, read: &Arguments) -> Table {
    let mut table = Table {
        view: VIEW,
        title: "What limits the run",
        columns: vec![
            Column::new(
                "name",
                "What",
                ColumnKind::Text,
                "a finding or a location of it, a cause of time without recorded work, or the devices' work",
            ),
            Column::new(
                "kind",
                "Kind",
                ColumnKind::Text,
                "how much a finding matters; or cause, work, or location",
            ),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "time of a cause or of work, devices added up; of a finding, the most that mending it \
                 would save; of a location, its length",
            ),
            Column::new(
                "share",
                "Share",
                ColumnKind::Ratio,
                "the time that the row is about, as a share of the devices' time from their first to their \
                 last work in each cycle",
            ),
            Column::new(
                "gaps",
                "Gaps",
                ColumnKind::Count,
                "number of the gaps in the devices' work in which the finding or cause has a part",
            ),
            Column::extra(
                "seen",
                "Seen",
                ColumnKind::Text,
                "up to three names that explain the finding, with their shares of the time from which they \
                 are taken",
            ),
            Column::extra(
                LOCATION,
                "Where",
                ColumnKind::Text,
                "a location where the finding or cause shows, as proftui open --at takes it",
            ),
        ],
        ..Table::default()
    };
    let found = insights(trace, scope, read);
    if found.devices.is_empty() {
        return table;
    }
    table.headline = found.verdict();
    table.rows = found.findings.iter().map(|finding| of_finding(trace, finding)).collect();
    table.rows.extend(of_devices(trace, &found));
    table.notes = notes(&found);
    table
}

/// Makes a row of `cells` and, as its last cell, the location as text, which is empty without a location.
fn row(trace: &Trace, mut cells: Vec<Value>, location: Option<Location>) -> TableRow {
    cells.push(location.map_or(Value::Empty, |location| Value::text(&location.text(trace))));
    TableRow::new(cells)
}

fn of_finding(trace: &Trace, finding: &Finding) -> TableRow {
    let gaps = finding.numbers.iter().find(|number| number.name == "gaps");
    let time = if finding.headroom > 0 { Value::Duration(finding.headroom) } else { Value::Empty };
    let cells = vec![
        Value::text(&finding.heading()),
        Value::text(finding.severity.name()),
        time,
        Value::Ratio(finding.share),
        gaps.map_or(Value::Empty, |gaps| Value::Count(saturate::<u64>(gaps.value))),
        if finding.seen.is_empty() { Value::Empty } else { Value::text(&finding.seen_names()) },
    ];
    let locations = finding.at.iter().map(|&location| {
        let after = fmt::duration(location.span.start.saturating_sub(trace.main_span.start));
        let name = format!("{after} after the trace's start");
        let time = Value::Duration(location.span.len());
        row(
            trace,
            vec![Value::text(&name), Value::text("location"), time, Value::Empty, Value::Empty, Value::Empty],
            Some(location),
        )
    });
    TableRow { children: locations.collect(), ..row(trace, cells, finding.at.first().copied()) }
}

/// Makes the rows below the findings: idle time by cause, without [`Cause::Edge`], then the devices' work.
fn of_devices(trace: &Trace, found: &Insights) -> Vec<TableRow> {
    let whole = found.whole();
    let mut rows = Vec::new();
    let mut causes: Vec<(Ns, Cause)> = Cause::ALL
        .iter()
        .map(|&cause| (found.idle(cause), cause))
        .filter(|&(ns, cause)| ns > 0 && cause != Cause::Edge)
        .collect();
    causes.sort_by_key(|&(ns, cause)| (std::cmp::Reverse(ns), cause));
    for (ns, cause) in causes {
        let of_cause = found.devices.iter().map(|(group, sums)| (*group, sums.of(cause)));
        let gaps = of_cause.clone().map(|(_, sum)| u64::from(sum.gaps)).sum();
        let longest = of_cause.max_by_key(|(_, sum)| sum.longest).map(|(group, sum)| Location {
            span: Span { start: sum.longest_at, end: sum.longest_at.saturating_add(sum.longest) },
            at: Some(Subject::Device(group)),
        });
        let cells = vec![
            Value::text(cause.title()),
            Value::text("cause"),
            Value::Duration(ns),
            Value::share(ns, whole.time),
            Value::Count(gaps),
            Value::Empty,
        ];
        rows.push(row(trace, cells, longest));
    }
    let (name, kind) = (Value::text("device work"), Value::text("work"));
    let cells = vec![
        name,
        kind,
        Value::Duration(whole.busy),
        Value::share(whole.busy, whole.time),
        Value::Empty,
        Value::Empty,
    ];
    rows.push(row(trace, cells, None));
    rows
}

fn notes(found: &Insights) -> Vec<String> {
    let edges = found.idle(Cause::Edge);
    let mut notes = Vec::new();
    if edges > 0 {
        notes.push(format!(
            "Recorded outside a device's first to its last work in a cycle: {}, which no share counts.",
            fmt::duration(edges)
        ));
    }
    notes.extend(
        found.abstained.iter().map(|abstained| format!("Not known ({}): {}", abstained.rule, abstained.why)),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    /// Two kernels, the second of which is launched late, after the thread was in `next` of a data loader.
    const LATE: &str = r#"[
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":90,"args":{"device":0,"stream":7,"correlation":1}},
        {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__","pid":1,"tid":1,"ts":100,"dur":800},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":905,"dur":5,"args":{"correlation":2}},
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1000,"dur":90,"args":{"device":0,"stream":7,"correlation":2}}
    ]"#;

    fn table(text: &str) -> (Trace, Table) {
        let trace =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
        let table = verdict(&trace, &Scope::default());
        (trace, table)
    }

    #[test]
    fn work_and_causes_are_all_of_the_time_and_have_locations() {
        let (trace, table) = table(LATE);
        assert!(table.headline.starts_with("GPU 17 % busy."), "{}", table.headline);
        let kind = |row: &&TableRow, kind: &str| row.cells[1] == Value::text(kind);
        let parts: Vec<&TableRow> =
            table.rows.iter().filter(|row| kind(row, "work") || kind(row, "cause")).collect();
        let time: Ns = parts.iter().map(|row| row.cells[2].duration_or_zero()).sum();
        assert_eq!(time, 1_080_000, "from the first to the last work");
        let loading =
            table.rows.iter().find(|row| row.cells[0] == Value::text("data loading")).expect("a cause");
        assert!(loading.cells[2].duration_or_zero() >= 795_000, "{loading:?}");
        let Value::Text(location) = &loading.cells[table.column(LOCATION).expect("locations")] else {
            panic!("{loading:?}")
        };
        let location = Location::parse(location.as_str(), &trace).expect("a location");
        assert!(location.span.start >= 100_000 && location.span.end <= 1_000_000, "{location:?}");
        let first = &table.rows[0];
        assert!(
            first.cells[6] != Value::Empty && !first.children.is_empty(),
            "a finding has locations: {first:?}"
        );
    }

    #[test]
    fn without_device_work_nothing_is_said() {
        let (_, table) = table(r#"[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":5}]"#);
        assert!(table.rows.is_empty() && table.headline.is_empty());
    }
}
