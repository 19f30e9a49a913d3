//! VisualDL's tables of events by kind and phase: calls and times, and the matrix of times.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use proftui_base::time::Ns;

use super::context::Context;
use super::events::Cell;
use super::step_phase;

/// Builds the table of event counts and times by kind, with child rows by phase. None if no events are
/// counted.
pub(super) fn summary(context: &Context<'_>) -> Option<Table> {
    let rows: Vec<TableRow> = context
        .events
        .seen()
        .map(|(name, is_host, cells)| {
            let time = cells.iter().fold(0, |sum: Ns, cell| sum.saturating_add(cell.time));
            let line = |name: &str, cell: Cell| {
                TableRow::new(vec![
                    Value::text(name),
                    Value::text(if is_host { "CPU" } else { "GPU" }),
                    Value::Count(cell.calls),
                    Value::Duration(cell.time),
                    Value::share(cell.time, time),
                ])
            };
            let calls = cells.iter().map(|cell| cell.calls).sum();
            let mut row = line(name, Cell { calls, time });
            let phases = (0..).zip(cells).filter(|(_, cell)| cell.calls > 0);
            row.children = phases.map(|(phase, &cell)| line(step_phase::name(phase), cell)).collect();
            row
        })
        .collect();
    (!rows.is_empty()).then(|| Table {
        view: "overview",
        title: "Event Summary",
        columns: vec![
            Column::new(
                "name",
                "Event type",
                ColumnKind::Text,
                "Kind of event, such as Operator or Kernel; its child rows are training phases and Other",
            ),
            Column::new(
                "where",
                "Where",
                ColumnKind::Text,
                "Where the events ran: CPU for the host, GPU for the devices",
            ),
            Column::new("calls", "Calls", ColumnKind::Count, "Number of events"),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "Time in which any event of the row ran; of an event type, summed over the phases and Other",
            ),
            Column::new("ratio", "Ratio", ColumnKind::Ratio, "Share of the time of this event type"),
        ],
        rows,
        notes: vec![
            "Events outside all steps count as Other, as in VisualDL. Device work counts where it was \
             launched. Not counted: runtime calls in no host event, what they launched, and work without \
             a launch. Of named ranges, only those of category PythonUserDefined count, in the row \
             UserDefined."
                .into(),
        ],
        ..Table::default()
    })
}

/// Builds the matrix of event times by kind (rows) and phase (columns). None if no events are counted.
pub(super) fn matrix(context: &Context<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    let rows: Vec<TableRow> = context
        .events
        .seen()
        .map(|(name, _, cells)| {
            let all = cells.iter().fold(0, |sum: Ns, cell| sum.saturating_add(cell.time));
            let times = std::iter::once(all).chain(cells.iter().map(|cell| cell.time));
            TableRow::new(std::iter::once(Value::text(name)).chain(times.map(Value::Duration)).collect())
        })
        .collect();
    (!rows.is_empty()).then(|| Table {
        view: "overview",
        title: "Event Time Breakdown",
        columns: vec![
            Column::new("name", "Event type", ColumnKind::Text, "Kind of event, such as Operator or Kernel"),
            Column::new(
                "step",
                "ProfileStep",
                Duration,
                "Time in which any event of this type ran, summed over the phases and Other",
            ),
            Column::new(
                "dataloader",
                "Dataloader",
                Duration,
                "Time in which any event of this type ran that data loading directly in a step holds \
                 or launched",
            ),
            Column::new(
                "forward",
                "Forward",
                Duration,
                "Time in which any event of this type ran that a forward pass directly in a step holds \
                 or launched",
            ),
            Column::new(
                "backward",
                "Backward",
                Duration,
                "Time in which any event of this type ran that a backward pass directly in a step holds \
                 or launched",
            ),
            Column::new(
                "optimization",
                "Optimization",
                Duration,
                "Time in which any event of this type ran that an optimizer directly in a step holds \
                 or launched",
            ),
            Column::new(
                "other",
                "Other",
                Duration,
                "Time in which any event of this type ran that counts for no phase",
            ),
        ],
        rows,
        notes: Vec::new(),
        ..Table::default()
    })
}
