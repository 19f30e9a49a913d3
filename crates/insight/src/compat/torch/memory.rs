//! Assigns memory events to host events: each counts for every host event during which it occurred, both ends
//! included, on any thread; those outside of all host events become events of their own.

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::event::{Event, FileEvents, Record};

/// Moves the bytes of the file's memory events to [`Event::memory`] of every host event during which they
/// occurred. Memory events outside of all host events become events called `name`. `rounded_from`: the time 0
/// as ns since 1970 if the ends of host events are to be rounded as [`rounded`] does.
pub(super) fn attribute(file: &mut FileEvents, name: StrId, rounded_from: Option<Ns>) {
    let end = |ts: Ns| match rounded_from {
        Some(zero) => rounded(ts.saturating_add(zero)).saturating_sub(zero),
        None => ts,
    };
    let mut records: Vec<Record> = std::mem::take(&mut file.records);
    if records.is_empty() {
        return;
    }
    records.sort_by_key(|record| record.ts);
    let mut before = Vec::with_capacity(records.len() + 1);
    let mut sum = [0_i64; 2];
    before.push(sum);
    for record in &records {
        sum = [sum[0].saturating_add(record.bytes[0]), sum[1].saturating_add(record.bytes[1])];
        before.push(sum);
    }
    // By how much the number of enclosing events changes from each record to the next.
    let mut changes = vec![0_i32; records.len() + 1];
    for event in file.events.iter_mut().filter(|event| !event.kind.is_device()) {
        let (first, last) = (end(event.start), end(event.end));
        let from = records.partition_point(|record| record.ts < first);
        let to = records.partition_point(|record| record.ts <= last).max(from);
        for (side, memory) in event.memory.iter_mut().enumerate() {
            *memory = memory.saturating_add(before[to][side].saturating_sub(before[from][side]));
        }
        changes[from] += 1;
        changes[to] -= 1;
    }
    let mut depth = 0;
    for (record, change) in records.iter().zip(changes) {
        depth += change;
        if depth == 0 {
            let (ts, thread) = (record.ts, record.thread);
            file.events.push(Event {
                start: ts,
                end: ts,
                name,
                thread,
                memory: record.bytes,
                ..Event::default()
            });
        }
    }
}

/// A time since 1970, ns, as torch 2.4 to 2.10 has it after it became a double of µs and one of ns again: a
/// multiple of 256 near it. Holds for the years 2008 to 2039, in which such a double of µs has steps of 250
/// ns and one of ns has steps of 256 ns.
fn rounded(ns: Ns) -> Ns {
    fn nearest(value: i128, step: i128) -> i128 {
        let (below, rest) = (value.div_euclid(step), value.rem_euclid(step));
        // Half to even.
        below + i128::from(2 * rest > step || 2 * rest == step && below % 2 != 0)
    }
    let micros = nearest(i128::from(ns), 250) * 250;
    saturate(nearest(micros, 256) * 256)
}

#[cfg(test)]
mod tests {
    use crate::compat::torch::event::Kind;

    use super::*;

    #[test]
    fn ends_are_rounded_as_python_does() {
        // `int((ns / 1000) * 1000)` in Python.
        for (ns, wanted) in [
            (1_675_183_623_897_258_826, 1_675_183_623_897_258_752),
            (1_873_273_258_216_423_677, 1_873_273_258_216_423_680),
            (1_870_494_028_831_940_521, 1_870_494_028_831_940_608),
            (1_710_532_947_169_058_099, 1_710_532_947_169_058_048),
        ] {
            assert_eq!(rounded(ns), wanted);
        }
    }

    #[test]
    fn a_record_belongs_to_every_event_around_it() {
        let mut file = FileEvents::default();
        let at = |kind, thread, start, end| Event { kind, start, end, thread, ..Event::default() };
        file.events = vec![
            at(Kind::Operator, 0, 0, 100_000),
            at(Kind::Operator, 1, 50_000, 60_000),
            at(Kind::Device, 2, 0, 100_000),
        ];
        let at = |ts, bytes| Record { ts, thread: 0, bytes };
        file.records =
            vec![at(50_000, [8, 0]), at(60_000, [0, 16]), at(100_000, [-8, 0]), at(100_001, [1, 0])];
        attribute(&mut file, StrId::new(7), None);
        let memory: Vec<[i64; 2]> = file.events.iter().map(|event| event.memory).collect();
        assert_eq!(memory, [[0, 16], [8, 16], [0, 0], [1, 0]]);
        assert_eq!((file.events[3].name, file.events[3].start), (StrId::new(7), 100_001));
    }
}
