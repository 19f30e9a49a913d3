//! What one recording holds: threads with their ranges and calls, device work, names, and facts.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::device::{Allocation, Call, Devices, Overhead, Sync};
use super::operator_details::{OperatorDetail, OperatorDetails};

/// The version of Paddle's schema that the JSON and the protobuf writer follow.
pub(super) const SCHEMA: &str = "1.0.2";

/// A range: a named interval on a thread, such as an operator, a step, or what the program marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
    /// The number of the event's kind, as [`crate::model::nodetree`] lists them.
    pub kind: u16,
    /// The range's name: an index into [`Recording::names`], or the value that [`OperatorDetails::add`]
    /// returned.
    pub name: u32,
    /// True for a range that was still open at its `end`.
    pub is_cut: bool,
    /// True for a range that had begun before the recording; its `start` is then the recording's beginning.
    pub has_begun_before: bool,
}

/// Everything that was recorded of one host thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Process id of the thread's process.
    pub pid: u32,
    /// Thread id, as the system numbers it.
    pub tid: u32,
    /// The thread's name; empty when not known.
    pub name: String,
    /// The thread's ranges; [`Thread::sort`] sorts them by start, then the longer first.
    pub ranges: Vec<Range>,
    /// CUDA calls that the thread made, sorted like `ranges`.
    pub calls: Vec<Call>,
    /// Synchronizations by the thread's calls, sorted like `ranges`; a main thread also has the ones of
    /// unknown calls.
    pub syncs: Vec<Sync>,
    /// Overheads of driver and CUPTI on the thread, sorted like `ranges`; a main thread also has the ones of
    /// unknown threads.
    pub overheads: Vec<Overhead>,
    /// Allocations, releases and operations on memory pools; a main thread also has the ones of unknown
    /// threads.
    pub allocations: Vec<Allocation>,
}

impl Thread {
    /// Sorts the ranges, calls, synchronizations and overheads by start, then the longer first, and the
    /// allocations by time.
    pub fn sort(&mut self) {
        self.ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
        self.calls.sort_by_key(|call| (call.start, Reverse(call.end)));
        self.syncs.sort_by_key(|sync| (sync.start, Reverse(sync.end)));
        self.overheads.sort_by_key(|overhead| (overhead.start, Reverse(overhead.end)));
        self.allocations.sort_by_key(|allocation| allocation.time);
    }

    /// The earliest time of anything on the thread, ns since 1970; `None` where the thread has nothing.
    /// Requires sorted lists.
    fn first(&self) -> Option<u64> {
        let range = self.ranges.first().map(|range| range.start);
        let call = self.calls.first().map(|call| call.start);
        let sync = self.syncs.first().map(|sync| sync.start);
        let overhead = self.overheads.first().map(|overhead| overhead.start);
        let allocation = self.allocations.first().map(|allocation| allocation.time);
        [range, call, sync, overhead, allocation].into_iter().flatten().min()
    }
}

/// What was recorded in one cycle of a leader and the processes that follow it; it is written as one trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Number of the cycle less 1, so from 0: Paddle's `span_index`.
    pub index: u32,
    /// Names of ranges, calls, device work and other events, which refer to them by index.
    pub names: Vec<Vec<u8>>,
    /// Arguments of ranges and memory events, and links of operators.
    pub details: OperatorDetails,
    /// The recorded threads, of all processes.
    pub threads: Vec<Thread>,
    /// Names of processes by process id; a process without a name has no entry.
    pub titles: HashMap<u32, String>,
    /// Device work, its streams and devices, and events of unified memory.
    pub devices: Devices,
    /// Facts about the run as keys and values, e.g. `proftui.steps`.
    pub facts: Vec<(String, String)>,
    /// What the script's profiler adds to the header of JSON in PyTorch's form, by key.
    pub metadata: Map<String, Value>,
}

impl Recording {
    /// The time that relative times count from, ns since 1970; 0 for an empty recording.
    pub fn zero(&self) -> u64 {
        // VisualDL assigns memory events to ranges relative to the range that starts at 0, and rejects a file
        // without one.
        if self.threads.iter().any(|thread| !thread.allocations.is_empty()) {
            let ranges = self.threads.iter().filter_map(|thread| thread.ranges.first());
            if let Some(first) = ranges.map(|range| range.start).min() {
                return first;
            }
        }
        self.first()
    }

    /// The earliest time of anything in the recording, ns since 1970; 0 for an empty one.
    pub(super) fn first(&self) -> u64 {
        let threads = self.threads.iter().filter_map(Thread::first);
        let unified = self.devices.unified.iter().map(|event| event.start);
        threads.chain(self.devices.work.iter().map(|work| work.start)).chain(unified).min().unwrap_or(0)
    }

    /// The text of an event's `name`; empty if its index is out of bounds.
    pub(super) fn name(&self, name: u32) -> &[u8] {
        self.names.get(self.details.name(name) as usize).map_or(b"", Vec::as_slice)
    }

    /// The details of a range, and the text of their arguments; `None` for a range without details.
    pub(super) fn detail(&self, range: &Range) -> Option<(&OperatorDetail, &str)> {
        let detail = self.details.of(range.name)?;
        Some((detail, self.details.text(detail.text)))
    }

    /// Entries of Paddle's `ExtraInfo`: names of threads by thread number, then the facts.
    pub(super) fn extra(&self) -> impl Iterator<Item = (String, &str)> {
        let threads = self.threads.iter().filter(|thread| !thread.name.is_empty());
        let names = threads.map(|thread| (thread.tid.to_string(), thread.name.as_str()));
        names.chain(self.facts.iter().map(|(key, value)| (key.clone(), value.as_str())))
    }
}
