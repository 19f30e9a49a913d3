//! For how long the thread that ends steps was on a processor in each step, and how much memory the process
//! has had: the header's entry [`KEY`] of a trace.
//!
//! An element of the entry is of one step, or of several that follow each other, and reads
//! `12:8500,200,40,5120` or `12-19:68000,1600,320,5120`: the step or steps, then for how long the thread was
//! on a processor, for how long it was ready to run and had none (`-` if unknown), for how long the process's
//! other threads were on processors, all ns, and the most memory of the process that was resident at a time
//! up to the end of the step, KiB. A blank follows each element but the last.

use std::fmt::Write;

/// The key of the header's entry.
pub const KEY: &str = "proftui.processor";

/// The most elements that are written.
const MOST: usize = 4096;
/// A number of a pair that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Processor time of a step, or of several steps that follow each other, ns; and the memory of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    /// Number of the first step.
    pub first: u64,
    /// Number of the last step.
    pub last: u64,
    /// For how long the thread that ends steps was on a processor.
    pub on: u64,
    /// For how long that thread was ready to run and had no processor; `None` if unknown.
    pub ready: Option<u64>,
    /// For how long the other threads of the process were on processors, summed.
    pub others: u64,
    /// The most memory of the process that was resident at a time so far, KiB; 0 if unknown.
    pub peak: u64,
}

impl ProcessorTime {
    /// The times of both, which follow each other.
    fn with(self, next: Self) -> Self {
        Self {
            first: self.first,
            last: next.last,
            on: self.on.saturating_add(next.on),
            ready: self.ready.zip(next.ready).map(|(one, other)| one.saturating_add(other)),
            others: self.others.saturating_add(next.others),
            peak: self.peak.max(next.peak),
        }
    }
}

/// Two numbers as one, as records of the kinds [`PROCESSOR`](crate::kinds::PROCESSOR) and
/// [`PROCESS`](crate::kinds::PROCESS) have them. A number that does not fit into 32 bits is written as
/// unknown.
pub fn pair(first: Option<u64>, second: Option<u64>) -> u64 {
    let [first, second] =
        [first, second].map(|number| number.and_then(|number| u32::try_from(number).ok()).unwrap_or(UNKNOWN));
    u64::from(first) << 32 | u64::from(second)
}

/// The numbers of a [`pair`]; `None` for one that is unknown.
pub fn of_pair(pair: u64) -> (Option<u64>, Option<u64>) {
    let known = |number: u64| (number != u64::from(UNKNOWN)).then_some(number);
    (known(pair >> 32), known(pair & u64::from(u32::MAX)))
}

/// Writes the entry of steps in the order of their numbers. Of very many steps, several that follow each
/// other become one element.
pub fn text(steps: &[ProcessorTime]) -> String {
    let mut found = String::new();
    for steps in steps.chunks(steps.len().div_ceil(MOST).max(1)) {
        // Steps in between that are not there would be part of the element.
        for steps in steps.chunk_by(|one, next| one.last.checked_add(1) == Some(next.first)) {
            let Some(ProcessorTime { first, last, on, ready, others, peak }) =
                steps.iter().copied().reduce(ProcessorTime::with)
            else {
                continue;
            };
            let blank = if found.is_empty() { "" } else { " " };
            let last = if last == first { String::new() } else { format!("-{last}") };
            let ready = ready.map_or_else(|| "-".to_owned(), |ready| ready.to_string());
            let _ = write!(found, "{blank}{first}{last}:{on},{ready},{others},{peak}");
        }
    }
    found
}

/// Reads an entry; elements that are not of this form are left out.
pub fn read(text: &str) -> Vec<ProcessorTime> {
    text.split(' ').filter_map(element).collect()
}

fn element(text: &str) -> Option<ProcessorTime> {
    let (steps, times) = text.split_once(':')?;
    let (first, last) = steps.split_once('-').unwrap_or((steps, steps));
    let mut times = times.split(',');
    let (on, ready, others, peak) = (times.next()?, times.next()?, times.next()?, times.next()?);
    let found = ProcessorTime {
        first: first.parse().ok()?,
        last: last.parse().ok()?,
        on: on.parse().ok()?,
        ready: if ready == "-" { None } else { Some(ready.parse().ok()?) },
        others: others.parse().ok()?,
        peak: peak.parse().ok()?,
    };
    (found.first <= found.last && times.next().is_none()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64, ready: Option<u64>) -> ProcessorTime {
        ProcessorTime { first: number, last: number, on: 10 * number, ready, others: 1, peak: 5 + number }
    }

    #[test]
    fn what_is_written_is_read() {
        let steps = [step(3, Some(7)), step(4, None), step(9, Some(0))];
        assert_eq!(text(&steps), "3:30,7,1,8 4:40,-,1,9 9:90,0,1,14");
        assert_eq!(read(&text(&steps)), steps);
        assert_eq!(text(&[]), "");
        for broken in
            ["", "3", "3:1", "3:1,2,3", "3:1,2,3,4,5", "a:1,2,3,4", "3:1,a,3,4", "4-3:1,2,3,4", "3:-1,2,3,4"]
        {
            assert_eq!(read(broken), [], "{broken}");
        }
    }

    #[test]
    fn numbers_of_a_pair_that_do_not_fit_are_unknown() {
        for numbers in [(Some(0), Some(7)), (Some(u64::from(UNKNOWN) - 1), None), (None, None)] {
            assert_eq!(of_pair(pair(numbers.0, numbers.1)), numbers);
        }
        assert_eq!(of_pair(pair(Some(UNKNOWN.into()), Some(1 << 40))), (None, None));
    }

    #[test]
    fn an_entry_has_a_bound() {
        let mut steps: Vec<ProcessorTime> = (0..20_000).map(|number| step(number, Some(2))).collect();
        steps.remove(7);
        let found = read(&text(&steps));
        assert!(found.len() <= MOST + 1, "{}", found.len());
        let sum = |steps: &[ProcessorTime]| -> (u64, Option<u64>) {
            (steps.iter().map(|step| step.on).sum(), steps.iter().map(|step| step.ready).sum())
        };
        assert_eq!(sum(&found), sum(&steps));
        assert!(!found.iter().any(|step| (step.first..=step.last).contains(&7)));
    }
}
