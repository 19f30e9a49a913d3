//! The table of a flame: a row per frame, with the frames below it as child rows, and the flame itself as a
//! chart.
//!
//! Must not know how frames are found.

use std::sync::Arc;

use crate::analysis::table::chart::{Chart, ChartKind};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};
use proftui_trace::model::{LaneKind, Trace};

use crate::analysis::flame::choice::{Choice, Direction, Stacking, Weight};
use crate::analysis::flame::frames::Flame;
use crate::analysis::part::scope::Scope;

/// Name of the view for `--view`.
pub const VIEW: &str = "flame";

/// Builds the table of the flame of a part of a trace, as `choice` asks for.
pub fn table(trace: &Trace, scope: &Scope, choice: Choice) -> Table {
    of_flame(trace, Flame::of(trace, scope, choice))
}

/// Builds the table of a flame: a row per frame, with the frames below it as child rows, and a chart.
pub(crate) fn of_flame(trace: &Trace, flame: Flame) -> Table {
    let flame = Arc::new(flame);
    let rows = rows(trace, &flame, None);
    let notes = if rows.is_empty() { Vec::new() } else { notes(trace, &flame) };
    let chart =
        Chart { title: title(flame.direction), order: None, kind: ChartKind::Flame(Arc::clone(&flame)) };
    Table {
        view: VIEW,
        title: title(flame.direction),
        columns: columns(flame.weight, flame.direction),
        charts: if rows.is_empty() { Vec::new() } else { vec![chart] },
        rows,
        notes,
        ..Table::default()
    }
}

fn title(direction: Direction) -> &'static str {
    match direction {
        Direction::TopDown => "Frames and what they call",
        Direction::BottomUp => "Frames and their callers",
    }
}

/// The rows of the frames directly below `frame`, or of the roots for `None`, with their child rows.
fn rows(trace: &Trace, flame: &Flame, frame: Option<u32>) -> Vec<TableRow> {
    let row = |at: u32| {
        let frame = &flame.frames[at as usize];
        let cells = vec![
            Value::Text(flame.title(trace, frame).into_owned()),
            amount(flame.weight, frame.total),
            amount(flame.weight, frame.own),
            Value::share(frame.total, flame.total),
            Value::Count(frame.calls),
        ];
        TableRow { cells, children: rows(trace, flame, Some(at)), longest: frame.longest }
    };
    flame.below(frame).map(row).collect()
}

/// `amount` as the value of a cell, in the unit of `weight`.
pub fn amount(weight: Weight, amount: i64) -> Value {
    match weight {
        Weight::Host | Weight::Device => Value::Duration(amount),
        Weight::Bytes => Value::Bytes(amount),
        Weight::Count => Value::Count(u64::try_from(amount).unwrap_or_default()),
    }
}

fn columns(weight: Weight, direction: Direction) -> Vec<Column> {
    let kind = match weight {
        Weight::Host | Weight::Device => ColumnKind::Duration,
        Weight::Bytes => ColumnKind::Bytes,
        Weight::Count => ColumnKind::Count,
    };
    let (below, total, own, calls) = match direction {
        Direction::TopDown => (
            "Name of the frame; the rows below it are its inner frames and its device work that weigh \
             anything",
            "What the frame weighs with all frames below it, within the summarized part",
            "What the frame weighs without the frames below it",
            "Number of events of the frame that begin in the summarized part",
        ),
        Direction::BottomUp => (
            "Name of the frame; the rows below it are the frames that were around it or launched it",
            "What the frame of the outermost row weighs by itself, in this row's frame",
            "The part of Total that is in no row below",
            "Number of the events weighed in Total that begin in the summarized part",
        ),
    };
    vec![
        Column::new("name", "Frame", ColumnKind::Text, below),
        Column::new("total", "Total", kind, total),
        Column::new("own", "Self", kind, own),
        Column::new("share", "Share", ColumnKind::Ratio, "Share of what all frames weigh together"),
        Column::new("calls", "Calls", ColumnKind::Count, calls),
    ]
}

fn notes(trace: &Trace, flame: &Flame) -> Vec<String> {
    let weight = match flame.weight {
        Weight::Host => {
            "Weight: time on the host, added up over threads and async lanes. At each instant the open \
             frame of each that began last has the time."
        }
        Weight::Device => {
            "Weight: time of kernels, copies and memsets, added up over streams, even where they ran after \
             the frame that launched them."
        }
        Weight::Bytes => "Weight: bytes of copies and memsets, as far as the trace states them.",
        Weight::Count => "Weight: number of events, device work among them.",
    };
    let frames = format!("Frames: {}; {}.", flame.stacking.title(), flame.direction.title());
    let mut notes = vec![format!("{frames} {weight}")];
    let has_functions = || trace.lanes.iter().any(|lane| lane.kind == LaneKind::Python);
    if flame.stacking != Stacking::Operators && !has_functions() {
        notes.push(
            "No Python functions are on the timeline: record with with_stack=True (torch.profiler) or \
             proftui capture --with-stack."
                .into(),
        );
    }
    notes
}
