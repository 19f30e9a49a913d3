//! Time by kind of event: at least one of them was running.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::time::{covered, length};
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::model::{Category, SliceFlags, SliceId};

use super::forest::Forest;
use super::tally::Tally;
use super::{Ground, distributed, model};

/// A kind of event as Paddle tells them apart.
type Kind = (Category, bool);

fn kind(forest: &Forest<'_>, slice: SliceId) -> Kind {
    let flags = forest.trace.slices.flags[slice as usize];
    (forest.trace.slices.category(slice), flags.has(SliceFlags::STATIC_GRAPH))
}

fn name(kind: Kind) -> &'static str {
    match kind {
        (Category::KernelLaunch, false) => "DygraphKernelLaunch",
        (Category::KernelLaunch, true) => "StaticKernelLaunch",
        (category, _) => category.name(),
    }
}

/// All device work launched under a host event: device, category, time, in the order that decides between equal rows. What
/// is launched directly under a thread's root is not among it, as in Paddle.
pub(super) fn device_work<'a>(forest: &'a Forest<'_>) -> impl Iterator<Item = (StrId, Category, Span)> + 'a {
    let trace = forest.trace;
    let work = forest.visit.iter().flat_map(|&node| forest.direct_work(node));
    work.map(move |slice| {
        let lane = &trace.lanes[trace.lane_of(slice) as usize];
        let device = trace.groups[lane.group as usize].pid;
        (device, trace.slices.category(slice), forest.range(slice))
    })
}

#[derive(Default)]
struct Seen {
    calls: u64,
    ranges: Vec<Span>,
}

struct Line {
    name: &'static str,
    calls: u64,
    time: Ns,
}

fn host(ground: &Ground<'_>, spread: &distributed::Spread) -> Vec<Line> {
    let forest = &ground.forest;
    let mut seen: Tally<Kind, Seen> = Tally::default();
    for &node in &forest.visit {
        let slices = std::iter::once(forest.node(node).0.slice).chain(forest.calls(node).iter().copied());
        for slice in slices {
            let kind = seen.of(kind(forest, slice));
            kind.calls += 1;
            kind.ranges.push(forest.range(slice));
        }
    }
    let stages = model::stages(forest);
    let mut lines: Vec<Line> = Vec::new();
    for (kind, seen) in seen.into_items() {
        let line = match stages.get(kind.0) {
            _ if kind.0 == Category::Communication => continue,
            // Of these the outermost count, each whole, as in the model's table.
            Some(stage) if kind.0 != Category::ProfileStep => {
                Line { name: name(kind), calls: stage.calls, time: stage.cpu.total }
            }
            _ => Line { name: name(kind), calls: seen.calls, time: covered(seen.ranges) },
        };
        lines.push(line);
    }
    if spread.cpu_calls > 0 {
        lines.push(Line {
            name: Category::Communication.name(),
            calls: spread.cpu_calls,
            time: length(&spread.cpu),
        });
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.time));
    lines
}

fn device(ground: &Ground<'_>, spread: &distributed::Spread) -> Vec<Line> {
    // Devices in order of first sight, and in each its kinds.
    let mut devices: Tally<StrId, Tally<Category, Seen>> = Tally::default();
    for (device, category, range) in device_work(&ground.forest) {
        let seen = devices.of(device).of(category);
        seen.calls += 1;
        seen.ranges.push(range);
    }
    let mut kinds: Tally<Category, Seen> = Tally::default();
    for (_, of_device) in devices.into_items() {
        for (category, seen) in of_device.into_items() {
            let kind = kinds.of(category);
            kind.calls += seen.calls;
            kind.ranges.extend(seen.ranges);
        }
    }
    let line = |(category, seen): (Category, Seen)| Line {
        name: category.name(),
        calls: seen.calls,
        time: covered(seen.ranges),
    };
    let mut lines: Vec<Line> = kinds.into_items().into_iter().map(line).collect();
    if spread.gpu_calls > 0 {
        let (calls, time) = (spread.gpu_calls, length(&spread.gpu));
        lines.push(Line { name: Category::Communication.name(), calls, time });
    }
    lines
}

/// A row for each kind, the host's by time, then the devices'.
pub(super) fn table(ground: &Ground<'_>) -> Table {
    let spread = distributed::spread(&ground.forest);
    let rows = |place: &'static str, lines: Vec<Line>| {
        let row = move |line: Line| {
            TableRow::new(vec![
                Value::text(line.name),
                Value::text(place),
                Value::Count(line.calls),
                Value::Duration(line.time),
                Value::share(line.time, ground.total),
            ])
        };
        lines.into_iter().map(row)
    };
    Table {
        view: "overview",
        title: "Overview Summary",
        columns: vec![
            Column::new("type", "Event Type", ColumnKind::Text, "The kind of event"),
            Column::new("where", "Where", ColumnKind::Text, "On the host (CPU) or on devices (GPU)"),
            Column::new("calls", "Calls", ColumnKind::Count, "How many events"),
            Column::new("time", "Time", ColumnKind::Duration, "Time in which at least one of them ran"),
            Column::new("ratio", "Ratio (%)", ColumnKind::Ratio, "That time of the steps' time"),
        ],
        rows: rows("CPU", host(ground, &spread)).chain(rows("GPU", device(ground, &spread))).collect(),
        notes: [
            "A row tells for how long at least one event of its kind ran: time that several share, on whatever threads or",
            "streams, counts once. Kinds contain each other (an Operator its OperatorInner), so ratios add up to more than 100%.",
        ]
        .map(String::from)
        .into(), ..Table::default() }
}
