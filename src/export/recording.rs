//! What was recorded of processes, as it is written: ranges of threads, and what is known beside them.
//!
//! Both forms are those of Paddle's profiler, so that its readers and VisualDL's take them. Written thread by thread, event by event: a
//! recording may hold many millions. Must not know how it was recorded.

mod json;
mod protobuf;

pub use json::write_json;
pub use protobuf::write_protobuf;

/// A range of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// ns since 1970.
    pub start: u64,
    /// ns since 1970.
    pub end: u64,
    /// Paddle's number of the event's type.
    pub kind: u8,
    /// Its name, by its place among the recording's.
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
}

impl Thread {
    /// Puts the ranges in order.
    pub fn sort(&mut self) {
        self.ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    }
}

/// A recorded cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Which cycle, from 0.
    pub index: u32,
    /// Names of ranges.
    pub names: Vec<Vec<u8>>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// What else is known, by keys.
    pub facts: Vec<(String, String)>,
}

/// The version of Paddle's schema that is written.
const SCHEMA: &str = "1.0.2";

impl Recording {
    /// The earliest start; 0 when there is nothing.
    pub fn zero(&self) -> u64 {
        self.threads
            .iter()
            .filter_map(|thread| thread.ranges.first())
            .map(|range| range.start)
            .min()
            .unwrap_or(0)
    }

    /// What stands beside the events: the names of threads, by their numbers, and the facts.
    fn extra(&self) -> impl Iterator<Item = (String, &str)> {
        let threads = self.threads.iter().filter(|thread| !thread.name.is_empty());
        let names = threads.map(|thread| (thread.tid.to_string(), thread.name.as_str()));
        names.chain(self.facts.iter().map(|(key, value)| (key.clone(), value.as_str())))
    }
}
