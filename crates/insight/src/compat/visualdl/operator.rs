//! VisualDL's operator page: operators by name, and by name and input shape, with their inner events; and the
//! split of their host time.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::compat::paddle::forest::NodeId;
use crate::compat::paddle::sums::{self, Sums};
use crate::compat::paddle::tally::Tally;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Category;

use super::context::Context;
use super::step_phase::is_known;

/// How many operator names have a row of their own in the split of host time, at most.
const SHOWN: usize = 20;
/// How the note begins on arguments of events that could not be read.
pub const MISSING: &str = "Input shapes may be missing";

/// Sums over the operators of one row, and sums by name over those events directly inside them that are no
/// operators.
#[derive(Default)]
struct Operator {
    sums: Sums,
    inners: Tally<StrId, Sums>,
}

/// The sums of operators by name and, where rows differ by shape, by the index of the input shapes.
type Operators = Vec<((StrId, Option<u32>), Operator)>;

/// Adds a node to `sums`: one call, its host time, and the time of the device work launched within it.
fn add(context: &Context<'_>, sums: &mut Sums, id: NodeId) {
    let node = context.forest.node(id).0;
    sums.calls += 1;
    sums.cpu.add(context.forest.trace.slices.dur[node.slice]);
    sums.device.add(node.device);
}

/// The children of the node `id` as VisualDL reads them: its own, where nodes that VisualDL skips are
/// replaced by their children.
fn inside(context: &Context<'_>, id: NodeId) -> Vec<NodeId> {
    let mut open: Vec<NodeId> = context.forest.children(id).iter().rev().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        if is_known(context.forest.node(node).1) {
            found.push(node);
        } else {
            open.extend(context.forest.children(node).iter().rev());
        }
    }
    found
}

/// Sums up operators by name, and if `by_shape` also by input shapes: the largest total device time first, or
/// host time where no operator has device time.
fn gather(context: &Context<'_>, by_shape: bool) -> Operators {
    let forest = &context.forest;
    let slices = &forest.trace.slices;
    let mut operators: Tally<(StrId, Option<u32>), Operator> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::Operator {
            continue;
        }
        let shape = if by_shape { context.attributes.shape(node.slice) } else { None };
        let operator = operators.of((slices.name[node.slice], shape));
        add(context, &mut operator.sums, id);
        for child in inside(context, id) {
            let (inner, category) = forest.node(child);
            if category != Category::Operator {
                add(context, operator.inners.of(slices.name[inner.slice]), child);
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

/// Makes one row. Its ratios are shares of `cpu` and `device`: the host and device times of the whole table,
/// or for a child row those of its parent, ns.
fn row(name: Value, shape: Option<Value>, sums: &Sums, cpu: Ns, device: Ns) -> TableRow {
    let cells = sums::five(&sums.cpu, sums.calls, sums::part(sums.cpu.total, cpu)).into_iter();
    let cells = cells.chain(sums::five(&sums.device, sums.calls, sums::part(sums.device.total, device)));
    sums::row(name, Value::Count(sums.calls), cells.chain(shape))
}

/// Builds the table of operators, with their inner events as child rows; if `by_shape`, with a column of
/// input shapes.
fn table(context: &Context<'_>, operators: &Operators, by_shape: bool) -> Table {
    let name = |id| Value::Text(context.forest.trace.string_or(id, "(unnamed)").into_owned());
    let all = |time: fn(&Sums) -> Ns| {
        operators.iter().fold(0, |sum: Ns, (_, operator)| sum.saturating_add(time(&operator.sums)))
    };
    let (cpu, device) = (all(|sums| sums.cpu.total), all(|sums| sums.device.total));
    let rows = operators.iter().map(|((id, shape), operator)| {
        let text = shape.and_then(|shape| context.attributes.shapes.get(shape as usize));
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
        let about = "Shapes of the operator's inputs, if recorded";
        columns.push(Column::new("input_shape", "Input shape", ColumnKind::Text, about));
    }
    Table {
        view: "operator",
        title: if by_shape { "Operators by Input Shape" } else { "Operators" },
        columns,
        rows: rows.collect(),
        notes: vec![
            "A nested operator counts in its own row and in that of the operator around it. GPU time is \
             the time of the kernels, copies and memsets that the operator launched."
                .into(),
        ],
        ..Table::default()
    }
}

/// Builds the table that splits the host time of operators into shape inference, computation, node creation
/// and the rest.
fn split(context: &Context<'_>) -> Table {
    use ColumnKind::{Duration, Text};
    let forest = &context.forest;
    let slices = &forest.trace.slices;
    let name = |id| forest.trace.string_or(id, "(unnamed)").into_owned();
    // Of each operator: shape inference, computation, node creation, total, ns.
    let mut operators: Tally<StrId, [Ns; 4]> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::Operator {
            continue;
        }
        let times = operators.of(slices.name[node.slice]);
        times[3] = times[3].saturating_add(slices.dur[node.slice]);
        for child in inside(context, id) {
            let (inner, category) = forest.node(child);
            if category == Category::Operator {
                continue;
            }
            let text = forest.trace.name(inner.slice);
            let text = text.as_str();
            let column = match () {
                () if text.contains("infer_shape") || text.contains("infer_meta") => 0,
                () if text.contains("compute") => 1,
                () if text.contains("node_creation") => 2,
                () => continue,
            };
            times[column] = times[column].saturating_add(slices.dur[inner.slice]);
        }
    }
    let mut operators = operators.into_items();
    operators.sort_by_key(|(_, times)| std::cmp::Reverse(times[3]));
    let further = operators.split_off(operators.len().min(SHOWN));
    let row = |name: Value, [shape, compute, creation, all]: [Ns; 4]| {
        let others = all.saturating_sub(shape).saturating_sub(compute).saturating_sub(creation);
        let times = [shape, compute, creation, others, all].map(Value::Duration);
        TableRow::new(std::iter::once(name).chain(times).collect())
    };
    let mut rows: Vec<TableRow> =
        operators.into_iter().map(|(id, times)| row(Value::Text(name(id)), times)).collect();
    if !further.is_empty() {
        let sum = |at: usize| further.iter().fold(0, |sum: Ns, (_, times)| sum.saturating_add(times[at]));
        rows.push(row(Value::text("others"), std::array::from_fn(sum)));
    }
    Table {
        view: "operator",
        title: "Operator Time Split",
        columns: vec![
            Column::new("name", "Name", Text, "Name of the operator"),
            Column::new("infer_shape", "infer_shape", Duration, "Host time of shape and type inference"),
            Column::new("compute", "compute", Duration, "Host time of computing or of launching kernels"),
            Column::new(
                "node_creation",
                "node_creation",
                Duration,
                "Host time of creating the autograd node for the backward pass",
            ),
            Column::new(
                "others",
                "others",
                Duration,
                "CPU total less infer_shape, compute and node_creation",
            ),
            Column::new("total", "CPU total", Duration, "Host time of the operator"),
        ],
        rows,
        notes: Vec::new(),
        ..Table::default()
    }
}

/// Builds the tables of VisualDL's operator page. Empty without operators.
pub(super) fn tables(context: &Context<'_>) -> Vec<Table> {
    let operators = gather(context, false);
    if operators.is_empty() {
        return Vec::new();
    }
    let mut tables = vec![table(context, &operators, false)];
    if context.attributes.has_shapes() {
        tables.push(table(context, &gather(context, true), true));
    }
    tables.push(split(context));
    if let (Some(why), Some(table)) = (&context.attributes.error, tables.first_mut()) {
        table.notes.push(format!("{MISSING}: {why}."));
    }
    tables
}
