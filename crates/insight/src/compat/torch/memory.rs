//! Assigns memory events to host events: each counts for every host event during which it occurred, both ends
//! included, on any thread; those outside of all host events become events of their own.

use proftui_base::intern::StrId;

use super::event::{Event, FileEvents, Record};

/// Moves the bytes of the file's memory events to [`Event::memory`] of every host event during which they
/// occurred. Memory events outside of all host events become events called `name`.
pub(super) fn attribute(file: &mut FileEvents, name: StrId) {
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
        let from = records.partition_point(|record| record.ts < event.start);
        let to = records.partition_point(|record| record.ts <= event.end).max(from);
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

#[cfg(test)]
mod tests {
    use crate::compat::torch::event::Kind;

    use super::*;

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
        attribute(&mut file, StrId::new(7));
        let memory: Vec<[i64; 2]> = file.events.iter().map(|event| event.memory).collect();
        assert_eq!(memory, [[0, 16], [8, 16], [0, 0], [1, 0]]);
        assert_eq!((file.events[3].name, file.events[3].start), (StrId::new(7), 100_001));
    }
}
