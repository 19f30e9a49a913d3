//! The summary of memory by place: allocations, releases, peaks, and the operators that made them.
//!
//! The bytes of an operator exclude those of nested operators; its peaks are measured over whole calls,
//! nested operators included.

pub(super) mod holders;
mod in_use;
mod peak;
mod sums;

use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::{MemoryEvent, Trace};

use crate::analysis::part::memory_owner::{OUTSIDE, Owner};
use crate::analysis::part::per_worker;
use crate::analysis::part::scope::Scope;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

use sums::{Owners, Places, Sums};

/// Builds the table of memory: a row per place (a device or the host), with child rows by operator name.
pub fn memory(trace: &Trace, scope: &Scope) -> Table {
    let mut places = Places::new();
    let is_inside = |event: &&MemoryEvent| scope.has_time(event.ts) && scope.has_lane(event.lane);
    for event in per_worker::memory(trace, &scope.workers(trace)).filter(is_inside) {
        let (sums, owners) = places.entry(event.place).or_default();
        sums.add(event);
        owners.entry(Owner::of(trace, event)).or_default().add(event);
    }
    peak::add(trace, scope, &mut places);
    let row = |(place, (sums, owners)): (StrId, (Sums, Owners))| {
        let title = |owner: Option<Owner>| owner.map_or(SafeText::new(OUTSIDE), |owner| owner.title(trace));
        let mut owners: Vec<(SafeText<'static>, Sums)> =
            owners.into_iter().map(|(owner, sums)| (title(owner), sums)).collect();
        owners.sort_by(|(a, one), (b, other)| {
            other.allocated.cmp(&one.allocated).then_with(|| a.as_str().cmp(b.as_str()))
        });
        let child = |(title, sums): (SafeText<'static>, Sums)| TableRow::new(sums.cells(Value::Text(title)));
        TableRow {
            cells: sums.cells(Value::Text(trace.string_or(place, "(device not recorded)").into_owned())),
            children: owners.into_iter().map(child).collect(),
            longest: None,
        }
    };
    let rows: Vec<TableRow> = places.into_iter().map(row).collect();
    let note = "Each memory event counts for the innermost operator around the event on its thread. Peak in \
        use comes from the totals that the profiler recorded with the events; if there are none, the events' \
        bytes are added up.";
    let notes = if rows.is_empty() { Vec::new() } else { vec![note.to_owned()] };
    Table {
        view: "memory",
        title: "Memory by device and operator",
        columns: columns(),
        rows,
        notes,
        charts: in_use::chart(trace, scope).into_iter().collect(),
        ..Table::default()
    }
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Bytes, Count, Text};
    vec![
        Column::new(
            "place",
            "Device",
            Text,
            "Device or host that holds the memory; the rows below are by operator",
        ),
        Column::new(
            "peak",
            "Peak in use",
            Bytes,
            "Most bytes that one process had in use within the part, also before its first memory event; for \
             an operator: during one of its calls",
        ),
        Column::new(
            "rise",
            "Peak rise",
            Bytes,
            "Largest rise of the memory in use during one call of the operator; other threads count too",
        ),
        Column::new("allocated", "Allocated", Bytes, "Sum of all allocations"),
        Column::new("allocations", "Allocations", Count, "Number of allocations"),
        Column::new(
            "increase",
            "Increase",
            Bytes,
            "Allocated minus released bytes; for an operator: without operators nested in it",
        ),
        Column::extra("largest", "Largest", Bytes, "Size of the largest single allocation"),
        Column::extra("released", "Released", Bytes, "Sum of all releases"),
        Column::extra("releases", "Releases", Count, "Number of releases"),
        Column::extra(
            "reserved",
            "Peak reserved",
            Bytes,
            "Most bytes that the allocator had reserved from the system after a memory event of the row",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use proftui_base::time::Span;
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    #[test]
    fn peaks_are_of_the_whole_time_of_a_call_and_sums_of_the_operator_itself() {
        let operator = |name: &str, ts: u32, dur: u32| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
        };
        let memory = |tid: u32, ts: u32, bytes: i32, total: u32| {
            format!(
                r#"{{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":{tid},"ts":{ts},"args":{{"Device Type":0,"Device Id":-1,"Addr":1,"Bytes":{bytes},"Total Allocated":{total}}}}}"#
            )
        };
        let events = [
            operator("outer", 10, 40),
            operator("inner", 20, 10),
            operator("outer", 70, 10),
            memory(1, 5, 100, 1100),
            memory(1, 12, 1, 1101),
            memory(1, 25, 50, 1151),
            memory(2, 28, 500, 1651),
            memory(1, 29, -50, 1601),
            memory(2, 60, 3000, 4601),
            memory(1, 75, -1, 4600),
        ];
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let table = super::memory(&loaded.trace, &Scope::default());
        let place = &table.rows[0];
        let number = |row: &TableRow, id| match row.cells[table.column(id).expect("a column")] {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        };
        let of = |name: &str| {
            let row = place.children.iter().find(|row| row.cells[0] == Value::text(name)).expect("a row");
            ["peak", "rise", "allocated", "increase"].map(|id| number(row, id))
        };
        assert_eq!(of("inner"), [1651, 550, 50, 0].map(Some));
        assert_eq!(of("outer"), [4601, 551, 1, 0].map(Some), "of two calls, each the most");
        assert_eq!(number(place, "peak"), Some(4601));
        assert_eq!(number(place, "rise"), None);
    }

    #[test]
    fn the_peak_may_lie_before_the_first_event_and_totals_may_be_missing() {
        let memory = |ts: u32, bytes: i32, total: &str| {
            format!(
                r#"{{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts},"args":{{"Device Type":1,"Device Id":0,"Addr":1,"Bytes":{bytes}{total}}}}}"#
            )
        };
        let peak = |events: &[String], scope: &Scope| {
            let text = format!("[{}]", events.join(","));
            let loaded =
                load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
            let table = super::memory(&loaded.trace, scope);
            table.rows[0].cells[table.column("peak").expect("a column")].clone()
        };
        let totals = [
            memory(10, -300, r#","Total Allocated":600"#),
            memory(20, -200, r#","Total Allocated":400"#),
            memory(30, 100, r#","Total Allocated":500"#),
        ];
        assert_eq!(peak(&totals, &Scope::default()), Value::Bytes(900));
        let later = Scope { span: Some(Span { start: 15_000, end: 40_000 }), lanes: None };
        assert_eq!(peak(&totals, &later), Value::Bytes(600), "the level at the part's start");
        let bare = [memory(10, -300, ""), memory(20, 500, ""), memory(30, -100, "")];
        assert_eq!(peak(&bare, &Scope::default()), Value::Bytes(500));
    }

    #[test]
    fn what_the_allocator_reserves_is_not_taken_twice() {
        let memory = |cat: &str, ts: u32, bytes: i32| {
            format!(
                r#"{{"ph":"i","name":"[memory]","cat":"{cat}","pid":1,"tid":"1(C++)","ts":{ts},"args":{{"place":"Place(gpu:0)","addr":"7","increase_bytes":{bytes},"current_allocated":{bytes},"current_reserved":4096}}}}"#
            )
        };
        let events = [memory("ReservedAllocate", 1, 4096), memory("Allocate", 2, 256)];
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let table = super::memory(&loaded.trace, &Scope::default());
        let sums = table.column("allocated").expect("a column");
        assert_eq!(table.rows[0].cells[sums], Value::Bytes(256));
        assert_eq!(table.rows[0].cells[table.column("reserved").expect("a column")], Value::Bytes(4096));
    }
}
