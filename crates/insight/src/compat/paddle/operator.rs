//! Paddle's operator view: operators by name, with their inner events and device work.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Category;

use super::context::Context;
use super::forest::{Forest, NodeId};
use super::sums::{self, Spread, Sums};
use super::tally::Tally;

/// Sums over operators of one name, or over events of one name directly inside operators of one name.
#[derive(Default)]
struct Item {
    sums: Sums,
    /// Number and times of the device work that these events or their own runtime calls launched, by the
    /// work's name.
    work: Tally<StrId, (u64, Spread)>,
}

/// Sums over the operators of one name, and over events directly inside them that are no operators.
#[derive(Default)]
struct Operator {
    item: Item,
    /// Sums over the direct children of these operators that are not of [`Category::Operator`] themselves, by
    /// the child's name.
    inners: Tally<StrId, Item>,
}

impl Item {
    /// Adds the operator or inner event `id`: one call, its times, and the device work that it launched
    /// directly.
    fn add(&mut self, forest: &Forest<'_>, id: NodeId) {
        let node = forest.node(id).0;
        let slices = &forest.trace.slices;
        self.sums.calls += 1;
        self.sums.cpu.add(slices.dur[node.slice]);
        self.sums.kernel.add(node.kernel);
        self.sums.device.add(node.device);
        for work in forest.direct_work(id) {
            let (calls, spread) = self.work.of(slices.name[work]);
            *calls += 1;
            spread.add(slices.dur[work]);
        }
    }

    /// Makes the row of these events. Ratios are relative to the host time `cpu` and the device time
    /// `device`, ns; `flops` is the last cell.
    fn row(&self, name: Value, cpu: Ns, device: Ns, flops: Value) -> TableRow {
        let Sums { calls, cpu: own_cpu, device: own_device, .. } = &self.sums;
        let cells = sums::five(own_cpu, *calls, sums::part(own_cpu.total, cpu)).into_iter();
        let cells =
            cells.chain(sums::five(own_device, *calls, sums::part(own_device.total, device))).chain([flops]);
        sums::row(name, Value::Count(*calls), cells)
    }

    /// Makes a row per name of the device work that these events launched directly; `name` makes the cell of
    /// a name.
    fn work_rows(&self, name: &impl Fn(StrId) -> Value) -> Vec<TableRow> {
        let row = |(id, (calls, spread)): &(StrId, (u64, Spread))| {
            let ratio = sums::part(spread.total, self.sums.device.total);
            let cells = sums::NOTHING.into_iter().chain(sums::five(spread, *calls, ratio));
            sums::row(name(*id), Value::Count(*calls), cells.chain([Value::Empty]))
        };
        self.work.iter().map(row).collect()
    }
}

/// Builds Paddle's operator table: operators by name for each thread or for all, with their inner events and
/// device work if wanted. None if there are no operators.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let forest = &context.forest;
    let trace = forest.trace;
    let mut threads: Tally<Option<StrId>, Tally<StrId, Operator>> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::Operator {
            continue;
        }
        let thread = context.options.by_thread.then(|| trace.lanes[trace.lane_of(node.slice)].tid);
        let operator = threads.of(thread).of(trace.slices.name[node.slice]);
        operator.item.add(forest, id);
        for &child in forest.children(id) {
            let (inner, category) = forest.node(child);
            if category != Category::Operator {
                operator.inners.of(trace.slices.name[inner.slice]).add(forest, child);
            }
        }
    }
    if threads.is_empty() {
        return None;
    }
    let rows =
        threads.into_items().into_iter().map(|(thread, operators)| thread_row(context, thread, operators));
    let flops = Column::new(
        "flops",
        "FLOPs",
        ColumnKind::Count,
        "Floating point operations of operators: always 0, as they are not computed",
    );
    Some(Table {
        view: "operator",
        title: "Operator Summary",
        columns: sums::columns().into_iter().chain([flops]).collect(),
        rows: rows.collect(),
        notes: Vec::new(),
        ..Table::default()
    })
}

/// The cell that names a thread; for None, all threads merged.
pub(super) fn thread_name(context: &Context<'_>, thread: Option<StrId>) -> Value {
    let name = thread.map(|thread| context.forest.trace.string_or(thread, "(no tid)").into_owned());
    name.map_or_else(|| Value::text("All threads merged"), Value::Text)
}

/// Makes the row of a thread id (for None, of all threads), with its operators as sorted child rows.
fn thread_row(context: &Context<'_>, thread: Option<StrId>, operators: Tally<StrId, Operator>) -> TableRow {
    let name = |id| Value::Text(context.forest.trace.string_or(id, "(unnamed)").into_owned());
    let mut operators = operators.into_items();
    let all = |time: fn(&Sums) -> Ns| {
        let times = operators.iter().map(|(_, operator)| time(&operator.item.sums));
        times.fold(0, Ns::saturating_add)
    };
    let (cpu, device) = (all(|sums| sums.cpu.total), all(|sums| sums.device.total));
    operators.sort_by(|(_, a), (_, b)| sums::order(&a.item.sums, &b.item.sums, context.options.sorted_by));
    let rows = operators.into_iter().map(|(id, Operator { item, inners })| {
        let mut row = item.row(name(id), cpu, device, Value::Count(0));
        if !context.options.no_detail {
            let inner_row = |(id, inner): &(StrId, Item)| {
                let around = &item.sums;
                let mut row = inner.row(name(*id), around.cpu.total, around.device.total, Value::Empty);
                row.children = inner.work_rows(&name);
                row
            };
            row.children = inners.iter().map(inner_row).chain(item.work_rows(&name)).collect();
        }
        row
    });
    let blank = sums::NOTHING.into_iter().chain(sums::NOTHING).chain([Value::Empty]);
    let mut row = sums::row(thread_name(context, thread), Value::Empty, blank);
    row.children = rows.collect();
    row
}
