//! Ranges that a person or the framework named: those that move memory, and the user's own.

use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, SliceId};

use super::Ground;
use super::operator::thread_name;
use super::sums::{self, Sums};
use super::tally::Tally;

/// Words in the names of ranges that move memory.
const WORDS: [&str; 3] = ["memcpy", "memorycopy", "memset"];

fn moves_memory(ground: &Ground<'_>, slice: SliceId) -> bool {
    let trace = ground.forest.trace;
    let name = String::from_utf8_lossy(trace.strings.bytes(trace.slices.name[slice as usize])).to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Ranges by name, where `wanted` takes them; by thread if asked for.
fn gather(
    ground: &Ground<'_>,
    by_thread: bool,
    wanted: impl Fn(Category, SliceId) -> bool,
) -> Tally<Option<StrId>, Tally<StrId, Sums>> {
    let forest = &ground.forest;
    let trace = forest.trace;
    let mut threads: Tally<Option<StrId>, Tally<StrId, Sums>> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if !wanted(category, node.slice) {
            continue;
        }
        let thread = by_thread.then(|| trace.lanes[trace.lane_of(node.slice) as usize].tid);
        let sums = threads.of(thread).of(trace.slices.name[node.slice as usize]);
        sums.calls += 1;
        sums.cpu.add(trace.slices.dur[node.slice as usize]);
        sums.kernel.add(node.kernel);
        sums.device.add(node.device);
    }
    threads
}

/// Rows of ranges; device time is told as a part of what all steps launched.
fn rows(ground: &Ground<'_>, ranges: &[(StrId, Sums)]) -> Vec<TableRow> {
    let forest = &ground.forest;
    let steps = super::model::stages(forest);
    let device: Ns = steps.get(Category::ProfileStep).map_or(0, |step| step.device.total);
    let row = |(name, sums): &(StrId, Sums)| {
        let name = Value::Text(forest.trace.string_or(*name, "(unnamed)").into_owned());
        let cpu = sums::five(&sums.cpu, sums.calls, Value::share(sums.cpu.total, ground.total));
        let gpu = sums::five(&sums.device, sums.calls, sums::part(sums.device.total, device));
        sums::row(name, Value::Count(sums.calls), cpu.into_iter().chain(gpu))
    };
    ranges.iter().map(row).collect()
}

/// Ranges whose names say that they copy or set memory, in the order met.
pub(super) fn memory_manipulation(ground: &Ground<'_>) -> Option<Table> {
    let is_named = |category| matches!(category, Category::UserDefined | Category::PythonUserDefined);
    let found = gather(ground, false, |category, slice| is_named(category) && moves_memory(ground, slice));
    let (_, ranges) = found.into_items().pop()?;
    Some(Table {
        view: "memcpy",
        title: "Memory Manipulation Summary",
        columns: sums::columns(),
        rows: rows(ground, &ranges.into_items()),
        notes: Vec::new(),
        ..Table::default()
    })
}

/// The other ranges that the user's Python named: a row for each thread (or one for all), in it a row a name.
pub(super) fn user_defined(ground: &Ground<'_>) -> Option<Table> {
    let found = gather(ground, ground.options.by_thread, |category, slice| {
        category == Category::PythonUserDefined && !moves_memory(ground, slice)
    });
    if found.is_empty() {
        return None;
    }
    let threads = found.into_items().into_iter().map(|(thread, ranges)| {
        let mut ranges = ranges.into_items();
        ranges.sort_by(|(_, a), (_, b)| sums::order(a, b, ground.options.sorted_by));
        let blank = sums::NOTHING.into_iter().chain(sums::NOTHING);
        let mut row = sums::row(thread_name(ground, thread), Value::Empty, blank);
        row.children = rows(ground, &ranges);
        row
    });
    Some(Table {
        view: "userdefined",
        title: "UserDefined Summary",
        columns: sums::columns(),
        rows: threads.collect(),
        notes: Vec::new(),
        ..Table::default()
    })
}
