//! Who holds the memory at its peak: the blocks in use when a device had most in use, by Python line, else by
//! operator.
//!
//! Must not know how a release is matched with its allocation.

use rustc_hash::FxHashMap;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{LaneKind, MemoryEvent, RowId, SliceId, Trace, WorkerId};

use crate::analysis::part::memory_owner::{OUTSIDE, frame_title, stated_line, user};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::ColumnKind::{Bytes, Count, Duration, Ratio, Text};
use crate::analysis::table::{Column, Table, TableRow, Value};
use crate::analysis::views::allocation::pairs;
use crate::analysis::vocabulary::script_line::{Frame, line};

/// The name of this view, in `--view` and in JSON.
pub(crate) const VIEW: &str = "peak";

/// What holds memory that was allocated before the recording began.
const BEFORE: &str = "(allocated before the recording)";

/// What holds memory whose call stack a memory snapshot does not state.
const NO_LINE: &str = "(no call stack)";

/// Memory of one process at one place: the worker, the process id and the place.
type Key = (WorkerId, StrId, StrId);

/// The most memory in use of one process at one place.
#[derive(Clone, Copy)]
struct Peak {
    /// The index in [`Trace::memory`] of the event with which it was in use.
    event: u32,
    /// Bytes in use.
    bytes: i64,
}

/// What is in use at one time by process and place, as the events of memory state it, or else as their bytes
/// add up.
#[derive(Default)]
struct Running {
    /// Bytes that the events so far add up to.
    sum: i64,
    /// The most bytes that an event states, or else that events add up to, with the event.
    stated: Option<Peak>,
    added: Option<Peak>,
    /// The fewest bytes that events add up to, 0 or less: what was in use before the first.
    least: i64,
}

impl Running {
    fn add(&mut self, event: u32, of: &MemoryEvent, is_inside: bool) {
        self.sum = self.sum.saturating_add(of.bytes);
        self.least = self.least.min(self.sum);
        if !is_inside {
            return;
        }
        let raise = |peak: &mut Option<Peak>, bytes: i64| {
            if peak.is_none_or(|peak| bytes > peak.bytes) {
                *peak = Some(Peak { event, bytes });
            }
        };
        raise(&mut self.added, self.sum);
        if let Some(bytes) = of.allocated.get() {
            raise(&mut self.stated, bytes);
        }
    }

    fn peak(&self) -> Option<Peak> {
        let before = self.least.saturating_neg();
        let added = self.added.map(|peak| Peak { bytes: peak.bytes.saturating_add(before), ..peak });
        self.stated.or(added).filter(|peak| peak.bytes > 0)
    }
}

/// What a row adds up.
#[derive(Default)]
struct Held {
    bytes: i64,
    blocks: u64,
    /// The time of the oldest block, ns, and the operator or line of the largest one with its bytes.
    oldest: Option<Ns>,
    largest: (i64, Option<SliceId>),
}

/// Builds the table of who holds the memory at the peak of each process and place in the scope.
pub(crate) fn at_peak(trace: &Trace, scope: &Scope) -> Table {
    let mut running: FxHashMap<Key, Running> = FxHashMap::default();
    let workers = scope.workers(trace);
    for (index, event) in (0..).zip(&trace.memory) {
        let worker = trace.groups[trace.lanes[event.lane].group].worker;
        if !event.kind.is_reserved() && workers.binary_search(&worker).is_ok() {
            let of_place = running.entry(key(trace, event)).or_default();
            of_place.add(index, event, scope.has_time(event.ts));
        }
    }
    let mut peaks: Vec<(Key, Peak)> =
        running.into_iter().filter_map(|(key, of_place)| Some((key, of_place.peak()?))).collect();
    peaks.sort_by_key(|(key, peak)| (std::cmp::Reverse(peak.bytes), *key));
    let mut table = Table {
        view: VIEW,
        title: "Who holds the memory at its peak",
        columns: columns(),
        ..Table::default()
    };
    let pairs = pairs(trace, 0..saturate::<u32>(trace.memory.len()));
    for (at, (key, peak)) in peaks.iter().enumerate() {
        let alive = pairs.iter().filter(|pair| {
            let is_taken = pair.taken.is_some_and(|taken| taken <= peak.event);
            is_taken && pair.freed.is_none_or(|freed| freed > peak.event)
        });
        let events = alive.filter_map(|pair| pair.first(trace));
        let own = events.filter(|event| !event.kind.is_reserved() && self::key(trace, event) == *key);
        let mut held: FxHashMap<SafeText<'static>, Held> = FxHashMap::default();
        for event in own {
            let (name, slice) = holder(trace, event);
            let of_name = held.entry(name).or_default();
            of_name.bytes = of_name.bytes.saturating_add(event.bytes);
            of_name.blocks += 1;
            of_name.oldest = Some(of_name.oldest.map_or(event.ts, |oldest| oldest.min(event.ts)));
            if event.bytes > of_name.largest.0 {
                of_name.largest = (event.bytes, slice);
            }
        }
        let known = held.values().fold(0_i64, |sum, of_name| sum.saturating_add(of_name.bytes));
        let before = peak.bytes.saturating_sub(known);
        if before > 0 {
            held.insert(SafeText::new(BEFORE), Held { bytes: before, ..Held::default() });
        }
        let mut held: Vec<(SafeText<'static>, Held)> = held.into_iter().collect();
        held.sort_by(|(a, one), (b, other)| {
            other.bytes.cmp(&one.bytes).then_with(|| a.as_str().cmp(b.as_str()))
        });
        if at == 0 {
            table.headline = headline(trace, *key, *peak, &held);
        }
        // Releases without a known allocation make the peak smaller than the blocks that are known.
        let whole = peak.bytes.max(known);
        table.rows.extend(held.into_iter().map(|(name, of_name)| row(trace, *key, whole, name, &of_name)));
    }
    if !table.rows.is_empty() {
        table.notes.push(
            "A block is in use from its allocation to its release. Where a thread has Python functions, \
             the innermost line of the script holds its blocks, else the innermost operator that does \
             more than take memory."
                .into(),
        );
        let is_stated = trace.memory.iter().any(|event| event.allocated.get().is_some());
        if !is_stated {
            table.notes.push(
                "The trace does not state how much is in use: what was allocated before the recording \
                 began counts only once it is released."
                    .into(),
            );
        }
    }
    table
}

fn key(trace: &Trace, event: &MemoryEvent) -> Key {
    let group = &trace.groups[trace.lanes[event.lane].group];
    (group.worker, group.pid, event.place)
}

/// What allocated the memory of an event: the innermost script line on its thread, else the innermost
/// operator; and the slice of it.
fn holder(trace: &Trace, event: &MemoryEvent) -> (SafeText<'static>, Option<SliceId>) {
    if let Some(frame) = stated_line(trace, event) {
        return (frame_title(trace, frame), None);
    }
    let operator = user(trace, event);
    let frame = line(python_stack(trace, event), |id| Frame::of(trace.strings.bytes(trace.slices.name[id])));
    match frame.or(operator) {
        Some(id) => (trace.name(id).into_owned(), operator.or(Some(id))),
        None if trace.stacks.is_empty() => (SafeText::new(OUTSIDE), None),
        None => (SafeText::new(NO_LINE), None),
    }
}

/// The Python functions that are open on the thread of an event at its time, the innermost first.
fn python_stack(trace: &Trace, event: &MemoryEvent) -> Vec<SliceId> {
    let own = &trace.lanes[event.lane];
    let lanes = &trace.lanes[trace.groups[own.group].lanes];
    let Some(stack) = lanes.iter().find(|lane| lane.kind == LaneKind::Python && lane.tid == own.tid) else {
        return Vec::new();
    };
    let open = |row: RowId| {
        let ids = trace.rows[row].slices();
        let before = trace.slices.start[ids].partition_point(|&start| start <= event.ts).checked_sub(1)?;
        let last = ids.at(before);
        (event.ts <= trace.slices.end(last)).then_some(last)
    };
    let mut open: Vec<SliceId> = stack.rows.iter().filter_map(open).collect();
    open.sort_by_key(|&id| std::cmp::Reverse(trace.slices.start[id]));
    open
}

/// The sentence on the largest peak.
fn headline(trace: &Trace, (.., place): Key, peak: Peak, held: &[(SafeText<'static>, Held)]) -> String {
    let event = &trace.memory[peak.event as usize];
    let worker = trace.groups[trace.lanes[event.lane].group].worker;
    let step = trace.steps.iter().find(|step| step.worker == worker && step.span.contains(event.ts));
    let step = step.map_or(String::new(), |step| format!(", in step {}", step.number));
    let first = held
        .first()
        .map_or(String::new(), |(name, of_name)| format!(": {} by {name}", fmt::bytes(of_name.bytes)));
    format!(
        "Peak {} of {} at {}{step}{first}.",
        fmt::bytes(peak.bytes),
        trace.string_or(place, "a device that is not recorded"),
        fmt::duration(event.ts.saturating_sub(trace.main_span.start)),
    )
}

/// The row of a holder; `whole` are the bytes that shares are of.
fn row(trace: &Trace, (.., place): Key, whole: i64, name: SafeText<'static>, held: &Held) -> TableRow {
    let oldest = held.oldest.map(|ts| ts.saturating_sub(trace.main_span.start));
    let cells = vec![
        Value::Text(name),
        Value::Bytes(held.bytes),
        Value::Ratio(held.bytes as f64 / whole as f64),
        if held.blocks > 0 { Value::Count(held.blocks) } else { Value::Empty },
        oldest.map_or(Value::Empty, Value::Duration),
        Value::Text(trace.string_or(place, "(device not recorded)").into_owned()),
    ];
    TableRow { cells, children: Vec::new(), longest: held.largest.1 }
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("holder", "Who holds it", Text, "the script line, else the operator, that allocated it"),
        Column::new("size", "Size", Bytes, "memory of these blocks, in use at the peak"),
        Column::new("share", "Share", Ratio, "the size as a share of what is in use at the device's peak"),
        Column::new("blocks", "Blocks", Count, "number of allocations in use at the peak"),
        Column::new(
            "oldest",
            "Oldest",
            Duration,
            "time of the first of these allocations after the start of the trace",
        ),
        Column::extra("place", "Device", Text, "device or host that holds the memory"),
    ]
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    fn table(events: &[String]) -> Table {
        let text = format!("[{}]", events.join(","));
        let trace = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        at_peak(&trace.trace, &Scope::default())
    }

    fn memory(ts: u32, address: u32, bytes: i32) -> String {
        format!(
            r#"{{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts},"args":{{"Device Type":0,"Device Id":-1,"Addr":{address},"Bytes":{bytes}}}}}"#
        )
    }

    fn slice(cat: &str, name: &str, ts: u32, dur: u32) -> String {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
    }

    fn rows(table: &Table) -> Vec<(String, Value, Value)> {
        let row =
            |row: &TableRow| (format!("{:?}", row.cells[0]), row.cells[1].clone(), row.cells[3].clone());
        table.rows.iter().map(row).collect()
    }

    #[test]
    fn what_is_in_use_at_the_peak_is_held_and_what_was_freed_is_not() {
        let table = table(&[
            slice("cpu_op", "aten::empty", 5, 20),
            slice("cpu_op", "aten::add", 35, 30),
            memory(10, 64, 100),
            memory(20, 65, 50),
            memory(30, 65, -50),
            memory(40, 66, 200),
            memory(50, 67, 300),
            memory(60, 67, -300),
        ]);
        assert_eq!(
            rows(&table),
            [
                (format!("{:?}", Value::text("aten::add")), Value::Bytes(500), Value::Count(2)),
                (format!("{:?}", Value::text("aten::empty")), Value::Bytes(100), Value::Count(1)),
            ]
        );
        assert!(table.headline.starts_with("Peak 600 B of CPU at 45.00 µs: 500 B by aten::add"), "{table:?}");
    }

    #[test]
    fn a_script_line_comes_before_an_operator_and_older_memory_is_counted() {
        let table = table(&[
            slice("python_function", "train.py(7): step", 0, 100),
            slice("python_function", "torch/nn/linear.py(1): forward", 1, 90),
            slice("cpu_op", "aten::empty", 5, 50),
            memory(10, 64, 100),
            // More is freed than is known as allocated: it was in use before the recording.
            memory(20, 9, -140),
        ]);
        assert_eq!(
            rows(&table),
            [
                (format!("{:?}", Value::text("train.py(7): step")), Value::Bytes(100), Value::Count(1)),
                (format!("{:?}", Value::text(BEFORE)), Value::Bytes(40), Value::Empty),
            ]
        );
    }

    #[test]
    fn without_memory_events_there_are_no_rows() {
        assert!(table(&[slice("cpu_op", "a", 0, 1)]).rows.is_empty());
    }
}
