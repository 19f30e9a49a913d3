//! Kernels by name and launch configuration, with the occupancy that each configuration achieved.

use rustc_hash::FxHashMap;

use crate::analysis::arguments::launch_config::{KernelAttributes, LaunchConfigs};
use crate::analysis::table::by_name;
use crate::analysis::table::tally::Tally;
use crate::analysis::{Column, ColumnKind, Part, Scope, Table, TableRow, Value};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, SliceId, Trace};

/// A kernel's name and the index of its launch configuration, `None` if the kernel's event was not read.
type Key = (StrId, Option<u32>);

/// Sums of the attributes of kernels of one name, or of one name and launch configuration.
#[derive(Clone, Copy, Default)]
struct Sums {
    calls: f64,
    blocks_per_sm: f64,
    occupancy: f64,
}

impl Sums {
    fn add(&mut self, attributes: KernelAttributes) {
        self.calls += 1.0;
        self.blocks_per_sm += attributes.blocks_per_sm;
        self.occupancy += attributes.occupancy;
    }

    /// The cells of the mean blocks per multiprocessor and of the mean occupancy, each empty if unknown.
    fn cells(self) -> [Value; 2] {
        let (blocks, occupancy) = (self.blocks_per_sm / self.calls, self.occupancy / self.calls);
        let or_empty = |mean: f64, value: Value| if mean.is_finite() { value } else { Value::Empty };
        // Text, as a column of ratios is shown in percent.
        [or_empty(blocks, Value::text(&format!("{blocks:.2}"))), or_empty(occupancy, Value::Ratio(occupancy))]
    }
}

/// Builds the table of kernels by name, with a child row for each launch configuration of a name.
pub(crate) fn table(trace: &Trace, scope: &Scope, configs: &LaunchConfigs) -> Table {
    let is_kernel = |category| category == Category::Kernel;
    let part = Part::new(trace, scope);
    let tallies = by_name::tallies(&part, is_kernel);
    let all = tallies.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total));
    let key = |id: SliceId| (trace.slices.name[id], configs.of(id).map(|attributes| attributes.config));
    let mut by_config: Vec<(Key, Tally)> = by_name::tallies_by(&part, is_kernel, key).into_iter().collect();
    by_config.sort_by_key(|(key, tally)| (std::cmp::Reverse(tally.total), *key));
    let (sums_by_name, sums_by_config) = sums(&part, configs);
    let mut below: FxHashMap<StrId, Vec<TableRow>> = FxHashMap::default();
    for (key, tally) in by_config {
        let config = key.1.and_then(|index| configs.config(index)).cloned().unwrap_or_default();
        let title = match config.grid.as_str() {
            "" => Value::text("(not recorded)"),
            grid => Value::text(&format!("grid {grid} block {}", config.block)),
        };
        let mut row = by_name::row(title, tally, all);
        let registers = config.registers.parse().map_or(Value::Empty, Value::Count);
        let shared = config.shared_memory.parse().map_or(Value::Empty, Value::Bytes);
        let [blocks, occupancy] = sums_by_config.get(&key).copied().unwrap_or_default().cells();
        row.cells.splice(AT..AT, [occupancy, blocks, registers, shared]);
        below.entry(key.0).or_default().push(row);
    }
    let rows = by_name::rows(tallies, Some(all), |name| trace.string_or(name, "(unnamed)")).into_iter().map(
        |(name, mut row)| {
            let [blocks, occupancy] = sums_by_name.get(&name).copied().unwrap_or_default().cells();
            row.children = below.remove(&name).unwrap_or_default();
            // What all launches of the kernel have in common.
            let common = |at: usize| {
                let mut values = row.children.iter().map(|below| &below.cells[AT + at]);
                values.next().filter(|first| values.all(|other| other == *first)).cloned()
            };
            let [registers, shared] = [2, 3].map(|at| common(at).unwrap_or(Value::Empty));
            row.cells.splice(AT..AT, [occupancy, blocks, registers, shared]);
            (name, row)
        },
    );
    let rows = rows.collect();
    let mut notes = Vec::new();
    if !configs.has_any() {
        notes.push(
            "No launch configuration (grid, block, registers, shared memory) of a kernel is recorded in the \
             summarized part."
                .into(),
        );
    }
    let mut columns = by_name::columns("Kernel", "Share of the time of all kernels, summed over streams");
    columns.splice(AT..AT, own_columns());
    super::table(trace, "Kernels by name and launch configuration", columns, rows, notes)
}

/// Sums up the attributes of the kernels that begin in the part, by name, and by name and launch
/// configuration.
fn sums(part: &Part<'_>, configs: &LaunchConfigs) -> (FxHashMap<StrId, Sums>, FxHashMap<Key, Sums>) {
    let (mut by_name, mut by_config): (FxHashMap<StrId, Sums>, FxHashMap<Key, Sums>) = Default::default();
    let trace = part.trace();
    let is_call = |id: &SliceId| part.piece(*id).is_some_and(|piece| piece.begins);
    // In the order of slices: sums of floats are the same each time only in the same order.
    let slices = part.lanes().iter().flat_map(|&lane| trace.lanes[lane].slices);
    for (id, attributes) in slices.filter_map(|id| Some((id, configs.of(id)?))).filter(|(id, _)| is_call(id))
    {
        let name = trace.slices.name[id];
        by_name.entry(name).or_default().add(attributes);
        by_config.entry((name, Some(attributes.config))).or_default().add(attributes);
    }
    (by_name, by_config)
}

/// Index at which the table's own columns are inserted, after the share.
const AT: usize = 4;

fn own_columns() -> [Column; 4] {
    use ColumnKind::{Bytes, Count, Ratio, Text};
    [
        Column::new(
            "occupancy",
            "Occupancy",
            Ratio,
            "Achieved occupancy as estimated by the profiler, averaged over calls",
        ),
        Column::new(
            "blocks_per_sm",
            "Blocks/SM",
            Text,
            "Thread blocks per multiprocessor (SM), averaged over calls",
        ),
        Column::new("registers", "Registers", Count, "Registers per thread"),
        Column::new("shared_memory", "Shared", Bytes, "Shared memory per block"),
    ]
}
