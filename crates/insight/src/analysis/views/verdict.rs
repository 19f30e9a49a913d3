//! What limits the run, as a table: the verdict above, then the findings, the idle time of each cause, and
//! the devices' work. The row of a finding or cause has the location where that shows most.
//!
//! Must not know how a finding or a cause is determined.

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::Trace;

use crate::analysis::arguments::Arguments;
use crate::analysis::insights::{Abstained, Finding, Insights, Number, Severity, Unit, insights};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location::Location;
use crate::analysis::part::scope::Scope;
use crate::analysis::table::{Column, ColumnKind, Hint, LOCATION, Table, TableRow, Value};

/// The name of this view, in `--view` and in JSON.
pub const VIEW: &str = "verdict";

/// What the column `kind` has in rows of causes, and in the row of the devices' work.
const CAUSE: &str = "cause";
const WORK: &str = "work";

/// The number of columns before that of the location.
const WITHOUT_LOCATION: usize = 7;

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
                "how much a finding matters, or once for a cost that comes once; or cause, work, or location",
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
                "the time that the row is about, as a share of the devices' time in the run",
            ),
            Column::new(
                "when",
                "When",
                ColumnKind::Text,
                "when a finding shows: once, in the first step, in every step, or in how many",
            ),
            Column::extra(
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
    for words in found.verdict_words() {
        table.headline += &words.text;
        table.links.extend(words.finding.map(|number| (table.headline.len(), number)));
    }
    table.hints = found.findings.iter().map(|finding| hint(finding, &found)).collect();
    table.unjudged = found.abstained.iter().map(unjudged).collect();
    table.rows = found.findings.iter().map(|finding| of_finding(trace, finding)).collect();
    table.rows.extend(of_devices(trace, &found));
    table.notes = notes(&found);
    table
}

/// How many rows at the top of a table of this view are findings.
pub fn findings(table: &Table) -> usize {
    let is_finding = |row: &&TableRow| match &row.cells[1] {
        Value::Text(kind) => ![CAUSE, WORK].contains(&kind.as_str()),
        _ => true,
    };
    table.rows.iter().take_while(is_finding).count()
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Good to know, or a cost that comes once.
    Note,
    /// Worth mending.
    Warning,
    /// Limits the run.
    Critical,
}

/// How much the gravest finding of a table of this view matters; none without findings.
pub fn weight(table: &Table) -> Option<Weight> {
    table.rows.iter().take(findings(table)).map(weight_of).max()
}

/// How much the finding matters that this row of a table of this view is; a note for one that comes once.
pub fn weight_of(row: &TableRow) -> Weight {
    match row.cells.get(1) {
        Some(Value::Text(kind)) if kind.as_str() == Severity::Critical.name() => Weight::Critical,
        Some(Value::Text(kind)) if kind.as_str() == Severity::Warning.name() => Weight::Warning,
        _ => Weight::Note,
    }
}

/// Makes a row of `cells` and, as its last cell, the location as text, which is empty without a location.
fn row(trace: &Trace, mut cells: Vec<Value>, location: Option<Location>) -> TableRow {
    cells.push(location.map_or(Value::Empty, |location| Value::text(&location.text(trace))));
    TableRow::new(cells)
}

/// The cells with empty ones behind them, up to the one before the location.
fn with_empty(mut cells: Vec<Value>) -> Vec<Value> {
    cells.resize(WITHOUT_LOCATION, Value::Empty);
    cells
}

fn of_finding(trace: &Trace, finding: &Finding) -> TableRow {
    let gaps = finding.numbers.iter().find(|number| number.name == "gaps");
    let time = if finding.saves > 0 { Value::Duration(finding.saves) } else { Value::Empty };
    let cells = vec![
        Value::text(&finding.title),
        Value::text(if finding.once { "once" } else { finding.severity.name() }),
        time,
        Value::Ratio(finding.share),
        finding.when.as_ref().map_or(Value::Empty, |when| Value::text(&when.short())),
        gaps.map_or(Value::Empty, |gaps| Value::Count(saturate::<u64>(gaps.value))),
        if finding.seen.is_empty() { Value::Empty } else { Value::text(&finding.seen_names()) },
    ];
    let locations = finding.at.iter().map(|&location| {
        let after = fmt::duration(location.span.start.saturating_sub(trace.main_span.start));
        let name = format!("{after} after the trace's start");
        let time = Value::Duration(location.span.len());
        row(trace, with_empty(vec![Value::text(&name), Value::text("location"), time]), Some(location))
    });
    TableRow { children: locations.collect(), ..row(trace, cells, finding.at.first().copied()) }
}

/// Makes the rows below the findings: idle time by cause, then the devices' work.
fn of_devices(trace: &Trace, found: &Insights) -> Vec<TableRow> {
    let whole = found.whole();
    let mut rows = Vec::new();
    let mut causes: Vec<(Ns, Cause)> =
        Cause::ALL.iter().map(|&cause| (found.idle(cause), cause)).filter(|&(ns, _)| ns > 0).collect();
    causes.sort_by_key(|&(ns, cause)| (std::cmp::Reverse(ns), cause));
    for (ns, cause) in causes {
        let of_cause = found.devices.iter().zip(&found.subjects);
        let of_cause = of_cause.map(|((_, sums), &subject)| (subject, sums.of(cause)));
        let gaps = of_cause.clone().map(|(_, sum)| u64::from(sum.gaps)).sum();
        let longest = of_cause.max_by_key(|(_, sum)| sum.longest).map(|(subject, sum)| Location {
            span: Span { start: sum.longest_at, end: sum.longest_at.saturating_add(sum.longest) },
            at: Some(subject),
        });
        let cells = vec![
            Value::text(cause.title()),
            Value::text(CAUSE),
            Value::Duration(ns),
            Value::share(ns, whole.time),
            Value::Empty,
            Value::Count(gaps),
            Value::Empty,
        ];
        rows.push(row(trace, cells, longest));
    }
    let name = Value::text(if found.is_host { "operators" } else { "device work" });
    let cells =
        vec![name, Value::text(WORK), Value::Duration(whole.busy), Value::share(whole.busy, whole.time)];
    rows.push(row(trace, with_empty(cells), None));
    rows
}

fn notes(found: &Insights) -> Vec<String> {
    let mut notes = Vec::new();
    if found.outside > 0 {
        notes.push(format!(
            "Recorded outside the run: {}, which no share counts.",
            fmt::duration(found.outside)
        ));
    }
    notes.extend(
        found.abstained.iter().map(|abstained| format!("Not known ({}): {}", abstained.rule, abstained.why)),
    );
    notes
}

fn hint(finding: &Finding, found: &Insights) -> Hint {
    let mut numbers = Vec::new();
    if let Some(time) = finding.time {
        let (share, whole) = (finding.share * 100.0, found.whole().time);
        // The share of a few findings is of less than the whole run.
        let is_of_run = (finding.share * whole as f64 - time as f64).abs() <= whole as f64 / 1000.0;
        let (time, of) = (fmt::duration(time), fmt::duration(whole));
        let whose = if found.is_host { "the host's" } else { "the devices'" };
        let made = if is_of_run {
            format!("= {time} / {of}, of {whose} time in the run")
        } else {
            format!("({time})")
        };
        numbers.push(format!("{share:.1} % {made}: {}.", finding.what));
    }
    let saves = fmt::duration(finding.saves);
    numbers.push(format!("Mending it saves at most {saves}: {}.", finding.basis));
    let value = |number: &Number| match number.unit {
        Unit::Ns => fmt::duration(saturate::<Ns>(number.value)),
        Unit::Count => fmt::count(saturate::<u64>(number.value)),
        Unit::Bytes => fmt::bytes(saturate::<i64>(number.value)),
        Unit::Ratio => format!("{:.1} %", number.value * 100.0),
    };
    let named = |number: &Number| format!("{} {}", number.name.replace('_', " "), value(number));
    if !finding.numbers.is_empty() {
        numbers.push(format!("{}.", finding.numbers.iter().map(named).collect::<Vec<_>>().join(" · ")));
    }
    Hint { advice: finding.advice.clone(), caveat: finding.caveats.join("; "), numbers }
}

/// What a rule would have judged, in words, and why it did not.
fn unjudged(abstained: &Abstained) -> (String, String) {
    // The words of people where those of the rule's id are not theirs.
    let subject = match abstained.rule {
        "straggler" => "slow rank".to_owned(),
        "under_the_roof" => "far below the peak".to_owned(),
        "low_occupancy" => "too few blocks".to_owned(),
        rule => rule.replace('_', " "),
    };
    (subject, abstained.why.clone())
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
        assert!(table.headline.starts_with("73 % of 1.090 ms the GPU waits for data loading: enumerate"));
        assert!(table.headline.ends_with(" GPU 17 % busy."), "{}", table.headline);
        let kind = |row: &&TableRow, kind: &str| row.cells[1] == Value::text(kind);
        let parts: Vec<&TableRow> =
            table.rows.iter().filter(|row| kind(row, "work") || kind(row, "cause")).collect();
        let time: Ns = parts.iter().map(|row| row.cells[2].duration_or_zero()).sum();
        assert_eq!(time, 1_090_000, "all that was recorded");
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
            first.cells[WITHOUT_LOCATION] != Value::Empty && !first.children.is_empty(),
            "a finding has locations: {first:?}"
        );
    }

    #[test]
    fn without_device_work_the_host_is_judged() {
        let (_, table) = table(
            r#"[
            {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":20},
            {"ph":"X","cat":"user_annotation","name":"load_batch","pid":1,"tid":1,"ts":20,"dur":60},
            {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":80,"dur":20}
            ]"#,
        );
        let text = &table.headline;
        assert!(
            text.starts_with("60 % of 100.0 µs the host loads data or waits for it: load_batch"),
            "{text}"
        );
        assert!(text.ends_with("40 % the host is in operators."), "{text}");
    }
}
