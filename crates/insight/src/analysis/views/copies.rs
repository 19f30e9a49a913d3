//! The summary of copies and memsets by name: their time on the device, the time of the host's calls that
//! launched them, their bytes and speed, with the operators that launched them.

mod calls;

use rustc_hash::FxHashMap;

use proftui_base::fmt;
use proftui_base::ids::Ids;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, LaneKind, SliceId, Trace};

use self::calls::{Calls, Share, is_copy};
use crate::analysis::Chart;
use crate::analysis::part::Part;
use crate::analysis::part::owner::{Launched, Owner, Owners, Reason};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::chart::Tint;
use crate::analysis::table::tally::{Tally, longer};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value, by_name};

const NOTE: &str = "Host is the time of the calls that launched the copies, waits in them included; in \
    Paddle's traces that of the events GpuMemcpy… around the calls. A call that launched several pieces of \
    device work, such as a graph, has its time divided evenly among them. The rows below each copy are the \
    operators that launched it: the innermost around each launch or in a graph. Rows without an operator \
    name the reason.";

/// Builds the table of copies and memsets by name, with child rows by operator.
pub fn copies(trace: &Trace, scope: &Scope) -> Table {
    let found = Gathered::of(&Part::new(trace, scope));
    let whole = found.all.device.total;
    let notes = found.notes();
    let row = |(name, (sums, owners)): (StrId, ByOwner)| {
        let mut row = sums.row(Value::Text(trace.string_or(name, "(unnamed)").into_owned()), whole);
        let owner =
            |(owner, sums): (Owner, Sums)| sums.row(Value::Text(owner.title(trace).into_owned()), whole);
        row.children = sorted(owners.into_iter().map(owner).collect());
        row
    };
    let rows = sorted(found.by_name.into_iter().map(row).collect());
    let table = Table {
        view: "memcpy",
        title: "Copies and memsets by name",
        columns: columns(),
        rows,
        notes,
        ..Table::default()
    };
    let charts = charts(&table);
    table.with_charts(charts)
}

/// Makes the charts of the table of copies: shares of device time, and time on host and device.
fn charts(table: &Table) -> [Option<Chart>; 2] {
    let parts =
        [("host", Tint::Category(Category::CudaRuntime)), ("total", Tint::Category(Category::Memcpy))];
    [
        table.share_chart("Device time of all copies and memsets by name", "share", "total"),
        table.column_chart("Time of copies and memsets: calls of the host, device", &parts),
    ]
}

fn columns() -> Vec<Column> {
    let mut columns = by_name::columns(
        "Copy or memset",
        "Share of the device time of all copies and memsets, summed over streams",
    );
    columns[by_name::CALLS].about =
        "Number of copies and memsets on devices that begin in the summarized part";
    columns[by_name::TOTAL].title = "Device".into();
    columns[by_name::TOTAL].about = "Summed time of the copies and memsets on devices within the summarized \
        part; one nested in one of the same name is not added again";
    let own = [
        Column::new(
            "host",
            "Host",
            ColumnKind::Duration,
            "Time of the calls that launched the copies, or of Paddle's events GpuMemcpy… around them, \
             within the summarized part; divided evenly where one launched several pieces of device work",
        ),
        Column::new(
            "bytes",
            "Bytes",
            ColumnKind::Bytes,
            "Bytes copied or set within the summarized part, as the trace states them",
        ),
        Column::new(
            "rate",
            "Rate",
            ColumnKind::Rate,
            "Bytes divided by the device time of the copies and memsets whose bytes are stated (1 GB/s is \
             10^9 bytes per second)",
        ),
    ];
    columns.splice(HOST..HOST, own);
    columns
}

/// The index of the column Host in [`columns`].
const HOST: usize = by_name::SHARE + 1;

/// Sorts rows by device time, then by host time, the largest first.
fn sorted(mut rows: Vec<TableRow>) -> Vec<TableRow> {
    let times = |row: &TableRow| [by_name::TOTAL, HOST].map(|at| row.cells[at].duration_or_zero());
    rows.sort_by(|one, other| {
        times(other).cmp(&times(one)).then_with(|| other.cells[0].order(&one.cells[0]))
    });
    rows
}

/// Sums over copies and memsets, those of one row or all.
#[derive(Default)]
struct Sums {
    /// The number of the copies and memsets in the part, and their time on the device.
    device: Tally,
    /// The time within the part that the host's calls took for the copies and memsets, ns; `None` if no such
    /// call is known there.
    host: Option<Ns>,
    /// The longest of the times in `host` (ns), with its call; `None` if `host` is `None`.
    longest_call: Option<(Ns, SliceId)>,
    /// The bytes copied or set within the part; `None` if the trace states none.
    bytes: Option<u64>,
    /// The time on the device, within the part, of the copies whose bytes the trace states, ns.
    timed: Ns,
}

impl Sums {
    fn add(&mut self, work: &Launched, bytes: Option<u64>) {
        self.device.add(work.piece, work.is_outer);
        if let Some(bytes) = bytes {
            self.bytes = Some(self.bytes.unwrap_or_default().saturating_add(bytes));
            self.timed = self.timed.saturating_add(work.time());
        }
    }

    fn add_call(&mut self, share: Share, time: Ns) {
        self.host = Some(self.host.unwrap_or_default().saturating_add(time));
        self.longest_call = longer(self.longest_call, Some((time, share.call)));
    }

    /// Makes the row titled `name`; its share is relative to `whole`, the device time of all copies, ns.
    fn row(self, name: Value, whole: Ns) -> TableRow {
        let Self { device, host, longest_call, bytes, timed } = self;
        let mut row = by_name::row(name, device, whole);
        let own = [
            host.map_or(Value::Empty, Value::Duration),
            bytes.map_or(Value::Empty, |bytes| Value::Bytes(i64::try_from(bytes).unwrap_or(i64::MAX))),
            bytes.map_or(Value::Empty, |bytes| Value::rate(bytes, timed)),
        ];
        row.cells.splice(HOST..HOST, own);
        row.longest = row.longest.or(longest_call.map(|(_, call)| call));
        row
    }
}

/// The sums over the copies and memsets of one name: of all, and by owner.
type ByOwner = (Sums, FxHashMap<Owner, Sums>);

/// The sums over the copies and memsets in a part, and over the calls in it that made some: of all, and by
/// name; for each name also by owner.
#[derive(Default)]
struct Gathered {
    all: Sums,
    by_name: FxHashMap<StrId, ByOwner>,
}

impl Gathered {
    fn of(part: &Part<'_>) -> Self {
        let (trace, owners) = (part.trace(), Owners::of(part));
        let calls = Calls::of(trace);
        let mut found = Self::default();
        for work in owners.work().filter(|work| is_copy(trace.slices.category(work.piece.id))) {
            let id = work.piece.id;
            let owner = calls
                .of_copy(id)
                .map_or_else(|| owners.owner(id, work.launch), |share| owner(&owners, id, share));
            let bytes = trace.copied(id).map(|bytes| work.piece.bytes_of(bytes, trace));
            found.each(trace.slices.name[id], owner, |sums| sums.add(&work, bytes));
        }
        let has_host = has_host(part);
        for &lane in part.lanes() {
            let slices = trace.lanes[lane].slices;
            let none = Ids::default();
            let (of_calls, of_copies) = if has_host { (slices, none) } else { (none, slices) };
            for (copy, share) in calls.of_calls(of_calls).chain(calls.of_copies(of_copies)) {
                let Some(time) = share.time(part) else { continue };
                let owner = owner(&owners, copy, share);
                found.each(trace.slices.name[copy], owner, |sums| sums.add_call(share, time));
            }
            for share in calls.without_copy(of_calls) {
                let Some(time) = share.time(part) else { continue };
                let owner =
                    operator_around(&owners, share.call).map_or(Owner::None(Reason::Bare), Owner::Operator);
                found.each(trace.slices.name[share.call], owner, |sums| sums.add_call(share, time));
            }
        }
        found
    }

    /// Calls `add` with the sums of all copies, of the name, and of the owner within the name.
    fn each(&mut self, name: StrId, owner: Owner, mut add: impl FnMut(&mut Sums)) {
        let (of_name, of_owners) = self.by_name.entry(name).or_default();
        add(&mut self.all);
        add(of_name);
        add(of_owners.entry(owner).or_default());
    }

    /// The notes under the table of copies; none if it has no rows.
    fn notes(&self) -> Vec<String> {
        if self.by_name.is_empty() {
            return Vec::new();
        }
        let device_time = fmt::duration(self.all.device.total);
        let copies = match self.all.device.count() {
            0 | 1 => "All copies and memsets".to_owned(),
            count => format!("All {} copies and memsets", fmt::count(count)),
        };
        let all = match self.all.host.map(fmt::duration) {
            Some(host_time) => {
                format!("{copies}: {host_time} in calls of the host, {device_time} on devices.")
            }
            None => format!("{copies}: {device_time} on devices."),
        };
        vec![all, NOTE.into()]
    }
}

/// The owner of a copy whose call is known: the operator inside a graph that made it, else the operator
/// around the call, else the reason why there is none.
fn owner(owners: &Owners<'_>, copy: SliceId, share: Share) -> Owner {
    if let Some(owner) = owners.graph_owner(copy) {
        return owner;
    }
    match operator_around(owners, share.call) {
        Some(operator) => Owner::Operator(operator),
        None => Owner::None(owners.reason(copy, Some(share.launch))),
    }
}

/// The name of the innermost operator around a call; `None` if there is none.
fn operator_around(owners: &Owners<'_>, call: SliceId) -> Option<StrId> {
    let slices = &owners.part().trace().slices;
    let operator = owners.operator_around(call)?;
    Some(slices.name[operator])
}

/// True if the scope has all lanes, or a lane of a thread.
fn has_host(part: &Part<'_>) -> bool {
    let lanes = &part.trace().lanes;
    let is_thread = |&lane: &LaneId| matches!(lanes[lane].kind, LaneKind::Thread | LaneKind::Python);
    part.scope().lanes.as_ref().is_none_or(|asked| asked.iter().any(is_thread))
}
