//! The gaps of devices that a query finds by their cause.
//!
//! Must not know how gaps get their causes.

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{GroupId, SliceId, Trace, WorkerId};

use super::error::{QueryError, not_there};
use super::filter::{devices, is_gpu, is_of_rank};
use super::found::{DURATION, Found, Rows, START, STEP, VIEW};
use super::groups::Groups;
use super::query::Query;
use super::terms::{By, Field, Order, Term};
use super::when::{SomeSteps, StepsOver};
use crate::analysis::ledger::{Cause, DeviceLedger, Ledger};
use crate::analysis::part::location::{Location, Subject, device_number};
use crate::analysis::table::ColumnKind::Text;
use crate::analysis::table::{Column, LOCATION, Table, TableRow, Value};

/// A time in which a device had no work, with one cause.
#[derive(Clone, Copy)]
struct Gap {
    span: Span,
    cause: Cause,
    device: GroupId,
    worker: WorkerId,
}

/// A term on gaps, resolved for a trace.
enum Test<'q> {
    Causes(&'q [Cause]),
    Steps(SomeSteps),
    Other(&'q Field),
}

/// How many gaps a query finds, and their time.
///
/// # Errors
/// When a term asks for what the trace does not have.
pub fn found_gaps(trace: &Trace, query: &Query) -> Result<Found, QueryError> {
    Ok(in_all(&gaps(trace, &query.terms)?))
}

fn in_all(gaps: &[Gap]) -> Found {
    Found {
        count: gaps.len(),
        total: sum(gaps.iter().map(|gap| gap.span.len())),
        what: "gap",
        is_nested: false,
    }
}

/// The table of the gaps that a query finds.
///
/// # Errors
/// When a term asks for what the trace does not have.
pub(super) fn table(trace: &Trace, query: &Query, rows: Rows) -> Result<Table, QueryError> {
    let mut gaps = gaps(trace, &query.terms)?;
    let all = in_all(&gaps);
    let steps = StepsOver::of(trace);
    let step = |gap: &Gap| steps.number(gap.worker, gap.span.start);
    let title = |device: GroupId| Value::text(&trace.group_title(&trace.groups[device]));
    let key = |by: By, gap: &Gap| match by {
        By::Step => Key::Step(step(gap)),
        By::Stream => Key::Device(gap.device),
        // Query::parse refuses the last two of gaps.
        By::Name | By::Line | By::Operator => Key::Cause(gap.cause),
    };
    let value = |key: &Key| match *key {
        Key::Step(step) => step.map_or(Value::Empty, Value::Count),
        Key::Device(device) => title(device),
        Key::Cause(cause) => Value::text(cause.title()),
    };
    if let Some(by) = query.by {
        let column = match by {
            By::Step => STEP,
            By::Stream => DEVICE,
            By::Name | By::Line | By::Operator => CAUSE,
        };
        let items = gaps.iter().map(|gap| (key(by, gap), gap.span, SliceId::NONE));
        return Ok(Groups::of(items, value, column, query.order).cut(query, rows, all));
    }
    gaps.sort_by_key(|gap| {
        let length = if query.order == Order::Start { 0 } else { gap.span.len() };
        (std::cmp::Reverse(length), gap.span.start, gap.device)
    });
    gaps.truncate(query.top.or(rows.most).unwrap_or(gaps.len()));
    let row = |gap: &Gap| {
        let at = Location { span: gap.span, at: Some(Subject::Device(gap.device)) };
        TableRow::new(vec![
            Value::text(gap.cause.title()),
            Value::Duration(gap.span.start.saturating_sub(trace.main_span.start)),
            Value::Duration(gap.span.len()),
            step(gap).map_or(Value::Empty, Value::Count),
            title(gap.device),
            Value::text(&at.text(trace)),
            Value::text(gap.cause.id()),
        ])
    };
    let at = Column::new(LOCATION, "At", Text, "Location, as proftui open --at takes it");
    Ok(Table {
        view: VIEW,
        title: "Gaps found",
        headline: all.headline(None),
        columns: vec![CAUSE, START, DURATION, STEP, DEVICE, at, CODE],
        notes: all.notes(query, (gaps.len(), all.count), "gap", rows),
        rows: gaps.iter().map(row).collect(),
        ..Table::default()
    })
}

/// By what a gap is summed up.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Step(Option<u64>),
    Device(GroupId),
    Cause(Cause),
}

/// The column of devices.
const DEVICE: Column = Column::new("device", "Device", Text, "Device that has no work");
/// The column of causes, in words.
const CAUSE: Column = Column::new("cause_title", "Cause", Text, "Why the device has no work");
/// The column of the causes' names, for programs.
const CODE: Column = Column::extra("cause", "Code", Text, "Name of the cause, as the term cause: takes it");

/// The gaps within the run of each device that meet all `terms`, each divided by cause.
fn gaps(trace: &Trace, terms: &[Term]) -> Result<Vec<Gap>, QueryError> {
    let tests: Vec<(bool, Test<'_>)> =
        terms.iter().map(|term| Ok((term.is_not, test(trace, &term.field)?))).collect::<Result<_, _>>()?;
    let ledger = Ledger::of(trace);
    let is_met = |gap: &Gap| tests.iter().all(|(is_not, test)| test.passes(trace, gap) != *is_not);
    Ok(ledger.devices.iter().flat_map(|device| pieces(trace, device)).filter(is_met).collect())
}

/// The times without work of a device within its run, each with one cause.
fn pieces<'a>(trace: &Trace, device: &'a DeviceLedger) -> impl Iterator<Item = Gap> + 'a {
    let run = device.run.within(trace.main_span);
    let within = |time: Span| device.idle.within(time).map(move |at| (time, at));
    let cut = |(time, at): (Span, usize)| {
        let piece = device.idle.piece(at);
        let start: Ns = piece.span.start.max(time.start);
        let span = Span { start, end: piece.span.end.min(time.end).max(start) };
        Gap { span, cause: Cause::from_u8(piece.cause), device: device.group, worker: device.worker }
    };
    run.into_iter().flat_map(within).map(cut)
}

fn test<'q>(trace: &Trace, field: &'q Field) -> Result<Test<'q>, QueryError> {
    Ok(match field {
        Field::Causes(causes) => Test::Causes(causes),
        Field::Steps(numbers) => Test::Steps(SomeSteps::known(trace, numbers)?),
        Field::Gpu(number) if !devices(trace).any(|group| is_gpu(trace, group, number)) => {
            return Err(not_there("device", number, devices(trace).map(|group| device_number(trace, group))));
        }
        Field::Rank(rank) if !trace.workers().iter().any(|worker| is_of_rank(trace, worker, *rank)) => {
            return Err(not_there("rank", &rank.to_string(), trace.meta.workers.iter().cloned()));
        }
        other => Test::Other(other),
    })
}

impl Test<'_> {
    fn passes(&self, trace: &Trace, gap: &Gap) -> bool {
        match self {
            Self::Causes(causes) => causes.contains(&gap.cause),
            Self::Steps(steps) => steps.has(gap.worker, gap.span.start),
            Self::Other(Field::Duration(bound)) => bound.holds(gap.span.len()),
            Self::Other(Field::Gpu(number)) => is_gpu(trace, &trace.groups[gap.device], number),
            Self::Other(Field::Rank(rank)) => is_of_rank(trace, gap.worker, *rank),
            // Query::parse refuses other fields beside causes.
            Self::Other(_) => true,
        }
    }
}
