//! The answer to a query: the events found, as a list or as a table of events, groups or gaps.
//!
//! Must not know how a query is typed, nor how tables are shown.

use std::cmp::Reverse;

use proftui_base::fmt;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, sum};
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{LaneId, SliceId, Trace};

use super::arguments::{ReadSoFar, meets_arguments};
use super::error::{QueryError, SearchError};
use super::filter::Filter;
use super::gaps;
use super::groups::Groups;
use super::lines::Lines;
use super::names::{name_counts, names_like};
use super::query::{By, Order, Query, Term};
use super::when::{Moment, StepsOver};
use crate::analysis::part::titles::title;
use crate::analysis::table::ColumnKind::{Count, Duration, Text};
use crate::analysis::table::{Column as TableColumn, Table, TableRow, Value};

/// The name of the tables of queries in JSON, where a table of a view has the view's.
pub(super) const VIEW: &str = "query";

/// How many rows a table of a query has at most, unless the query says so itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    /// The most rows; `None` for all.
    pub most: Option<usize>,
    /// Advice on how to see all rows, for the note below a table that was cut; empty for no advice.
    pub advice: &'static str,
}

/// The events that have a name that is true in `names` and meet all `terms`. Reads events again from the
/// trace's files if a term needs it, and counts them in `read`.
///
/// # Errors
/// When a term asks for what the trace does not have, or a file cannot be read again.
pub fn find(
    trace: &Trace,
    texts: &Texts,
    names: Column<StrId, bool>,
    terms: &[Term],
    read: &ReadSoFar,
) -> Result<Vec<SliceId>, SearchError> {
    let found = Filter::new(trace, Some(texts), names, terms)?.find();
    Ok(meets_arguments(trace, texts, found, terms, read)?)
}

/// Brings events into an order, and leaves out all but the first `most`.
pub fn arrange(trace: &Trace, found: &mut Vec<SliceId>, order: Order, most: Option<usize>) {
    let slices = &trace.slices;
    // Of equal ones, the earlier is first.
    let key = |&id: &SliceId| match order {
        Order::Duration | Order::Count => (Reverse(slices.dur[id]), slices.start[id], id),
        Order::Start => (Reverse(0), slices.start[id], id),
    };
    if let Some(most) = most.filter(|&most| most < found.len()) {
        if most > 0 {
            found.select_nth_unstable_by_key(most - 1, key);
        }
        found.truncate(most);
    }
    found.sort_unstable_by_key(key);
}

/// Answers a query with a table: of groups or gaps if it asks for these, else of events.
///
/// # Errors
/// As [`find`].
pub fn table(trace: &Trace, texts: &Texts, query: &Query, rows: Rows) -> Result<Table, SearchError> {
    if query.is_of_gaps() {
        return Ok(gaps::table(trace, query, rows)?);
    }
    let names = names_like(trace, &name_counts(trace), &query.words);
    let found = find(trace, texts, names, &query.terms, &ReadSoFar::default())?;
    Ok(table_of(trace, texts, query, found, rows)?)
}

/// The table of the events that a query found.
///
/// # Errors
/// When events are grouped by line, and a file cannot be read again.
pub fn table_of(
    trace: &Trace,
    texts: &Texts,
    query: &Query,
    found: Vec<SliceId>,
    rows: Rows,
) -> Result<Table, VisitError> {
    let all = Found::events(trace, &found);
    match query.by {
        Some(by) => grouped(trace, texts, query, by, &found).map(|groups| groups.cut(query, rows, all)),
        None => Ok(events(trace, query, found, rows, all)),
    }
}

/// What a query found in all.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// How many were found.
    pub count: usize,
    /// Their summed time, ns.
    pub total: Ns,
    /// What was found, in the singular: `event` or `gap`.
    pub what: &'static str,
}

impl Found {
    /// The events found.
    pub fn events(trace: &Trace, found: &[SliceId]) -> Self {
        let total = sum(found.iter().map(|&id| trace.slices.dur[id]));
        Self { count: found.len(), total, what: "event" }
    }

    /// The gaps that a query finds.
    ///
    /// # Errors
    /// When a term asks for what the trace does not have.
    pub fn gaps(trace: &Trace, query: &Query) -> Result<Self, QueryError> {
        gaps::found(trace, query)
    }

    /// A sentence on what was found, with the number of groups, if any.
    pub(super) fn headline(self, groups: Option<usize>) -> String {
        if self.count == 0 {
            return String::new();
        }
        let groups =
            groups.map_or(String::new(), |groups| format!(" in {}", fmt::counted(groups as u64, "group")));
        let count = fmt::counted(self.count as u64, self.what);
        format!("{count}{groups}, {} in all.", fmt::duration(self.total))
    }

    /// The notes of a table with `shown` of `count` rows, each of which is a `row`.
    pub(super) fn notes(
        self,
        query: &Query,
        (shown, count): (usize, usize),
        row: &str,
        rows: Rows,
    ) -> Vec<String> {
        if count == 0 {
            return vec![format!("No {} meets the query.", self.what)];
        }
        if shown == count || query.top.is_some() {
            return Vec::new();
        }
        let more = fmt::counted((count - shown) as u64, &format!("more {row}"));
        vec![if rows.advice.is_empty() { format!("{more}.") } else { format!("{more}; {}.", rows.advice) }]
    }
}

/// The table with a row per event.
fn events(trace: &Trace, query: &Query, mut found: Vec<SliceId>, rows: Rows, all: Found) -> Table {
    arrange(trace, &mut found, query.order, query.top.or(rows.most));
    let steps = StepsOver::of(trace);
    let row = |&id: &SliceId| {
        let Moment { worker, time, .. } = Moment::of(trace, id);
        let cells = vec![
            Value::Duration(trace.slices.start[id].saturating_sub(trace.main_span.start)),
            Value::Duration(trace.slices.dur[id]),
            steps.number(worker, time).map_or(Value::Empty, Value::Count),
            Value::text(&title(trace, trace.lane_of(id))),
            Value::Text(trace.name(id).into_owned()),
        ];
        TableRow { cells, children: Vec::new(), longest: Some(id) }
    };
    let table_rows: Vec<TableRow> = found.iter().map(row).collect();
    Table {
        view: VIEW,
        title: "Events found",
        headline: all.headline(None),
        columns: [START, DURATION, STEP]
            .into_iter()
            .chain([
                TableColumn::new("lane", "Lane", Text, "Process or device, and lane"),
                TableColumn::new("name", "Name", Text, "Name of the event"),
            ])
            .collect(),
        notes: all.notes(query, (table_rows.len(), all.count), "event", rows),
        rows: table_rows,
        ..Table::default()
    }
}

/// The column of starts.
pub(super) const START: TableColumn =
    TableColumn::new("start", "Start", Duration, "Start, counted from the trace's start");
/// The column of durations.
pub(super) const DURATION: TableColumn = TableColumn::new("dur", "Duration", Duration, "Length");
/// The column of steps.
pub(super) const STEP: TableColumn = TableColumn::new(
    "step",
    "Step",
    Count,
    "Number of the step in which it begins, or of device work in which it was launched, if that is known",
);

/// By what an event is summed up.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Name(StrId),
    Step(Option<u64>),
    Line(Option<String>),
    Lane(LaneId),
}

fn grouped(
    trace: &Trace,
    texts: &Texts,
    query: &Query,
    by: By,
    found: &[SliceId],
) -> Result<Groups, VisitError> {
    let steps = StepsOver::of(trace);
    let lines = (by == By::Line).then(|| Lines::read(trace, texts)).transpose()?;
    let key = |id: SliceId| match by {
        By::Name => Key::Name(trace.slices.name[id]),
        By::Step => {
            let Moment { worker, time, .. } = Moment::of(trace, id);
            Key::Step(steps.number(worker, time))
        }
        By::Line => {
            let line = lines.as_ref().and_then(|lines| lines.of_event(id));
            Key::Line(line.map(|line| line.to_string()))
        }
        By::Stream => Key::Lane(trace.lane_of(id)),
    };
    let value = |key: &Key| match key {
        Key::Name(name) => Value::Text(trace.string_or(*name, "(unnamed)").into_owned()),
        Key::Step(step) => step.map_or(Value::Empty, Value::Count),
        Key::Line(line) => Value::text(line.as_deref().unwrap_or("(line not known)")),
        Key::Lane(lane) => Value::text(&title(trace, *lane)),
    };
    let column = match by {
        By::Name => TableColumn::new("name", "Name", Text, "Name of the events"),
        By::Step => STEP,
        By::Line => TableColumn::new(
            "line",
            "Line",
            Text,
            "Innermost script line around the events or their launches",
        ),
        By::Stream => TableColumn::new("lane", "Lane", Text, "Process or device, and lane"),
    };
    let spans = found.iter().map(|&id| (key(id), trace.slices.span(id), id));
    Ok(Groups::of(spans, value, column, query.order))
}
