//! What devices did in a cycle: the records of its processes, on one clock, each call on the thread that made it, work on streams.
//!
//! Must not know files of results, nor how records come to be.
//!
//! - [`chunks`] reads the files, [`enum_names`] has the names of CUPTI's enum values, [`streams`] numbers devices and streams
//! - `take` takes records as they come, `finish` puts together what came; [`facts`] is what a trace says of it

pub mod chunks;
pub mod enum_names;
pub mod facts;
mod finish;
pub mod streams;
mod take;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use proftui_wire::device::record::Memory;

use super::name_table::NameTable;
use super::process::Process;
use crate::export::recording::Thread;
use crate::export::recording::device::{Devices, Sync};
use facts::Counts;
use streams::StreamTable;

/// What was gathered so far. Until it is finished, times are the monotonic clock's.
#[derive(Debug, Default)]
pub struct DeviceCollector {
    /// What devices did.
    pub devices: Devices,
    /// What threads had to do with it, by process and thread.
    pub threads: BTreeMap<(usize, u32), Thread>,
    /// The last thing that happened, ns.
    pub last: u64,
    /// The files it was made of.
    pub files: Vec<PathBuf>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// What became of records.
    pub counts: Counts,
    streams: StreamTable,
    launches: HashMap<LaunchKey, u32>,
    waits: Vec<(usize, Sync)>,
    memory: Vec<(usize, Memory)>,
}

/// Launches that agree stand once for each stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LaunchKey {
    stream: u32,
    grid: [u32; 3],
    block: [u32; 3],
    static_shared: u32,
    dynamic_shared: u32,
    registers: u32,
    local: u32,
}

/// Reads the records of a cycle.
pub fn collect(processes: &[&Process], cycle: u64, names: &mut NameTable) -> DeviceCollector {
    let mut all = DeviceCollector::default();
    for (of, &process) in processes.iter().enumerate() {
        let read = chunks::read(process, cycle, |record| all.take(of, process, names, record));
        all.counts.add(&read, process, cycle);
        all.files.extend(read.files);
        all.faults.extend(read.faults);
    }
    all
}

impl DeviceCollector {
    /// How much there is: calls, waits, work, memory.
    pub fn events(&self) -> u64 {
        let of = |thread: &Thread| {
            thread.calls.len() + thread.syncs.len() + thread.overheads.len() + thread.allocations.len()
        };
        let pending = self.waits.len() + self.memory.len();
        (self.threads.values().map(of).sum::<usize>() + pending + self.devices.work.len()) as u64
    }
}
