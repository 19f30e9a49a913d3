//! Paddle's overview: for each kind of event the time in which at least one of them ran; for phases their
//! summed time.

use crate::analysis::part::time::{covered, length};
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, SliceFlags, SliceId};

use super::context::Context;
use super::distributed::{Communication, communication};
use super::forest::Forest;
use super::model;
use super::tally::Tally;

/// A kind of event in Paddle's overview: a category, and true for events of a static graph.
type Kind = (Category, bool);

fn kind(forest: &Forest<'_>, slice: SliceId) -> Kind {
    let flags = forest.trace.slices.flags[slice];
    (forest.trace.slices.category(slice), flags.has(SliceFlags::STATIC_GRAPH))
}

/// The name of a kind as Paddle prints it.
fn name(kind: Kind) -> &'static str {
    match kind {
        (Category::KernelLaunch, false) => "DygraphKernelLaunch",
        (Category::KernelLaunch, true) => "StaticKernelLaunch",
        (category, _) => category.name(),
    }
}

/// The scope's device work launched directly within host events, as (device name, category, span), in the
/// order of [`Forest::visit`].
pub(super) fn device_work<'a>(forest: &'a Forest<'_>) -> impl Iterator<Item = (StrId, Category, Span)> + 'a {
    let trace = forest.trace;
    let work = forest.visit.iter().flat_map(|&node| forest.direct_work(node));
    work.map(move |slice| {
        let lane = &trace.lanes[trace.lane_of(slice)];
        let device = trace.groups[lane.group].pid;
        (device, trace.slices.category(slice), forest.span(slice))
    })
}

/// Number and spans of the events of one kind.
#[derive(Default)]
struct Events {
    calls: u64,
    spans: Vec<Span>,
}

/// One row of the overview table.
struct Line {
    name: &'static str,
    calls: u64,
    /// Time in which at least one event of the row ran, ns; for a phase with events that are inside no phase,
    /// the summed time of these.
    time: Ns,
}

/// Makes the rows of the host, the longest time first: one per kind of event, and one of communication if
/// there is any.
fn host(context: &Context<'_>, communication: &Communication) -> Vec<Line> {
    let forest = &context.forest;
    let mut kinds: Tally<Kind, Events> = Tally::default();
    for &node in &forest.visit {
        let slices = std::iter::once(forest.node(node).0.slice).chain(forest.calls(node).iter().copied());
        for slice in slices {
            let events = kinds.of(kind(forest, slice));
            events.calls += 1;
            events.spans.push(forest.span(slice));
        }
    }
    let phases = model::phases(forest);
    let mut lines: Vec<Line> = Vec::new();
    for (kind, events) in kinds.into_items() {
        let line = match phases.get(kind.0) {
            _ if kind.0 == Category::Communication => continue,
            // Of phases the outermost occurrences count, each with its whole length, as in the model view.
            Some(phase) if kind.0 != Category::ProfileStep => {
                Line { name: name(kind), calls: phase.calls, time: phase.cpu.total }
            }
            _ => Line { name: name(kind), calls: events.calls, time: covered(events.spans) },
        };
        lines.push(line);
    }
    if communication.cpu_calls > 0 {
        lines.push(Line {
            name: Category::Communication.name(),
            calls: communication.cpu_calls,
            time: length(&communication.cpu),
        });
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.time));
    lines
}

/// Makes a row per kind of device work, then one of communication if a kernel counts as communication.
fn device(context: &Context<'_>, communication: &Communication) -> Vec<Line> {
    // Devices in order of first sight, and in each its kinds.
    let mut devices: Tally<StrId, Tally<Category, Events>> = Tally::default();
    for (device, category, span) in device_work(&context.forest) {
        let events = devices.of(device).of(category);
        events.calls += 1;
        events.spans.push(span);
    }
    let mut kinds: Tally<Category, Events> = Tally::default();
    for (_, of_device) in devices.into_items() {
        for (category, events) in of_device.into_items() {
            let kind = kinds.of(category);
            kind.calls += events.calls;
            kind.spans.extend(events.spans);
        }
    }
    let line = |(category, events): (Category, Events)| Line {
        name: category.name(),
        calls: events.calls,
        time: covered(events.spans),
    };
    let mut lines: Vec<Line> = kinds.into_items().into_iter().map(line).collect();
    if communication.gpu_calls > 0 {
        let (calls, time) = (communication.gpu_calls, length(&communication.gpu));
        lines.push(Line { name: Category::Communication.name(), calls, time });
    }
    lines
}

/// Builds Paddle's overview table: a row per kind of event, first those of the host, then those of devices.
pub(super) fn table(context: &Context<'_>) -> Table {
    let communication = communication(&context.forest);
    let rows = |side: &'static str, lines: Vec<Line>| {
        let row = move |line: Line| {
            TableRow::new(vec![
                Value::text(line.name),
                Value::text(side),
                Value::Count(line.calls),
                Value::Duration(line.time),
                Value::share(line.time, context.total),
            ])
        };
        lines.into_iter().map(row)
    };
    Table {
        view: "overview",
        title: "Overview Summary",
        columns: vec![
            Column::new("type", "Event Type", ColumnKind::Text, "Kind of event, such as Operator or Kernel"),
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
                "Time in which at least one event of the row ran; of a phase, the summed time of its \
                 events that are inside no phase, if there are any",
            ),
            Column::new(
                "ratio",
                "Ratio (%)",
                ColumnKind::Ratio,
                "Time divided by the time in which at least one step ran",
            ),
        ],
        rows: rows("CPU", host(context, &communication))
            .chain(rows("GPU", device(context, &communication)))
            .collect(),
        notes: [
            "The time of a row is the time in which at least one of its events ran: events that run at once \
             count once. Of a phase (Dataloader, Forward, Backward, Optimization) it is the summed time of \
             its events that are inside no phase, if there are any.",
            "Events nest (an Operator contains its OperatorInner), so the ratios may add up to more than \
             100%.",
        ]
        .map(String::from)
        .into(),
        ..Table::default()
    }
}
