//! Processor time of steps, and the memory of the process: records that stand among a thread's ranges and are
//! none.
//!
//! Must not know cycles, nor how the times are written to a trace.

use std::collections::BTreeMap;

use proftui_wire::chunk::Range;
use proftui_wire::kinds::{ON_PROCESSOR, OTHERS, PEAK_MEMORY, READY};
use proftui_wire::processor::ProcessorTime;

/// True for the kinds of records of processor time and memory.
pub(crate) fn is_of(kind: u8) -> bool {
    matches!(kind, ON_PROCESSOR | READY | OTHERS | PEAK_MEMORY)
}

/// Takes the records of processor time out of the ended ranges of a thread. Returns one time for each step
/// that has any, in order of the steps' numbers.
pub(crate) fn take(ranges: &mut Vec<Range>) -> Vec<ProcessorTime> {
    let mut steps: BTreeMap<u32, ProcessorTime> = BTreeMap::new();
    ranges.retain(|range| {
        let kind = range.tag.kind();
        if !is_of(kind) {
            return true;
        }
        let length = range.end.unwrap_or(range.start).saturating_sub(range.start);
        let number = u64::from(range.number);
        let step = steps.entry(range.number).or_default();
        (step.first, step.last) = (number, number);
        match kind {
            ON_PROCESSOR => step.on = length,
            READY => step.ready = Some(length),
            OTHERS => step.others = length,
            _ => step.peak = length,
        }
        false
    });
    steps.into_values().collect()
}

#[cfg(test)]
mod tests {
    use proftui_wire::chunk::Tag;

    use super::*;

    #[test]
    fn records_of_processor_time_are_no_ranges() {
        let range = |kind: u8, number: u32, start: u64, end: u64| Range {
            start,
            end: Some(end),
            tag: Tag::new(kind, 1),
            number,
        };
        let step = range(2, 7, 0, 100);
        let mut ranges = vec![
            step,
            range(ON_PROCESSOR, 7, 40, 100),
            range(READY, 7, 90, 100),
            range(OTHERS, 7, 95, 100),
            range(PEAK_MEMORY, 7, 20, 100),
            range(ON_PROCESSOR, 6, 5, 9),
            range(OTHERS, 6, 9, 9),
        ];
        let times = take(&mut ranges);
        let time = |number, on, ready, others, peak| ProcessorTime {
            first: number,
            last: number,
            on,
            ready,
            others,
            peak,
        };
        assert_eq!(times, [time(6, 4, None, 0, 0), time(7, 60, Some(10), 5, 80)]);
        assert_eq!(ranges, [step]);
    }
}
