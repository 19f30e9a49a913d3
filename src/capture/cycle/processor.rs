//! Processor time of steps, and the memory of the process: records that stand among a thread's ranges and are
//! none.
//!
//! Must not know cycles, nor how the times are written to a trace.

use std::collections::BTreeMap;

use proftui_wire::chunk::Range;
use proftui_wire::kinds::{PROCESS, PROCESSOR};
use proftui_wire::processor::{ProcessorTime, of_pair};

/// True for the kinds of records of processor time and memory.
pub(crate) fn is_of(kind: u8) -> bool {
    matches!(kind, PROCESSOR | PROCESS)
}

/// Takes the records of processor time out of the ended ranges of a thread. Returns one time for each step
/// of which the records state both the thread's time and that of the other threads, in order of the steps'
/// numbers.
pub(crate) fn take(ranges: &mut Vec<Range>) -> Vec<ProcessorTime> {
    let (mut threads, mut processes) = (BTreeMap::new(), BTreeMap::new());
    ranges.retain(|range| {
        let of_kind = match range.tag.kind() {
            PROCESSOR => &mut threads,
            PROCESS => &mut processes,
            _ => return true,
        };
        of_kind.insert(range.number, of_pair(range.start));
        false
    });
    let nanos = |micros: u64| micros.saturating_mul(1000);
    let of_step = |(number, (on, ready)): (u32, (Option<u64>, Option<u64>))| {
        let &(others, peak) = processes.get(&number)?;
        Some(ProcessorTime {
            first: number.into(),
            last: number.into(),
            on: nanos(on?),
            ready: ready.map(nanos),
            others: nanos(others?),
            peak: peak.unwrap_or_default(),
        })
    };
    threads.into_iter().filter_map(of_step).collect()
}

#[cfg(test)]
mod tests {
    use proftui_wire::chunk::Tag;
    use proftui_wire::processor::pair;

    use super::*;

    #[test]
    fn records_of_processor_time_are_no_ranges() {
        let note = |kind: u8, number: u32, first, second| Range {
            start: pair(first, second),
            end: Some(100),
            tag: Tag::new(kind, 1),
            number,
        };
        let step = Range { start: 0, end: Some(100), tag: Tag::new(2, 1), number: 7 };
        let mut ranges = vec![
            step,
            note(PROCESSOR, 7, Some(60), Some(10)),
            note(PROCESS, 7, Some(5), Some(80)),
            note(PROCESSOR, 6, Some(4), None),
            note(PROCESS, 6, Some(0), None),
            // Without the time of one, a step has no sum.
            note(PROCESSOR, 8, Some(4), None),
            note(PROCESSOR, 9, None, Some(1)),
            note(PROCESS, 9, Some(5), Some(80)),
        ];
        let time = |number, on, ready, others, peak| ProcessorTime {
            first: number,
            last: number,
            on,
            ready,
            others,
            peak,
        };
        assert_eq!(take(&mut ranges), [time(6, 4000, None, 0, 0), time(7, 60_000, Some(10_000), 5000, 80)]);
        assert_eq!(ranges, [step]);
    }
}
