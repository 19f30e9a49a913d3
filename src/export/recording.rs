//! What was recorded of processes, as it is written: ranges of threads, calls and work of devices, and what is known beside them.
//!
//! Both forms are those of Paddle's profiler, so that its readers and VisualDL's take them. Written thread by thread, event by event: a
//! recording may hold many millions. Must not know how it was recorded.
//!
//! - [`device`]: what devices did; [`occupancy`] how well launches fill them, [`join`] which call launched what
//! - [`details`]: what is told of operators beyond names and times; `supplement` the same in Paddle's words

pub mod details;
pub mod device;
pub mod join;
mod json;
pub mod occupancy;
mod protobuf;
mod supplement;

use std::cmp::Reverse;

use details::{Detail, Details};
use device::{Allocation, Call, Devices, Stall};

pub use json::write_json;
pub use protobuf::write_protobuf;

/// A range of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// ns since 1970.
    pub start: u64,
    /// ns since 1970.
    pub end: u64,
    /// Paddle's number of the event's type, or [`crate::model::nodetree::PYTHON_FUNCTION`].
    pub kind: u16,
    /// Its name, by its place among the recording's; of one with details what [`Details::add`] gave for it.
    pub name: u32,
    /// True for one that was still open when the recording ended.
    pub is_cut: bool,
}

/// A thread's ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Process.
    pub pid: u32,
    /// Thread, as the system numbers it.
    pub tid: u32,
    /// Its name; empty when not known.
    pub name: String,
    /// Sorted by start, the longer first.
    pub ranges: Vec<Range>,
    /// Calls of the runtime and the driver, sorted in the same way.
    pub calls: Vec<Call>,
    /// Waits for devices and what recording cost, sorted in the same way.
    pub stalls: Vec<Stall>,
    /// Memory taken and given back, by time.
    pub allocations: Vec<Allocation>,
}

impl Thread {
    /// Puts all that happened on it in order.
    pub fn sort(&mut self) {
        self.ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
        self.calls.sort_by_key(|call| (call.start, Reverse(call.end)));
        self.stalls.sort_by_key(|stall| (stall.start, Reverse(stall.end)));
        self.allocations.sort_by_key(|allocation| allocation.time);
    }

    /// The first thing that happened on it.
    fn first(&self) -> Option<u64> {
        let range = self.ranges.first().map(|range| range.start);
        let call = self.calls.first().map(|call| call.start);
        let stall = self.stalls.first().map(|stall| stall.start);
        let allocation = self.allocations.first().map(|allocation| allocation.time);
        [range, call, stall, allocation].into_iter().flatten().min()
    }
}

/// A recorded cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Which cycle, from 0.
    pub index: u32,
    /// Names of ranges.
    pub names: Vec<Vec<u8>>,
    /// What is told of some ranges beyond their names and times.
    pub details: Details,
    /// Threads.
    pub threads: Vec<Thread>,
    /// What devices did.
    pub devices: Devices,
    /// What else is known, by keys.
    pub facts: Vec<(String, String)>,
}

/// The version of Paddle's schema that is written.
const SCHEMA: &str = "1.0.2";

impl Recording {
    /// What relative times count from: the earliest start; 0 when there is nothing. Where there are memory events it is the earliest
    /// range's: VisualDL places them by the range that starts at 0, and takes no file without one.
    pub fn zero(&self) -> u64 {
        if self.threads.iter().any(|thread| !thread.allocations.is_empty()) {
            let ranges = self.threads.iter().filter_map(|thread| thread.ranges.first());
            if let Some(first) = ranges.map(|range| range.start).min() {
                return first;
            }
        }
        let threads = self.threads.iter().filter_map(Thread::first);
        threads.chain(self.devices.work.iter().map(|work| work.start)).min().unwrap_or(0)
    }

    /// A name by its place.
    fn name(&self, number: u32) -> &[u8] {
        self.names.get(self.details.name(number) as usize).map_or(b"", Vec::as_slice)
    }

    /// What is told of a range beyond its name and times, and its text.
    fn detail(&self, range: &Range) -> Option<(&Detail, &str)> {
        let detail = self.details.of(range.name)?;
        Some((detail, self.details.text(detail.text)))
    }

    /// What stands beside the events: the names of threads, by their numbers, and the facts.
    fn extra(&self) -> impl Iterator<Item = (String, &str)> {
        let threads = self.threads.iter().filter(|thread| !thread.name.is_empty());
        let names = threads.map(|thread| (thread.tid.to_string(), thread.name.as_str()));
        names.chain(self.facts.iter().map(|(key, value)| (key.clone(), value.as_str())))
    }
}
