//! Merges the ranges of our hooks with those of a framework's own profiler, and removes those that both
//! recorded.

use std::collections::{BTreeMap, HashMap, HashSet};

use proftui_trace::export::recording::Range;
use proftui_trace::export::recording::operator_details::OperatorDetails;

use super::super::threads::Threads;
use super::producer::{Producer, STEP, USER};
use super::read::Content;
use crate::capture::process::name_table::NameTable;

/// Paddle's numbers of the kinds of ranges that are not taken from Paddle's file for a thread that has ranges
/// of the same kind already, usually from the hooks.
const HOOKED: [u16; 6] = [1, STEP, 9, 10, 11, USER];

/// Most ns by which a hook's range may begin before the same range of a framework's profiler or, unless that
/// is cut, end after it.
const CLOCK_DIFFERENCE: u64 = 100_000;

/// Adds the content of operator files to the threads of a cycle.
pub(super) struct Merge<'a> {
    /// The names of the cycle, by which ranges are compared.
    pub names: &'a NameTable,
    /// Details of ranges, by which the names of operators are found.
    pub details: &'a OperatorDetails,
    /// Threads of the cycle, with the hooks' ranges.
    pub threads: &'a mut Threads,
}

impl Merge<'_> {
    /// Adds the content of a file of `producer` to the threads of the process with index `process`, without
    /// most duplicates of the hooks' ranges.
    pub(super) fn add(&mut self, process: usize, producer: Producer, content: Content) {
        let mut by_thread: BTreeMap<u32, Vec<Range>> = BTreeMap::new();
        for (tid, range) in content.ranges {
            by_thread.entry(tid).or_default().push(range);
        }
        for (tid, mut ranges) in by_thread {
            let mut own = std::mem::take(&mut self.threads.entry((process, tid)).or_default().ranges);
            let kinds: HashSet<u16> = own.iter().map(|range| range.kind).collect();
            match producer {
                Producer::Paddle => {
                    ranges.retain(|range| !(HOOKED.contains(&range.kind) && kinds.contains(&range.kind)));
                }
                Producer::Kineto => {
                    ranges.retain(|range| range.kind != STEP || !kinds.contains(&STEP));
                    self.remove_duplicates(&mut own, &mut ranges);
                }
            }
            own.append(&mut ranges);
            self.threads.entry((process, tid)).or_default().ranges = own;
        }
        for (tid, allocation) in content.allocations {
            self.threads.entry((process, tid)).or_default().allocations.push(allocation);
        }
    }

    /// The text of a range's name, also of a range whose `name` refers to details.
    fn name(&self, range: &Range) -> &[u8] {
        self.names.of(self.details.name(range.name))
    }

    /// Removes one copy of each range of the script's that both the hooks (`own`) and the profiler (`others`)
    /// recorded: the profiler's if that is cut, else the hooks'. Sorts `others` by start.
    fn remove_duplicates(&self, own: &mut Vec<Range>, others: &mut Vec<Range>) {
        let mut by_name: HashMap<&[u8], Vec<Range>> = HashMap::new();
        for range in own.iter().filter(|range| range.kind == USER) {
            by_name.entry(self.name(range)).or_default().push(*range);
        }
        by_name.values_mut().for_each(|ranges| ranges.sort_by_key(|range| range.start));
        let mut duplicates: HashSet<(u64, u64, u32)> = HashSet::new();
        // Outer ranges first: ranges of the same name are then matched in the order of their starts.
        others.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        others.retain(|range| {
            let Some(known) = by_name.get_mut(self.name(range)).filter(|_| range.kind == USER) else {
                return true;
            };
            let from =
                known.partition_point(|known| known.start < range.start.saturating_sub(CLOCK_DIFFERENCE));
            let mut within =
                known[from..].iter().take_while(|known| known.start <= range.end + CLOCK_DIFFERENCE);
            let at = within.position(|known| range.is_cut || known.end <= range.end + CLOCK_DIFFERENCE);
            let Some(duplicate) = at.map(|at| known.remove(from + at)) else { return true };
            if !range.is_cut {
                duplicates.insert((duplicate.start, duplicate.end, duplicate.name));
            }
            !range.is_cut
        });
        own.retain(|range| range.kind != USER || !duplicates.contains(&(range.start, range.end, range.name)));
    }
}
