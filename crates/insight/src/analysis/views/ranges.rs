//! The summary of the ranges that a script or a library names (NVTX, `record_function`): their time on the
//! host, and the device work launched in them.

mod launched;
mod name_sets;

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{SliceId, Trace};

use self::launched::{Launched, is_range};
use self::name_sets::{MOST_NAMES, SetId};
use crate::analysis::part::owner::Owners;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, covered};
use crate::analysis::table::tally::Tally;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value, by_name};

const NOTE: &str = "Device is the time of the kernels, copies and memsets that the range's own thread \
    launched in it, even if they ran after it; the rows below each range are that work by name. Work counts \
    for every range around its launch, once for ranges of one name. Work that other threads launch during \
    the range does not count.";

/// Builds the table of user-defined ranges by name, with the device work launched in them in rows below.
pub(crate) fn user_ranges(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let mut tallies = by_name::tallies(&part, is_range);
    let name = |id: SliceId| is_range(trace.slices.category(id)).then(|| trace.slices.name[id]);
    let covered = covered::by_kind(&part, name);
    let launched = Launched::of(&Owners::of(&part));
    let (all, has_device) = (launched.all, launched.has_device);
    // Ranges that ended before the part may have work in it.
    launched.sets_of_range.keys().for_each(|&name| _ = tallies.entry(name).or_default());
    let whole = part.run_of_workers();
    let rows = by_name::rows(tallies, None, |name| trace.string_or(name, "(unnamed)"));
    // Ranges that are only around each other, such as an epoch and its one step, have the same sets and so
    // the same work.
    let mut known: FxHashMap<&[SetId], (Ns, Vec<TableRow>)> = FxHashMap::default();
    let rows = rows.into_iter().map(|(name, mut row)| {
        row.cells[by_name::SHARE] = Value::share(covered.get(&name).copied().unwrap_or_default(), whole);
        let sets = launched.sets_of_range.get(&name).map_or(&[][..], Vec::as_slice);
        let (device, children) = known.entry(sets).or_insert_with(|| {
            let work = launched.work(sets);
            let device = work.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total));
            (device, work_rows(trace, work, all))
        });
        row.cells.splice(DEVICE..DEVICE, device_cells(*device, all, has_device));
        row.children.clone_from(children);
        row
    });
    let rows: Vec<TableRow> = rows.collect();
    let mut notes = if has_device && !rows.is_empty() { vec![NOTE.into()] } else { Vec::new() };
    if launched.is_cut {
        notes.push(format!(
            "Some work was launched in ranges of more than {MOST_NAMES} names, which lie in each other: it \
             counts for {MOST_NAMES} of these."
        ));
    }
    let title = "User-defined ranges by name (such as NVTX or record_function)";
    let table = Table { view: "userdefined", title, columns: columns(), rows, notes, ..Table::default() };
    let charts = [
        table.share_chart("Time of user-defined ranges by name", "share", "total"),
        table.share_chart("Device time of work launched in user-defined ranges", "device_share", "device"),
    ];
    table.with_charts(charts)
}

/// Index of the column of device time in [`columns`].
const DEVICE: usize = by_name::SHARE + 1;

fn columns() -> Vec<Column> {
    let mut columns = by_name::columns(
        "Range",
        "Share of the summarized time, added up over processes, in which at least one range of the name was \
         open",
    );
    let own = [
        Column::new(
            "device",
            "Device",
            ColumnKind::Duration,
            "Summed time within the summarized part of the kernels, copies and memsets that the range's \
             thread launched in the range",
        ),
        Column::new(
            "device_share",
            "Device share",
            ColumnKind::Ratio,
            "Device as a share of the time of all device work, summed over streams",
        ),
    ];
    columns.splice(DEVICE..DEVICE, own);
    columns
}

/// The cells of a device time (ns) and of its share of `all`, the time of all device work; empty unless
/// `has_device`.
fn device_cells(time: Ns, all: Ns, has_device: bool) -> [Value; 2] {
    if has_device { [Value::Duration(time), Value::share(time, all)] } else { [Value::Empty, Value::Empty] }
}

/// Makes the child rows of a range, by name of the device work launched in it. Shares are of `all`, the time
/// of all device work, ns.
fn work_rows(trace: &Trace, work: FxHashMap<StrId, Tally>, all: Ns) -> Vec<TableRow> {
    let times: FxHashMap<StrId, Ns> = work.iter().map(|(&name, tally)| (name, tally.total)).collect();
    let rows = by_name::rows(work, Some(all), |name| trace.string_or(name, "(unnamed)"));
    let row = |(name, mut row): (StrId, TableRow)| {
        // The time is on the device.
        row.cells[by_name::TOTAL] = Value::Empty;
        row.cells[by_name::SHARE] = Value::Empty;
        row.cells
            .splice(DEVICE..DEVICE, device_cells(times.get(&name).copied().unwrap_or_default(), all, true));
        row
    };
    rows.into_iter().map(row).collect()
}
