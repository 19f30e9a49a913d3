//! Paddle's views of named ranges: ranges with names of memory operations (copy, set), and the other ranges
//! that the user's Python code names.

use crate::analysis::{Table, TableRow, Value};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, SliceId};

use super::context::Context;
use super::operator::thread_name;
use super::sums::{self, Sums};
use super::tally::Tally;

/// Texts by which the name of a range shows that it copies or sets memory, in lower case.
const MEMORY_NAMES: [&str; 3] = ["memcpy", "memorycopy", "memset"];

/// True if a slice's name, in whatever case, contains one of [`MEMORY_NAMES`].
fn moves_memory(context: &Context<'_>, slice: SliceId) -> bool {
    let trace = context.forest.trace;
    let name = String::from_utf8_lossy(trace.strings.bytes(trace.slices.name[slice])).to_lowercase();
    MEMORY_NAMES.iter().any(|text| name.contains(text))
}

/// Sums up the host events that `is_wanted` accepts, by thread id and name. The thread id is None unless
/// `by_thread`.
fn sum_up(
    context: &Context<'_>,
    by_thread: bool,
    is_wanted: impl Fn(Category, SliceId) -> bool,
) -> Tally<Option<StrId>, Tally<StrId, Sums>> {
    let forest = &context.forest;
    let trace = forest.trace;
    let mut threads: Tally<Option<StrId>, Tally<StrId, Sums>> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if !is_wanted(category, node.slice) {
            continue;
        }
        let thread = by_thread.then(|| trace.lanes[trace.lane_of(node.slice)].tid);
        let sums = threads.of(thread).of(trace.slices.name[node.slice]);
        sums.calls += 1;
        sums.cpu.add(trace.slices.dur[node.slice]);
        sums.kernel.add(node.kernel);
        sums.device.add(node.device);
    }
    threads
}

/// The summed time of the device work that the thread of each step launched within the step, ns, for steps
/// not inside a phase; 0 without steps.
fn device_time(context: &Context<'_>) -> Ns {
    super::model::phases(&context.forest).get(Category::ProfileStep).map_or(0, |step| step.device.total)
}

/// Makes a row per name in `ranges`. Host ratios are relative to the time of the steps, device ratios to
/// `device`, ns.
fn rows(context: &Context<'_>, ranges: &[(StrId, Sums)], device: Ns) -> Vec<TableRow> {
    let forest = &context.forest;
    let row = |(name, sums): &(StrId, Sums)| {
        let name = Value::Text(forest.trace.string_or(*name, "(unnamed)").into_owned());
        let cpu = sums::five(&sums.cpu, sums.calls, Value::share(sums.cpu.total, context.total));
        let gpu = sums::five(&sums.device, sums.calls, sums::part(sums.device.total, device));
        sums::row(name, Value::Count(sums.calls), cpu.into_iter().chain(gpu))
    };
    ranges.iter().map(row).collect()
}

/// Builds Paddle's table of the named ranges whose names contain one of [`MEMORY_NAMES`], with a row per
/// name. None if there are no such ranges.
pub(super) fn memory_manipulation(context: &Context<'_>) -> Option<Table> {
    let is_named = |category| matches!(category, Category::UserDefined | Category::PythonUserDefined);
    let found = sum_up(context, false, |category, slice| is_named(category) && moves_memory(context, slice));
    let (_, ranges) = found.into_items().pop()?;
    Some(Table {
        view: "memcpy",
        title: "Memory Manipulation Summary",
        columns: sums::columns(),
        rows: rows(context, &ranges.into_items(), device_time(context)),
        notes: Vec::new(),
        ..Table::default()
    })
}

/// Builds Paddle's table of the ranges that the user's Python code names, except memory operations. None if
/// there are no such ranges.
pub(super) fn user_defined(context: &Context<'_>) -> Option<Table> {
    let found = sum_up(context, context.options.by_thread, |category, slice| {
        category == Category::PythonUserDefined && !moves_memory(context, slice)
    });
    if found.is_empty() {
        return None;
    }
    let device = device_time(context);
    let threads = found.into_items().into_iter().map(|(thread, ranges)| {
        let mut ranges = ranges.into_items();
        ranges.sort_by(|(_, a), (_, b)| sums::order(a, b, context.options.sorted_by));
        let blank = sums::NOTHING.into_iter().chain(sums::NOTHING);
        let mut row = sums::row(thread_name(context, thread), Value::Empty, blank);
        row.children = rows(context, &ranges, device);
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
