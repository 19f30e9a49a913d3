//! The answer to a query: the events found, as a list or as a table of events, groups or gaps.
//!
//! Must not know how a query is typed, nor how tables are shown.

use std::cmp::Reverse;

use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{LaneId, SliceId, Trace};

use super::arguments::{ReadSoFar, meets_arguments};
use super::error::SearchError;
use super::filter::{Filter, operator_of};
use super::found::{DURATION, Found, Rows, START, STEP, VIEW};
use super::gaps;
use super::groups::Groups;
use super::lines::Lines;
use super::names::{name_counts, names_like};
use super::query::Query;
use super::terms::{By, Order, Term};
use super::when::{Moment, StepsOver};
use crate::analysis::part::owner::NO_OPERATOR;
use crate::analysis::part::titles::title;
use crate::analysis::table::ColumnKind::Text;
use crate::analysis::table::{Column as TableColumn, Table, TableRow, Value};
use crate::analysis::vocabulary::short_names::ShortNames;

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
    let short = if query.words.is_empty() { ShortNames::default() } else { ShortNames::of(trace) };
    let names = names_like(trace, &name_counts(trace), &short, &query.words);
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
    let all = Found::events(trace, &found).nested(trace, &found);
    match query.by {
        Some(by) => grouped(trace, texts, query, by, &found).map(|groups| groups.cut(query, rows, all)),
        None => Ok(events(trace, query, found, rows, all)),
    }
}

/// The table with a row per event.
fn events(trace: &Trace, query: &Query, mut found: Vec<SliceId>, rows: Rows, all: Found) -> Table {
    arrange(trace, &mut found, query.order, query.top.or(rows.most));
    let steps = StepsOver::of(trace);
    let row = |&id: &SliceId| {
        let Moment { worker, time, .. } = Moment::of(trace, id);
        let cells = vec![
            Value::Text(trace.name(id).into_owned()),
            Value::Duration(trace.slices.start[id].saturating_sub(trace.main_span.start)),
            Value::Duration(trace.slices.dur[id]),
            steps.number(worker, time).map_or(Value::Empty, Value::Count),
            Value::text(&title(trace, trace.lane_of(id))),
        ];
        TableRow { cells, children: Vec::new(), longest: Some(id) }
    };
    let table_rows: Vec<TableRow> = found.iter().map(row).collect();
    Table {
        view: VIEW,
        title: "Events found",
        headline: all.headline(None),
        columns: vec![
            TableColumn::new("name", "Name", Text, "Name of the event"),
            START,
            DURATION,
            STEP,
            TableColumn::new("lane", "Lane", Text, "Process or device, and lane"),
        ],
        notes: all.notes(query, (table_rows.len(), all.count), "event", rows),
        rows: table_rows,
        ..Table::default()
    }
}

/// By what an event is summed up.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Name(StrId),
    Step(Option<u64>),
    Line(Option<String>),
    Lane(LaneId),
    Operator(Option<StrId>),
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
        By::Operator => Key::Operator(operator_of(trace, id)),
    };
    let value = |key: &Key| match key {
        Key::Name(name) | Key::Operator(Some(name)) => {
            Value::Text(trace.string_or(*name, "(unnamed)").into_owned())
        }
        Key::Step(step) => step.map_or(Value::Empty, Value::Count),
        Key::Line(line) => Value::text(line.as_deref().unwrap_or("(line not known)")),
        Key::Lane(lane) => Value::text(&title(trace, *lane)),
        Key::Operator(None) => Value::text(NO_OPERATOR),
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
        By::Operator => TableColumn::new(
            "operator",
            "Operator",
            Text,
            "Innermost operator at or around the events or their launches",
        ),
    };
    let spans = found.iter().map(|&id| (key(id), trace.slices.span(id), id));
    Ok(Groups::of(spans, value, column, query.order))
}
