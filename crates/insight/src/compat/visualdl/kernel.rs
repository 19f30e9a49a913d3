//! VisualDL's GPU kernel page: kernels by name, and by launch configuration.

use crate::analysis::arguments::launch_config::LaunchConfig;
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::vocabulary::tensor_cores::uses_tensor_cores;
use crate::analysis::{Table, TableRow, Value};
use crate::compat::bounds::Names;
use crate::compat::paddle::sums::{self, Spread};
use crate::compat::paddle::tally::Tally;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, SliceId};

use super::context::Context;

/// Sums over the kernels of one row.
#[derive(Default)]
struct Item {
    calls: u64,
    time: Spread,
    /// Blocks per multiprocessor, summed over calls; NaN if they are unknown for a call.
    blocks_per_sm: f64,
    /// Occupancy (0 to 1), summed over calls; NaN if it is unknown for a call.
    occupancy: f64,
}

impl Item {
    fn add(&mut self, context: &Context<'_>, kernel: SliceId) {
        self.calls += 1;
        self.time.add(context.forest.trace.slices.dur[kernel]);
        let launch = context.attributes.launch_configs.of(kernel);
        self.blocks_per_sm += launch.map_or(f64::NAN, |launch| launch.blocks_per_sm);
        self.occupancy += launch.map_or(f64::NAN, |launch| launch.occupancy);
    }

    /// The cells of a row, in the order of [`columns`]; `all` is the summed time of all kernels with a known
    /// launch, ns.
    fn cells(&self, uses_tensor_cores: bool, all: Ns) -> impl Iterator<Item = Value> {
        let share = sums::part(self.time.total, all);
        let [total, average, max, min, ratio] = sums::five(&self.time, self.calls, share);
        let mean = |sum: f64| {
            let mean = sum / self.calls as f64;
            if mean.is_finite() { Value::Ratio(mean) } else { Value::Empty }
        };
        // Text, as a column of ratios is shown in percent.
        let blocks = match mean(self.blocks_per_sm) {
            Value::Ratio(mean) => Value::text(&format!("{mean:.2}")),
            _ => Value::Empty,
        };
        let tensor_cores = Value::text(if uses_tensor_cores { "yes" } else { "no" });
        [
            Value::Count(self.calls),
            total,
            average,
            max,
            min,
            blocks,
            mean(self.occupancy),
            tensor_cores,
            ratio,
        ]
        .into_iter()
    }
}

/// The columns that the table by name and the table by launch configuration share.
fn columns() -> [Column; 9] {
    use ColumnKind::{Count, Duration, Ratio, Text};
    [
        Column::new("calls", "Calls", Count, "Number of kernel launches in this row"),
        Column::new("total", "Total", Duration, "Summed device time of the launches"),
        Column::new("avg", "Avg", Duration, "Average device time per launch, rounded down to whole ns"),
        Column::new("max", "Max", Duration, "Longest device time of one launch"),
        Column::new("min", "Min", Duration, "Shortest device time of one launch"),
        Column::new(
            "blocks_per_sm",
            "Blocks/SM",
            Text,
            "Thread blocks per multiprocessor (SM), averaged over launches",
        ),
        Column::new(
            "occupancy",
            "Occupancy",
            Ratio,
            "Achieved occupancy as estimated by the profiler, averaged over launches",
        ),
        Column::new(
            "tensor_cores",
            "Tensor cores",
            Text,
            "yes if the kernel's name has a text that VisualDL lists for tensor cores",
        ),
        Column::new("ratio", "Ratio", Ratio, "Share of the device time of all kernels with a known launch"),
    ]
}

fn is_kernel(context: &Context<'_>, slice: SliceId) -> bool {
    context.forest.trace.slices.category(slice) == Category::Kernel
}

/// Builds the table of the kernels with a known launch by name, and sums up their times, ns. None if there
/// are no such kernels.
fn by_name(context: &Context<'_>) -> Option<(Table, Ns)> {
    let forest = &context.forest;
    let trace = forest.trace;
    let mut kernels: Tally<StrId, Item> = Tally::default();
    for kernel in forest.holders().flat_map(|holder| forest.direct_work(holder)) {
        if is_kernel(context, kernel) {
            kernels.of(trace.slices.name[kernel]).add(context, kernel);
        }
    }
    if kernels.is_empty() {
        return None;
    }
    let mut kernels = kernels.into_items();
    kernels.sort_by_key(|(_, item)| std::cmp::Reverse(item.time.total));
    let all = kernels.iter().fold(0, |sum: Ns, (_, item)| sum.saturating_add(item.time.total));
    let mut calls = [0_u64; 2];
    let rows = kernels.iter().map(|(name, item)| {
        let uses = uses_tensor_cores(trace, *name);
        calls[usize::from(uses)] += item.calls;
        let name = Value::Text(trace.string_or(*name, "(unnamed)").into_owned());
        TableRow::new(std::iter::once(name).chain(item.cells(uses, all)).collect())
    });
    let rows = rows.collect();
    let name = Column::new("name", "Name", ColumnKind::Text, "Name of the kernel");
    let (used, launches) = (calls[1], calls[0] + calls[1]);
    let mut notes = vec![format!(
        "Tensor cores are used by {used} of {launches} known kernel launches, by VisualDL's list of names."
    )];
    if let Some(why) = &context.attributes.error {
        notes.push(format!("Blocks per multiprocessor and occupancy may be missing: {why}."));
    }
    let columns = std::iter::once(name).chain(columns()).collect();
    Some((Table { view: "kernel", title: "GPU Kernels", columns, rows, notes, ..Table::default() }, all))
}

/// Builds the table of kernels by name, operator and launch configuration. `all` is the summed time of all
/// kernels with a known launch, ns.
fn by_launch_config(context: &Context<'_>, all: Ns) -> Table {
    use ColumnKind::Text;
    let forest = &context.forest;
    let trace = forest.trace;
    // The innermost operator around each node, the node itself included. Parents come before their children.
    let mut operator = vec![SliceId::NONE; forest.nodes.len()];
    for (id, node) in (0..).zip(&forest.nodes) {
        let is_one = trace.slices.category(node.slice) == Category::Operator;
        let around = operator.get(node.parent as usize).copied().unwrap_or(SliceId::NONE);
        operator[id] = if is_one { node.slice } else { around };
    }
    let mut kernels: Tally<(StrId, Option<StrId>, u32), Item> = Tally::default();
    for (holder, kernel) in
        forest.holders().flat_map(|holder| forest.direct_work(holder).map(move |kernel| (holder, kernel)))
    {
        let launch = context.attributes.launch_configs.of(kernel).filter(|_| is_kernel(context, kernel));
        let Some(launch) = launch else {
            continue;
        };
        let around = operator.get(holder as usize).copied().filter(|&slice| slice != SliceId::NONE);
        let around = around.map(|slice| trace.slices.name[slice]);
        kernels.of((trace.slices.name[kernel], around, launch.config)).add(context, kernel);
    }
    let mut kernels = kernels.into_items();
    kernels.sort_by_key(|(_, item)| std::cmp::Reverse(item.time.total));
    let mut operators = Names::new(trace);
    let rows = kernels.iter().map(|((name, operator, config), item)| {
        let config = context.attributes.launch_configs.config(*config).cloned().unwrap_or_default();
        let LaunchConfig { grid, block, registers, shared_memory } = config;
        let name_cell = Value::Text(trace.string_or(*name, "(unnamed)").into_owned());
        let own = [name_cell, operator.map_or(Value::Empty, |name| operators.cell(name, "(unnamed)"))];
        let config = [grid, block, registers, shared_memory].map(|value| match value.as_str() {
            "" => Value::Empty,
            value => Value::text(value),
        });
        let cells = item.cells(uses_tensor_cores(trace, *name), all);
        TableRow::new(own.into_iter().chain(cells).chain(config).collect())
    });
    let own = [
        Column::new("name", "Name", Text, "Name of the kernel"),
        Column::new("operator", "Operator", Text, "Innermost operator that launched the kernel"),
    ];
    let config = [
        Column::new("grid", "Grid", Text, "Grid of the launch: number of thread blocks as [x, y, z]"),
        Column::new("block", "Block", Text, "Block of the launch: threads per block as [x, y, z]"),
        Column::new("registers", "Registers", Text, "Registers per thread"),
        Column::new("shared_memory", "Shared memory", Text, "Shared memory per block, bytes"),
    ];
    Table {
        view: "kernel",
        title: "GPU Kernels by Launch",
        rows: rows.collect(),
        columns: own.into_iter().chain(columns()).chain(config).collect(),
        notes: vec![
            "Each launch counts once. VisualDL counts a launch twice if the operator made it outside of \
             its inner parts."
                .into(),
        ],
        ..Table::default()
    }
}

/// Builds the table of kernels by name and, if launch configurations are known, the table by launch
/// configuration. Empty if no kernel has a known launch.
pub(super) fn tables(context: &Context<'_>) -> Vec<Table> {
    let Some((table, all)) = by_name(context) else { return Vec::new() };
    let detailed = context.attributes.launch_configs.has_any().then(|| by_launch_config(context, all));
    std::iter::once(table).chain(detailed).collect()
}
