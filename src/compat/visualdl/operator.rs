//! Operators by name and by name and input shape, with what is inside them; and what their host time went to.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::compat::paddle::forest::NodeId;
use crate::compat::paddle::sums::{self, Sums};
use crate::compat::paddle::tally::Tally;
use crate::model::Category;

use super::Ground;
use super::place::is_known;

/// How many operators the split tells apart.
const SHOWN: usize = 20;

/// Operators of one key: what they took, and what is directly inside them by name.
#[derive(Default)]
struct Operator {
    sums: Sums,
    inners: Tally<StrId, Sums>,
}

type Operators = Vec<((StrId, Option<u32>), Operator)>;

fn add(ground: &Ground<'_>, sums: &mut Sums, id: NodeId) {
    let node = ground.forest.node(id).0;
    sums.calls += 1;
    sums.cpu.add(ground.forest.trace.slices.dur[node.slice as usize]);
    sums.device.add(node.device);
}

/// The nodes directly inside, in order, where VisualDL does not know some of those between.
fn inside(ground: &Ground<'_>, id: NodeId) -> Vec<NodeId> {
    let mut open: Vec<NodeId> = ground.forest.children(id).iter().rev().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        if is_known(ground.forest.node(node).1) {
            found.push(node);
        } else {
            open.extend(ground.forest.children(node).iter().rev());
        }
    }
    found
}

fn gather(ground: &Ground<'_>, by_shape: bool) -> Operators {
    let forest = &ground.forest;
    let slices = &forest.trace.slices;
    let mut operators: Tally<(StrId, Option<u32>), Operator> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::Operator {
            continue;
        }
        let shape = if by_shape { ground.attributes.shape(node.slice) } else { None };
        let operator = operators.of((slices.name[node.slice as usize], shape));
        add(ground, &mut operator.sums, id);
        for child in inside(ground, id) {
            let (inner, category) = forest.node(child);
            if category != Category::Operator {
                add(ground, operator.inners.of(slices.name[inner.slice as usize]), child);
            }
        }
    }
    let mut operators = operators.into_items();
    let has_device = operators.iter().any(|(_, operator)| operator.sums.device.total > 0);
    operators.sort_by_key(|(_, operator)| {
        let sums = &operator.sums;
        std::cmp::Reverse(if has_device { sums.device.total } else { sums.cpu.total })
    });
    operators
}

fn row(name: Value, shape: Option<Value>, sums: &Sums, cpu: Ns, device: Ns) -> TableRow {
    let cells = sums::five(&sums.cpu, sums.calls, sums::part(sums.cpu.total, cpu)).into_iter();
    let cells = cells.chain(sums::five(&sums.device, sums.calls, sums::part(sums.device.total, device)));
    sums::row(name, Value::Count(sums.calls), cells.chain(shape))
}

fn table(ground: &Ground<'_>, operators: &Operators, by_shape: bool) -> Table {
    let name = |id| Value::Text(ground.forest.trace.string_or(id, "(unnamed)").into_owned());
    let all = |time: fn(&Sums) -> Ns| {
        operators.iter().fold(0, |sum: Ns, (_, operator)| sum.saturating_add(time(&operator.sums)))
    };
    let (cpu, device) = (all(|sums| sums.cpu.total), all(|sums| sums.device.total));
    let rows = operators.iter().map(|((id, shape), operator)| {
        let text = shape.and_then(|shape| ground.attributes.shapes.get(shape as usize));
        let shape = by_shape.then(|| text.map_or(Value::Empty, |text| Value::text(text)));
        let sums = &operator.sums;
        let mut row = row(name(*id), shape, sums, cpu, device);
        let inners = operator.inners.iter();
        let blank = by_shape.then_some(Value::Empty);
        row.children = inners
            .map(|(id, inner)| self::row(name(*id), blank.clone(), inner, sums.cpu.total, sums.device.total))
            .collect();
        row
    });
    let mut columns = sums::columns();
    if by_shape {
        let about = "The shapes of its inputs, where recorded";
        columns.push(Column::new("input_shape", "Input shape", ColumnKind::Text, about));
    }
    Table {
        view: "operator",
        title: if by_shape { "Operators by Input Shape" } else { "Operators" },
        columns,
        rows: rows.collect(),
        notes: vec![
            "An operator inside another counts in both. GPU time is that of kernels, copies and memsets that it launched.".into(),
        ], ..Table::default() }
}

/// Host time of the longest operators by what is inside them, as VisualDL tells it apart by name.
fn split(ground: &Ground<'_>) -> Table {
    use ColumnKind::{Duration, Text};
    let forest = &ground.forest;
    let slices = &forest.trace.slices;
    let name = |id| forest.trace.string_or(id, "(unnamed)").into_owned();
    // Shape inference, computation, node creation, all.
    let mut operators: Tally<StrId, [Ns; 4]> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::Operator {
            continue;
        }
        let times = operators.of(slices.name[node.slice as usize]);
        times[3] = times[3].saturating_add(slices.dur[node.slice as usize]);
        for child in inside(ground, id) {
            let (inner, category) = forest.node(child);
            if category == Category::Operator {
                continue;
            }
            let text = forest.trace.name(inner.slice);
            let text = text.as_str();
            let part = match () {
                () if text.contains("infer_shape") || text.contains("infer_meta") => 0,
                () if text.contains("compute") => 1,
                () if text.contains("node_creation") => 2,
                () => continue,
            };
            times[part] = times[part].saturating_add(slices.dur[inner.slice as usize]);
        }
    }
    let mut operators = operators.into_items();
    operators.sort_by_key(|(_, times)| std::cmp::Reverse(times[3]));
    let left = operators.split_off(operators.len().min(SHOWN));
    let row = |name: Value, [shape, compute, creation, all]: [Ns; 4]| {
        let others = all.saturating_sub(shape).saturating_sub(compute).saturating_sub(creation);
        let times = [shape, compute, creation, others, all].map(Value::Duration);
        TableRow::new(std::iter::once(name).chain(times).collect())
    };
    let mut rows: Vec<TableRow> =
        operators.into_iter().map(|(id, times)| row(Value::Text(name(id)), times)).collect();
    if !left.is_empty() {
        let sum = |at: usize| left.iter().fold(0, |sum: Ns, (_, times)| sum.saturating_add(times[at]));
        rows.push(row(Value::text("others"), std::array::from_fn(sum)));
    }
    Table {
        view: "operator",
        title: "Operator Time Split",
        columns: vec![
            Column::new("name", "Name", Text, "The operator"),
            Column::new("infer_shape", "infer_shape", Duration, "Host time of finding out shapes and types"),
            Column::new("compute", "compute", Duration, "Host time of computing or launching"),
            Column::new(
                "node_creation",
                "node_creation",
                Duration,
                "Host time of making a node for the backward pass",
            ),
            Column::new("others", "others", Duration, "What is left"),
            Column::new("total", "CPU total", Duration, "Its host time"),
        ],
        rows,
        notes: Vec::new(),
        ..Table::default()
    }
}

/// By name, by name and shape where shapes are known, and the split; nothing when there is no operator.
pub(super) fn tables(ground: &Ground<'_>) -> Vec<Table> {
    let operators = gather(ground, false);
    if operators.is_empty() {
        return Vec::new();
    }
    let mut tables = vec![table(ground, &operators, false)];
    if ground.attributes.has_shapes() {
        tables.push(table(ground, &gather(ground, true), true));
    }
    tables.push(split(ground));
    if let (Some(why), Some(table)) = (&ground.attributes.error, tables.first_mut()) {
        table.notes.push(format!("Input shapes are not told: {why}."));
    }
    tables
}
