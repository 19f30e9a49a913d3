//! What two sides told stands once: our hooks and a framework's own profiler see the same script.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::export::recording::Range;
use crate::export::recording::operator_details::OperatorDetails;

use super::super::naming::Names;
use super::Threads;
use super::producer::{Producer, STEP, USER};
use super::read::Told;

/// Kinds that our hooks tell of a script that uses Paddle: loading, steps, phases, ranges with names.
const HOOKED: [u16; 6] = [1, STEP, 9, 10, 11, USER];

/// How far a range that our hooks told may reach out of the same one as a framework's profiler tells it, at most, ns: it was begun
/// and ended within that, but clocks differ.
const NEAR: u64 = 100_000;

/// Where things are put.
pub(super) struct Merge<'a> {
    pub names: &'a Names,
    pub details: &'a OperatorDetails,
    pub threads: &'a mut Threads,
}

impl Merge<'_> {
    /// Puts what a file tells on the threads of its process, which is the one with the place `of`.
    pub(super) fn put(&mut self, of: usize, producer: Producer, told: Told) {
        let mut by_thread: BTreeMap<u32, Vec<Range>> = BTreeMap::new();
        for (tid, range) in told.ranges {
            by_thread.entry(tid).or_default().push(range);
        }
        for (tid, mut ranges) in by_thread {
            let mut own = std::mem::take(&mut self.threads.entry((of, tid)).or_default().ranges);
            let kinds: HashSet<u16> = own.iter().map(|range| range.kind).collect();
            match producer {
                Producer::Paddle => {
                    ranges.retain(|range| !(HOOKED.contains(&range.kind) && kinds.contains(&range.kind)));
                }
                Producer::Kineto => {
                    ranges.retain(|range| range.kind != STEP || !kinds.contains(&STEP));
                    self.leave_out_doubles(&mut own, &mut ranges);
                }
            }
            own.append(&mut ranges);
            self.threads.entry((of, tid)).or_default().ranges = own;
        }
        for (tid, allocation) in told.allocations {
            self.threads.entry((of, tid)).or_default().allocations.push(allocation);
        }
    }

    fn name(&self, range: &Range) -> &[u8] {
        self.names.of(self.details.name(range.name))
    }

    /// Leaves out ranges of ours that the other side told, too: it knows more of them, but for the ends of those that it did not
    /// live to see.
    fn leave_out_doubles(&self, own: &mut Vec<Range>, told: &mut Vec<Range>) {
        let mut by_name: HashMap<&[u8], Vec<Range>> = HashMap::new();
        for range in own.iter().filter(|range| range.kind == USER) {
            by_name.entry(self.name(range)).or_default().push(*range);
        }
        by_name.values_mut().for_each(|ranges| ranges.sort_by_key(|range| range.start));
        let mut doubles: HashSet<(u64, u64, u32)> = HashSet::new();
        // The outer ones first: ours are found in the order in which they began.
        told.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        told.retain(|range| {
            let Some(known) = by_name.get_mut(self.name(range)).filter(|_| range.kind == USER) else {
                return true;
            };
            let from = known.partition_point(|known| known.start < range.start.saturating_sub(NEAR));
            let mut within = known[from..].iter().take_while(|known| known.start <= range.end + NEAR);
            let at = within.position(|known| range.is_cut || known.end <= range.end + NEAR);
            let Some(double) = at.map(|at| known.remove(from + at)) else { return true };
            if !range.is_cut {
                doubles.insert((double.start, double.end, double.name));
            }
            !range.is_cut
        });
        own.retain(|range| range.kind != USER || !doubles.contains(&(range.start, range.end, range.name)));
    }
}
