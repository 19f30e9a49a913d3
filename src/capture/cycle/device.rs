//! Collects the device records of a cycle from all its processes: CUDA calls on the calling threads, device
//! work on streams, all on one clock. Must not know the files of traces, nor how records are made.
//!
//! A piece of device work takes 72 bytes; values that many share (a launch configuration, a stream) are
//! stored once. Times stay on the monotonic clock until the end of the cycle is known, since the wall clock's
//! offset is taken at that time.
//!
//! - [`chunks`] reads the files of records
//! - `take` adds each record to the collector, `finish` completes the collection once all records are read
//! - [`streams`] numbers devices and streams, [`enum_names`] has the names of CUPTI's enum values
//! - `graph_names`: the operators and ranges of work that CUDA graphs launch
//! - `seldom`: graphs that the device launches, functions of graphs on the host, memory pools
//! - `unified`: events of unified memory
//! - [`facts`]: counts of the records, and the facts about them in a trace

pub mod chunks;
pub mod enum_names;
pub mod facts;
mod finish;
mod graph_names;
mod seldom;
pub mod streams;
mod take;
mod unified;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use proftui_wire::device::record::{Event, HostNode, Memory, Pool, Unified};

use crate::capture::process::Process;
use crate::capture::process::name_table::NameTable;
use facts::Counts;
use graph_names::GraphNames;
use proftui_trace::export::recording::Thread;
use proftui_trace::export::recording::device::{Devices, Sync};
use streams::StreamTable;

/// The device records of a cycle. Most times are ns of the monotonic clock until [`DeviceCollector::finish`]
/// converts them to ns since 1970.
///
/// Processes are numbered by their index in the slice given to [`collect`].
#[derive(Debug, Default)]
pub struct DeviceCollector {
    /// Device work with its details; [`DeviceCollector::finish`] adds devices and streams.
    pub devices: Devices,
    /// What threads did, such as calls, by the index of the process and the thread's id.
    pub threads: BTreeMap<(usize, u32), Thread>,
    /// Latest time that a record states, ns of the monotonic clock, also after [`DeviceCollector::finish`];
    /// 0 if no record states a time.
    pub last: u64,
    /// The files of device records, also those that could not be read.
    pub files: Vec<PathBuf>,
    /// Messages about files that could not be read, or only in part.
    pub faults: Vec<String>,
    /// Counts of what the device records lack, by cause.
    pub counts: Counts,
    streams: StreamTable,
    /// Number of each described device in the recording, by the index of the process and the device's id in
    /// that process; empty before [`DeviceCollector::finish`].
    pub numbers: HashMap<(usize, u32), u32>,
    /// Index in `devices.launch_configs` of each launch configuration so far.
    config_indices: HashMap<LaunchKey, u32>,
    /// The nodes of CUDA graphs, by the index of their process.
    graph_names: HashMap<usize, GraphNames>,
    /// Synchronizations with their processes' indices, until `finish` assigns them to threads.
    waits: Vec<(usize, Sync)>,
    /// Records of CUDA events with their processes' indices, until `finish` finds what was waited for.
    events: Vec<(usize, Event)>,
    /// Memory records with their processes' indices, until `finish` assigns them to threads.
    memory: Vec<(usize, Memory)>,
    /// Events of unified memory with their processes' indices and the indices of their names, until `finish`
    /// converts them.
    unified: Vec<(usize, u32, Unified)>,
    /// Operations on memory pools with their processes' indices and thread ids (0 before `finish`), until
    /// [`DeviceCollector::attach`].
    pools: Vec<(usize, u32, Pool)>,
    /// Executions of functions of CUDA graphs on the host, with their processes' indices, until
    /// [`DeviceCollector::attach`].
    host_nodes: Vec<(usize, HostNode)>,
}

/// Key of a launch configuration: kernels on one stream with all these values equal share one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LaunchKey {
    stream: u32,
    grid: [u32; 3],
    block: [u32; 3],
    static_shared: u32,
    dynamic_shared: u32,
    registers: u32,
    local: u32,
    /// How the kernel was launched, by the number in its record.
    how: u32,
}

/// Reads the device records of cycle number `cycle` from the files of its processes, the leader first, unless
/// the leader leaves them out; adds the names of the collected events to `names`.
pub fn collect(processes: &[&Process], cycle: u64, names: &mut NameTable) -> DeviceCollector {
    let mut all = DeviceCollector::default();
    // The other processes do not know what the leader's profiler asks for.
    let is_left_out = processes.first().is_some_and(|leader| leader.leaves_out_gpu(cycle));
    for (of, &process) in processes.iter().enumerate() {
        let read = chunks::read(process, cycle, |record| {
            if !is_left_out {
                all.take(of, process, names, record);
            }
        });
        if !is_left_out {
            all.counts.add(&read, process, cycle);
        }
        all.files.extend(read.files);
        all.faults.extend(read.faults);
    }
    all
}

impl DeviceCollector {
    /// Number of collected events, such as calls, allocations and device work; the ranges of threads do not
    /// count.
    pub fn events(&self) -> u64 {
        let of = |thread: &Thread| {
            thread.calls.len() + thread.syncs.len() + thread.overheads.len() + thread.allocations.len()
        };
        let pending = self.waits.len() + self.memory.len() + self.unified.len();
        let seldom = self.pools.len() + self.host_nodes.len() + self.devices.unified.len();
        (self.threads.values().map(of).sum::<usize>() + pending + seldom + self.devices.work.len()) as u64
    }
}
