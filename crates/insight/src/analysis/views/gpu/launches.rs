//! The calls that launch device work: host time of the calls, device time of their work, and the delay in
//! between.
//!
//! Must not know queues.

use rustc_hash::{FxHashMap, FxHashSet};

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{SliceId, Trace};

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{Work, devices};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Calls longer than this count as slow, ns (HTA's `runtime_cutoff`, 50 µs).
pub(crate) const LONG_CALL: Ns = 50_000;
/// Work that starts more than this after its call returned counts as late, ns (HTA's `launch_delay_cutoff`,
/// 100 µs).
pub(crate) const LONG_DELAY: Ns = 100_000;

/// The time from the return of the call that launched `work` to the start of `work.span`, ns, 0 at least;
/// `None` if the launch is unknown.
pub fn delay(work: &Work) -> Option<Ns> {
    work.launch.map(|launch| work.span.start.saturating_sub(launch.span.end).max(0))
}

/// The sums over the calls of one name that launch device work.
#[derive(Default)]
struct Calls {
    count: u64,
    /// Number of kernels, copies and memsets that the calls launched and that begin in the part.
    work: u64,
    /// Summed time of the calls within the part, ns.
    call_time: Ns,
    /// Summed time within the part of the device work that the calls launched, ns.
    work_time: Ns,
    /// Summed [`delay`] of the device work that begins in the part, ns.
    delay: Ns,
    /// The longest [`delay`] (ns) of work that begins in the part, with the work; `None` without such work.
    longest_delay: Option<(Ns, SliceId)>,
    /// Number of calls that begin in the part and took longer than the device work that they launched.
    short: u64,
    /// Number of calls that begin in the part and are longer than [`LONG_CALL`].
    slow: u64,
    /// Number of kernels, copies and memsets that begin in the part and have a delay of more than
    /// [`LONG_DELAY`].
    late: u64,
}

impl Calls {
    fn row(&self, title: &str) -> TableRow {
        let average = |sum: Ns, count: u64| {
            i64::try_from(count)
                .ok()
                .filter(|&count| count > 0)
                .map_or(Value::Empty, |n| Value::Duration(sum / n))
        };
        TableRow {
            cells: vec![
                Value::text(title),
                Value::Count(self.count),
                Value::Count(self.work),
                Value::Duration(self.call_time),
                average(self.call_time, self.count),
                Value::Duration(self.work_time),
                average(self.delay, self.work),
                self.longest_delay.map_or(Value::Empty, |(dur, _)| Value::Duration(dur)),
                Value::Count(self.short),
                Value::Count(self.slow),
                Value::Count(self.late),
            ],
            children: Vec::new(),
            longest: self.longest_delay.map(|(_, id)| id),
        }
    }
}

/// Builds the table of the calls that launch device work: a row per name, the most time of calls first.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let mut by_name: FxHashMap<StrId, Calls> = FxHashMap::default();
    let mut lost = 0_u64;
    // One call may launch work on several devices, and counts once.
    let mut seen: FxHashSet<SliceId> = FxHashSet::default();
    let part = Part::new(trace, scope);
    for work in devices(&part).iter().flat_map(|device| &device.work) {
        let Some((launch, delay)) = work.launch.zip(delay(work)) else {
            lost += u64::from(work.begins);
            continue;
        };
        let name = by_name.entry(trace.slices.name[launch.id]).or_default();
        name.work_time = name.work_time.saturating_add(work.dur());
        seen.insert(launch.id);
        if !work.begins {
            continue;
        }
        name.work += 1;
        name.delay = name.delay.saturating_add(delay);
        if name.longest_delay.is_none_or(|(longest, _)| delay > longest) {
            name.longest_delay = Some((delay, work.id));
        }
        name.late += u64::from(delay > LONG_DELAY);
    }
    // Calls whose work runs after the part count, too.
    for &lane in part.lanes() {
        let links = trace.links.within(trace.lanes[lane].slices).iter();
        seen.extend(links.map(|(call, _)| *call).filter(|&call| part.piece(call).is_some()));
    }
    for call in seen {
        let Some(piece) = part.piece(call) else { continue };
        let name = by_name.entry(trace.slices.name[call]).or_default();
        name.call_time = name.call_time.saturating_add(piece.dur());
        if !piece.begins {
            continue;
        }
        let dur = trace.slices.dur[call];
        let of_work = trace.links.work_of(call).map(|work| trace.slices.dur[work]);
        let work_time = of_work.fold(0, Ns::saturating_add);
        name.count += 1;
        name.short += u64::from(work_time < dur);
        name.slow += u64::from(dur > LONG_CALL);
    }
    let mut found: Vec<(StrId, Calls)> = by_name.into_iter().collect();
    found.sort_by_key(|(name, calls)| (std::cmp::Reverse(calls.call_time), *name));
    let rows: Vec<TableRow> =
        found.iter().map(|(name, calls)| calls.row(trace.string_or(*name, "(unnamed)").as_str())).collect();
    let mut notes = notes(
        &rows,
        "A call that launches several kernels counts once. HTA's get_cuda_kernel_launch_stats differs: \
         that function covers only some calls, such as cudaLaunchKernel, and no graphs, usually cuts off the \
         last step, and lists each launch.",
    );
    if lost > 0 {
        notes
            .push(format!("Not counted: kernels, copies and memsets without a launch in the trace: {lost}."));
    }
    Table {
        view: "launches",
        title: "Calls that launch device work, by name, with launch delays",
        columns: columns(),
        rows,
        notes,
        ..Table::default()
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("call", "Call", ColumnKind::Text, "Name of the calls that launch device work"),
        Column::new(
            "calls",
            "Calls",
            ColumnKind::Count,
            "Number of calls that launched device work and begin in the summarized part",
        ),
        Column::new(
            "work",
            "Work",
            ColumnKind::Count,
            "Number of kernels, copies and memsets that the calls launched and that begin in the summarized \
             part",
        ),
        Column::new(
            "call_time",
            "Call time",
            ColumnKind::Duration,
            "Summed host time of the calls within the summarized part",
        ),
        Column::new("call_average", "Average", ColumnKind::Duration, "Call time divided by Calls"),
        Column::new(
            "work_time",
            "Device time",
            ColumnKind::Duration,
            "Summed device time, within the summarized part, of the kernels, copies and memsets that the \
             calls launched",
        ),
        Column::new(
            "delay",
            "Delay",
            ColumnKind::Duration,
            "Time from the return of a call to the start of its work, averaged over Work; an earlier start \
             counts as 0",
        ),
        Column::new(
            "longest_delay",
            "Longest delay",
            ColumnKind::Duration,
            "Longest time from the return of a call to the start of its work",
        ),
        Column::new(
            "short",
            "Short work",
            ColumnKind::Count,
            "Number of calls that took longer than the work they launched",
        ),
        Column::new("slow", "Slow calls", ColumnKind::Count, "Number of calls longer than 50 µs"),
        Column::new(
            "late",
            "Late work",
            ColumnKind::Count,
            "Number of kernels, copies and memsets that started more than 100 µs after their call returned",
        ),
    ]
}
