//! Kernels by name and by how they were launched, with what that let the device do.

use rustc_hash::FxHashMap;

use crate::analysis::launch::{Attribute, Launches};
use crate::analysis::tally::Tally;
use crate::analysis::{Column, ColumnKind, Scope, Table, TableRow, Value, by_name};
use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, SliceId, Trace};

/// A kernel's name and the number of its launch, where one is told.
type Key = (StrId, Option<u32>);

/// What is told of several calls; sums.
#[derive(Clone, Copy, Default)]
struct Told {
    calls: f64,
    blocks_per_sm: f64,
    occupancy: f64,
}

impl Told {
    fn add(&mut self, told: Attribute) {
        self.calls += 1.0;
        self.blocks_per_sm += told.blocks_per_sm;
        self.occupancy += told.occupancy;
    }

    /// Means over the calls.
    fn cells(self) -> [Value; 2] {
        let (blocks, occupancy) = (self.blocks_per_sm / self.calls, self.occupancy / self.calls);
        let or_empty = |mean: f64, value: Value| if mean.is_finite() { value } else { Value::Empty };
        // Text, as a column of ratios is shown in percent.
        [or_empty(blocks, Value::text(&format!("{blocks:.2}"))), or_empty(occupancy, Value::Ratio(occupancy))]
    }
}

/// Kernels by name, below each its calls by how they were launched.
pub fn by_launch(trace: &Trace, scope: &Scope, launches: &Launches) -> Table {
    let is_kernel = |category| category == Category::Kernel;
    let tallies = by_name::tallies(trace, scope, is_kernel);
    let all = tallies.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total));
    let key = |id: SliceId| (trace.slices.name[id as usize], launches.of(id).map(|told| told.launch));
    let mut parts: Vec<(Key, Tally)> =
        by_name::tallies_by(trace, scope, is_kernel, key).into_iter().collect();
    parts.sort_by_key(|(key, tally)| (std::cmp::Reverse(tally.total), *key));
    let (of_name, of_launch) = told(trace, launches);
    let mut below: FxHashMap<StrId, Vec<TableRow>> = FxHashMap::default();
    for (key, tally) in parts {
        let launch = key.1.and_then(|number| launches.launch(number)).cloned().unwrap_or_default();
        let title = match launch.grid.as_str() {
            "" => Value::text("(not told)"),
            grid => Value::text(&format!("grid {grid} block {}", launch.block)),
        };
        let mut row = by_name::row(title, tally, all);
        let registers = launch.registers.parse().map_or(Value::Empty, Value::Count);
        let shared = launch.shared_memory.parse().map_or(Value::Empty, Value::Bytes);
        let [blocks, occupancy] = of_launch.get(&key).copied().unwrap_or_default().cells();
        row.cells.splice(AT..AT, [occupancy, blocks, registers, shared]);
        below.entry(key.0).or_default().push(row);
    }
    let rows = by_name::rows(trace, tallies, Some(all)).into_iter().map(|(name, mut row)| {
        let [blocks, occupancy] = of_name.get(&name).copied().unwrap_or_default().cells();
        row.cells.splice(AT..AT, [occupancy, blocks, Value::Empty, Value::Empty]);
        row.children = below.remove(&name).unwrap_or_default();
        row
    });
    let rows = rows.collect();
    let mut notes = Vec::new();
    if !launches.has_any() {
        notes.push("The trace does not tell how kernels were launched.".into());
    }
    let mut columns = by_name::columns("Kernel", "Of the time of all kernels, summed over streams");
    columns.splice(AT..AT, own_columns());
    Table { view: super::VIEW, title: "Kernels by name and launch", columns, rows, notes, ..Table::default() }
}

/// Sums by name, and by launch.
fn told(trace: &Trace, launches: &Launches) -> (FxHashMap<StrId, Told>, FxHashMap<Key, Told>) {
    let (mut of_name, mut of_launch): (FxHashMap<StrId, Told>, FxHashMap<Key, Told>) = Default::default();
    for (id, told) in launches.kernels() {
        let name = trace.slices.name[id as usize];
        of_name.entry(name).or_default().add(told);
        of_launch.entry((name, Some(told.launch))).or_default().add(told);
    }
    (of_name, of_launch)
}

/// Before how the time is spread, which says less here.
const AT: usize = 4;

fn own_columns() -> [Column; 4] {
    use ColumnKind::{Bytes, Count, Ratio, Text};
    [
        Column::new(
            "occupancy",
            "Occupancy",
            Ratio,
            "Achieved occupancy as the producer estimated it, mean over calls",
        ),
        Column::new("blocks_per_sm", "Blocks/SM", Text, "Blocks for each multiprocessor, mean over calls"),
        Column::new("registers", "Registers", Count, "Registers of each thread"),
        Column::new("shared_memory", "Shared", Bytes, "Shared memory of each block"),
    ]
}
