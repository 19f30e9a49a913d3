//! The summary of the calls of a runtime or driver by name: those that wait for the device first, then the
//! others; below each the operators that make them, and below these the lines of Python.
//!
//! A call inside another call, such as a driver's in a runtime's, counts under its own name, but its time is
//! part of the outer call, so no time of a thread is in the shares of two names. Must not know how a table is
//! shown.

mod around;
mod longest;
mod sums;

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_trace::model::Trace;

use crate::analysis::part::Part;
use crate::analysis::part::owner::NO_OPERATOR;
use crate::analysis::part::scope::Scope;
use crate::analysis::table::tally::SPREAD;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};
use crate::analysis::vocabulary::waits::Waits;
use around::Line;
use sums::{Key, Sums};

use crate::analysis::arguments::call_stacks::StackLines;

/// Name of the view for `--view`.
pub const VIEW: &str = "calls";

/// The title of the row of calls whose line of Python is not known.
const NO_LINE: &str = "(no line)";
/// Sums of calls by their line of Python; `None` if the line is not known.
type Lines = Vec<(Option<Line>, Sums)>;

/// Builds the table of runtime and driver calls by name, with rows below for the operators or ranges that
/// make them and for lines of Python.
pub fn calls(trace: &Trace, scope: &Scope) -> Table {
    table(trace, scope, None)
}

/// Builds the table of [`calls`], also with the lines of operators' call stacks in `stacks`.
pub(crate) fn with_stacks(trace: &Trace, scope: &Scope, stacks: &StackLines) -> Table {
    table(trace, scope, Some(stacks))
}

/// Builds the table of calls; `read` has the lines of operators' call stacks, `None` if they were not read.
fn table(trace: &Trace, scope: &Scope, read: Option<&StackLines>) -> Table {
    let none = StackLines::default();
    let stacks = read.unwrap_or(&none);
    let part = Part::new(trace, scope);
    let waits = Waits::of(trace);
    let mut has_lines = false;
    let mut names: FxHashMap<StrId, FxHashMap<Option<StrId>, Lines>> = FxHashMap::default();
    for (Key { name, maker, line }, sums) in sums::gather(&part, waits, stacks) {
        has_lines |= line.is_some();
        names.entry(name).or_default().entry(maker).or_default().push((line, sums));
    }
    let of_name = |(name, makers): (StrId, FxHashMap<Option<StrId>, Lines>)| {
        let mut all = Sums::default();
        let mut children = Vec::new();
        for (maker, lines) in makers {
            let (sums, row) = of_maker((&part, stacks), maker, lines);
            all.merge(sums);
            children.push(row);
        }
        let waits = all.waits();
        let title = Value::Text(trace.string_or(name, "(unnamed)").into_owned());
        (waits != "no", row(&part, title, Some(&waits), &mut all, sorted(children)))
    };
    let (first, then): (Vec<_>, Vec<_>) = names.into_iter().map(of_name).partition(|(is_wait, _)| *is_wait);
    let of_kind = |rows: Vec<(bool, TableRow)>| sorted(rows.into_iter().map(|(_, row)| row).collect());
    let rows: Vec<TableRow> = of_kind(first).into_iter().chain(of_kind(then)).collect();
    let notes = if rows.is_empty() { Vec::new() } else { notes(&part, waits, has_lines, read) };
    let title = "Runtime and driver calls by name";
    let table = Table { view: VIEW, title, columns: columns(), rows, notes, ..Table::default() };
    let chart = table.share_chart("Time in runtime and driver calls by name", "share", "total");
    table.with_charts([chart])
}

/// Adds up the calls that the operator or range `maker` makes (`None`: neither), and makes their row.
fn of_maker(
    (part, stacks): (&Part<'_>, &StackLines),
    maker: Option<StrId>,
    lines: Lines,
) -> (Sums, TableRow) {
    let trace = part.trace();
    let mut all = Sums::default();
    let has_lines = lines.iter().any(|(line, _)| line.is_some());
    let mut children = Vec::new();
    for (line, mut sums) in lines {
        if has_lines {
            let title = line.map_or_else(
                || Value::text(NO_LINE),
                |line| Value::Text(line.text(trace, stacks).into_owned()),
            );
            children.push(row(part, title, None, &mut sums, Vec::new()));
        }
        all.merge(sums);
    }
    let named = |name: StrId| Value::Text(trace.string_or(name, "(unnamed)").into_owned());
    let title = maker.map_or_else(|| Value::text(NO_OPERATOR), named);
    let row = row(part, title, None, &mut all, sorted(children));
    (all, row)
}

/// Orders rows by total time, the largest first, rows with equal times by title.
fn sorted(mut rows: Vec<TableRow>) -> Vec<TableRow> {
    rows.sort_by(|one, other| {
        other.cells[TOTAL].order(&one.cells[TOTAL]).then_with(|| other.cells[0].order(&one.cells[0]))
    });
    rows
}

/// Index of the total time in [`columns`].
const TOTAL: usize = 3;

/// Makes one row of calls. `waits` says whether the calls usually wait for the device, `None` for an empty
/// cell; shares are of the part's run.
fn row(
    part: &Part<'_>,
    title: Value,
    waits: Option<&str>,
    sums: &mut Sums,
    children: Vec<TableRow>,
) -> TableRow {
    let waits = waits.map_or(Value::Empty, Value::text);
    let first = [
        title,
        waits,
        Value::Count(sums.tally.count()),
        Value::Duration(sums.tally.total),
        Value::share(sums.covered(part), part.run_of_workers()),
    ];
    let longest = sums.tally.longest();
    let bytes = sums.bytes.and_then(|bytes| i64::try_from(bytes).ok()).map_or(Value::Empty, Value::Bytes);
    TableRow {
        cells: first.into_iter().chain(sums.tally.spread()).chain([bytes]).collect(),
        children,
        longest,
    }
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Count, Duration, Ratio, Text};
    let first = [
        Column::new(
            "name",
            "Call",
            Text,
            "Name of the runtime or driver call; the rows below are the operators or ranges that make it, \
             below these the Python functions or lines, where known",
        ),
        Column::new(
            "waits",
            "Waits",
            Text,
            "yes for calls that usually wait for the device; how many do, where others of the name do not",
        ),
        Column::new("calls", "Calls", Count, "Number of the row's calls that begin in the summarized part"),
        Column::new(
            "total",
            "Total",
            Duration,
            "Summed time of the calls within the summarized part; a call nested in one of the same name is \
             not added again",
        ),
        Column::new(
            "share",
            "Share",
            Ratio,
            "Share of the summarized time in which at least one of the calls ran, without those inside other \
             calls; averaged over processes",
        ),
    ];
    let spread = SPREAD.into_iter().map(|column| match column.id.as_ref() {
        "p99" => Column { is_extra: false, ..column },
        _ => column,
    });
    let about = "Bytes of the copies and memsets that the calls counted in Calls launched";
    let bytes = Column::new("bytes", "Bytes", ColumnKind::Bytes, about);
    first.into_iter().chain(spread).chain([bytes]).collect()
}

/// The notes under a table of calls. `has_lines` is true if the line of any call is known; `read` is `None`
/// if reading call stacks was not tried.
fn notes(part: &Part<'_>, waits: &Waits, has_lines: bool, read: Option<&StackLines>) -> Vec<String> {
    let none = StackLines::default();
    let longest = longest::note(part, waits, read.unwrap_or(&none));
    let mut notes: Vec<String> = longest.into_iter().collect();
    notes.push(
        "Waits is yes for synchronizations, synchronous copies, and asynchronous copies from or to pageable \
         memory that return after the device has begun to copy. Others may wait, too, such as cudaMalloc and \
         cudaFree."
            .into(),
    );
    notes.push(
        "A call inside another call (a driver's in a runtime's) counts in the row of its own name; its time \
         is in the Share of the outermost call only."
            .into(),
    );
    let below =
        "The rows below a call are the innermost operators around it, else the innermost ranges, if any";
    let lines = if has_lines {
        "below these the innermost lines of the program, or of a library where no line of the program is \
         around the call."
    } else if read.is_some() {
        "no lines of Python are known around the calls: with_stack=True (torch.profiler) and proftui capture \
         --with-stack record them."
    } else {
        "no lines of Python are known around the calls; --view calls without other views reads those of \
         operators' call stacks, too."
    };
    notes.push(format!("{below}; {lines}"));
    notes
}

#[cfg(test)]
mod tests;
