//! The list of allocations: each with the release of the same memory, and the operators around both.
//!
//! `pairs` alone decides which release belongs to which allocation.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{MemoryEvent, SliceId, Trace, WorkerId};

use crate::analysis::part::memory_owner::{OUTSIDE, Owner, owner};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Name of the view for `--view`.
pub const VIEW: &str = "allocations";

/// Maximum number of rows in the table of [`allocations`]; the smallest allocations beyond it are left out.
const ROWS: usize = 200_000;

/// An allocation with its release, as indices into [`Trace::memory`]. At least one of the two is `Some`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The event that allocated the memory; `None` if it is not known.
    pub taken: Option<u32>,
    /// The event that released the memory; `None` if no release is known.
    pub freed: Option<u32>,
}

impl Pair {
    /// The event of the allocation, or if that is missing, of the release.
    pub(crate) fn first(self, trace: &Trace) -> Option<&MemoryEvent> {
        self.taken.or(self.freed).map(|event| &trace.memory[event as usize])
    }

    /// The size of the allocated memory, bytes.
    pub(crate) fn size(self, trace: &Trace) -> i64 {
        self.first(trace).map_or(0, |event| event.bytes.saturating_abs())
    }
}

/// What an allocation and its release have in common: worker, process id, place, address, and true for memory
/// that the allocator got from the system.
type Key = (WorkerId, StrId, StrId, u64, bool);

/// The key by which the memory event with this index in [`Trace::memory`] is matched. Old profilers state no
/// addresses: their events are matched by size.
fn key(trace: &Trace, event: u32) -> Key {
    let event = &trace.memory[event as usize];
    let group = &trace.groups[trace.lanes[event.lane].group];
    let address = if event.address == 0 { event.bytes.unsigned_abs() } else { event.address };
    (group.worker, group.pid, event.place, address, event.kind.is_reserved())
}

/// Pairs releases with allocations: a release belongs to the last open allocation with the same [`Key`].
/// `events` are indices into [`Trace::memory`] in order of time.
pub(crate) fn pairs(trace: &Trace, events: impl IntoIterator<Item = u32>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut open: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
    for event in events {
        let key = key(trace, event);
        if trace.memory[event as usize].kind.takes() {
            open.entry(key).or_default().push(saturate::<u32>(pairs.len()));
            pairs.push(Pair { taken: Some(event), freed: None });
        } else if let Some(taken) = open.get_mut(&key).and_then(Vec::pop) {
            pairs[taken as usize].freed = Some(event);
        } else {
            pairs.push(Pair { taken: None, freed: Some(event) });
        }
    }
    pairs
}

/// The allocation or the release of a [`Pair`]: its time, and the innermost operator around it on its thread.
#[derive(Clone, Copy)]
struct End {
    ts: Ns,
    operator: Option<SliceId>,
    owner: Option<Owner>,
}

/// Builds the table of allocations, the largest first.
pub fn allocations(trace: &Trace, scope: &Scope) -> Table {
    largest(trace, scope, ROWS)
}

/// Builds the table of the `count` largest allocations, the largest first, with a note if there are more.
pub fn largest(trace: &Trace, scope: &Scope, count: usize) -> Table {
    let is_inside = |event: &MemoryEvent| scope.has_time(event.ts) && scope.has_lane(event.lane);
    let mut pairs = pairs(trace, 0..saturate::<u32>(trace.memory.len()));
    pairs.retain(|pair| pair.first(trace).is_some_and(is_inside));
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.size(trace)));
    let mut notes = notes(trace, &pairs);
    if pairs.len() > count {
        let left = fmt::count((pairs.len() - count) as u64);
        let where_all = if count < ROWS {
            "--view allocations lists more allocations"
        } else {
            "to list all allocations, summarize shorter time ranges"
        };
        notes.push(format!("The {left} smallest allocations are left out: {where_all}."));
        pairs.truncate(count);
    }
    let end = |event: Option<u32>| {
        let event = &trace.memory[event? as usize];
        Some(End { ts: event.ts, operator: owner(trace, event), owner: Owner::of(trace, event) })
    };
    let row = |pair: &Pair| {
        let (taken, freed) = (end(pair.taken), end(pair.freed));
        let operator = |end: Option<End>| match end.map(|end| end.owner) {
            Some(Some(owner)) => Value::Text(owner.title(trace)),
            Some(None) => Value::Text(SafeText::new(OUTSIDE)),
            None => Value::Empty,
        };
        let time = |ns: Option<Ns>| ns.map_or(Value::Empty, Value::Duration);
        let at = |end: Option<End>| time(end.map(|end| end.ts.saturating_sub(trace.main_span.start)));
        let held = taken.zip(freed).map(|(taken, freed)| freed.ts.saturating_sub(taken.ts));
        let event = pair.first(trace);
        let place = event.map_or(StrId::EMPTY, |event| event.place);
        let is_reserved = event.is_some_and(|event| event.kind.is_reserved());
        let cells = vec![
            operator(taken),
            Value::Bytes(pair.size(trace)),
            time(held),
            operator(freed),
            at(taken),
            Value::Text(trace.string_or(place, "(device not recorded)").into_owned()),
            at(freed),
            Value::text(&format!("{:#x}", event.map_or(0, |event| event.address))),
            Value::Text(SafeText::new(if is_reserved { "reserved" } else { "allocated" })),
        ];
        let operator_id = |end: Option<End>| end.and_then(|end| end.operator);
        TableRow { cells, children: Vec::new(), longest: operator_id(taken).or(operator_id(freed)) }
    };
    Table {
        view: VIEW,
        title: "Allocations, with the operators that allocated and freed the memory",
        columns: columns(),
        rows: pairs.par_iter().map(row).collect(),
        notes,
        ..Table::default()
    }
}

fn notes(trace: &Trace, pairs: &[Pair]) -> Vec<String> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let some = |what: fn(&Pair) -> bool| {
        let some = pairs.iter().filter(|pair| what(pair));
        let (count, sum) =
            some.fold((0, 0_i64), |(count, sum), pair| (count + 1, sum.saturating_add(pair.size(trace))));
        (count > 0).then(|| format!("{} ({})", fmt::count(count), fmt::bytes(sum)))
    };
    let held = some(|pair| pair.freed.is_none());
    let early = some(|pair| pair.taken.is_none());
    let mut notes = vec![
        "Each release is matched with the most recent open allocation of the same address, process, \
         device and type."
            .into(),
    ];
    notes.extend(held.map(|some| format!("Allocations without a known release: {some}.")));
    notes.extend(early.map(|some| format!("Releases without a known allocation: {some}.")));
    notes
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Bytes, Duration, Text};
    vec![
        Column::new(
            "operator",
            "Allocated by",
            Text,
            "Innermost operator around the allocation on its thread, else the line in its call stack",
        ),
        Column::new("size", "Size", Bytes, "Size of this allocation"),
        Column::new("held", "Lifetime", Duration, "Time from the allocation to its release"),
        Column::new(
            "freed_by",
            "Freed by",
            Text,
            "Innermost operator around the release on its thread, else the line in its call stack",
        ),
        Column::new(
            "taken",
            "Allocated at",
            Duration,
            "Time of the allocation after the start of the trace; negative before it",
        ),
        Column::new("place", "Device", Text, "Device or host that holds the memory"),
        Column::extra(
            "freed",
            "Freed at",
            Duration,
            "Time of the release after the start of the trace; negative before it",
        ),
        Column::extra("address", "Address", Text, "Start address of the memory"),
        Column::extra(
            "type",
            "Type",
            Text,
            "allocated: the program got the memory from the allocator; reserved: the allocator got it from \
             the system",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use proftui_base::time::Span;
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    fn trace(events: &[String]) -> Trace {
        let text = format!("[{}]", events.join(","));
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
    }

    fn memory(ts: u32, pid: u32, address: u32, bytes: i32) -> String {
        format!(
            r#"{{"ph":"i","s":"t","name":"[memory]","pid":{pid},"tid":1,"ts":{ts},"args":{{"Device Type":0,"Device Id":-1,"Addr":{address},"Bytes":{bytes}}}}}"#
        )
    }

    fn operator(name: &str, ts: u32, dur: u32) -> String {
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
    }

    #[test]
    fn a_release_belongs_to_the_last_open_allocation_of_its_address_and_process() {
        let trace = trace(&[
            operator("aten::outer", 0, 50),
            operator("aten::empty", 5, 20),
            operator("aten::clear", 60, 10),
            memory(10, 1, 64, 100),
            memory(20, 2, 64, 300),
            memory(30, 1, 64, -100),
            memory(40, 1, 64, 100),
            memory(65, 1, 64, -100),
            memory(70, 1, 80, -7),
        ]);
        let table = allocations(&trace, &Scope::default());
        let time = |us: i64| Value::Duration(us * 1000);
        let cells: Vec<Vec<Value>> = table.rows.iter().map(|row| row.cells[..7].to_vec()).collect();
        let row = |by: &str, size, times: [Value; 3], freed_by: Value| {
            let [taken, held, freed] = times;
            vec![Value::text(by), Value::Bytes(size), held, freed_by, taken, Value::text("CPU"), freed]
        };
        let empty = Value::Empty;
        assert_eq!(cells[0], row(OUTSIDE, 300, [time(20), empty.clone(), empty.clone()], empty.clone()));
        assert_eq!(
            cells[1],
            row("aten::empty", 100, [time(10), time(20), time(30)], Value::text("aten::outer"))
        );
        assert_eq!(
            cells[2],
            row("aten::outer", 100, [time(40), time(25), time(65)], Value::text("aten::clear"))
        );
        assert_eq!(cells[3][0], Value::Empty);
        assert_eq!(cells[3][3..], [Value::text("aten::clear"), Value::Empty, Value::text("CPU"), time(70)]);
        assert_eq!(trace.name(table.rows[1].longest.expect("an operator")).as_str(), "aten::empty");
        assert_eq!(trace.name(table.rows[3].longest.expect("an operator")).as_str(), "aten::clear");
        let notes = table.notes.join(" ");
        assert!(notes.contains("Allocations without a known release: 1 (300 B)"), "{notes}");
        assert!(notes.contains("Releases without a known allocation: 1 (7 B)"), "{notes}");
    }

    #[test]
    fn an_allocation_belongs_to_the_scope_in_which_it_was_taken() {
        let trace = trace(&[memory(10, 1, 64, 100), memory(30, 1, 64, -100), memory(40, 1, 80, 5)]);
        let scope = Scope { span: Some(Span { start: 20_000, end: 100_000 }), lanes: None };
        let table = allocations(&trace, &scope);
        let sizes: Vec<&Value> = table.rows.iter().map(|row| &row.cells[1]).collect();
        assert_eq!(sizes, [&Value::Bytes(5)]);
    }
}
