//! Folders of processes, written by hand as the recorder leaves them: log, names, ranges, records of devices.

use std::path::{Path, PathBuf};

use proftui::capture::process::Process;
use proftui_wire::chunk::{self, Extent, Tag};
use proftui_wire::device::record::{
    Api, Context, Device, Graph, Kernel, Memcpy, Memory, Memset, Name, Overhead, Stream, Synchronization,
};
use proftui_wire::device::{self, Header, Record};
use proftui_wire::log::{self, Entry, Event};
use proftui_wire::names;

/// The wall clock's lead over the monotonic one.
pub const LEAD: u64 = 1_795_318_657_582_218_000;

/// A process.
#[derive(Debug)]
pub struct Spool {
    pub folder: PathBuf,
    pub pid: u32,
    pub cycle: u32,
    names: Vec<Vec<u8>>,
    log: Vec<Entry>,
    records: Vec<u8>,
    /// Chunks that were written.
    chunks: u32,
    /// Records that were put.
    pub kept: u64,
}

impl Spool {
    /// A process that leads, in a folder of its own below `place`.
    pub fn new(place: &Path, pid: u32) -> Self {
        let folder = place.join(format!("{pid}-5"));
        std::fs::create_dir(&folder).expect("a folder");
        let clock = Entry { time: 0, event: Event::Clock { wall: LEAD } };
        let log = vec![clock];
        Self { folder, pid, cycle: 1, names: Vec::new(), log, records: Vec::new(), chunks: 0, kept: 0 }
    }

    /// A name's number.
    pub fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.names.iter().position(|known| known == name.as_bytes()) {
            return known as u32 + 1;
        }
        self.names.push(name.into());
        self.names.len() as u32
    }

    pub fn log(&mut self, time: u64, event: Event) {
        self.log.push(Entry { time, event });
    }

    /// Ranges of a thread: kind, name, from, to.
    pub fn ranges(&self, tid: u32, ranges: &[(u8, u32, u64, u64)]) {
        let mut bytes = vec![0; chunk::RECORDS + ranges.len() * chunk::RECORD];
        let header = chunk::Header { pid: self.pid, tid, cycle: self.cycle, index: 0 };
        bytes[..chunk::EXTENT].copy_from_slice(&header.bytes());
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        put(chunk::EXTENT, Extent { records: ranges.len() as u64, open: 0 }.word());
        for (at, &(kind, name, start, end)) in ranges.iter().enumerate() {
            let at = chunk::RECORDS + at * chunk::RECORD;
            put(at, start);
            put(at + 8, end);
            put(at + 16, u64::from(Tag::new(kind, name).0));
        }
        std::fs::write(self.folder.join(format!("c{}.t{tid}.0", self.cycle)), bytes).expect("written");
    }

    /// Adds a record of devices.
    pub fn put(&mut self, record: &Record) {
        self.records.extend(record.bytes().to_vec());
        self.kept += 1;
        if self.records.len() > 1 << 20 {
            self.end_chunk();
        }
    }

    /// Writes the records so far as a chunk.
    pub fn end_chunk(&mut self) {
        let header = Header { pid: self.pid, cycle: self.cycle, index: self.chunks };
        let mut bytes = vec![0; device::RECORDS];
        bytes[..device::COMMITTED].copy_from_slice(&header.bytes());
        let committed = self.records.len() as u64;
        bytes[device::COMMITTED..device::COMMITTED + 8].copy_from_slice(&committed.to_le_bytes());
        bytes.append(&mut self.records);
        // Room that was not used.
        bytes.extend([0; 100]);
        std::fs::write(self.folder.join(header.file()), bytes).expect("written");
        self.chunks += 1;
    }

    /// Writes the rest; the process as proftui sees it.
    pub fn finish(&mut self) -> Process {
        if !self.records.is_empty() {
            self.end_chunk();
        }
        let log: Vec<u8> = self.log.iter().flat_map(Entry::bytes).collect();
        std::fs::write(self.folder.join("log"), log).expect("written");
        let names: Vec<u8> = self.names.iter().flat_map(|name| names::bytes(name)).collect();
        std::fs::write(self.folder.join("names"), names).expect("written");
        let mut process = Process::of(&self.folder).expect("a process's folder");
        process.look().expect("read");
        process
    }

    /// An H100's limits.
    pub fn device(&mut self, id: u32, uuid: u32) {
        let name = self.name("NVIDIA H100");
        self.put(&Record::Device(Device {
            id,
            name,
            processors: 132,
            major: 9,
            minor: 0,
            warp: 32,
            warps: 64,
            blocks: 32,
            registers: 65536,
            shared: 233_472,
            block_threads: 1024,
            block_registers: 65536,
            block_shared: 49152,
            memory: 80 << 30,
            bandwidth: 3_352_320_000,
            uuid: [uuid; 4],
            ..Device::default()
        }));
    }
}

/// What [`training`] put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Put {
    pub calls: usize,
    pub kernels: usize,
    pub copies: usize,
    pub fills: usize,
    pub stalls: usize,
    pub memory: usize,
    /// Pieces of work without a launch.
    pub orphans: usize,
    /// Launches without work.
    pub idle: usize,
}

/// Four threads that launch about so many kernels on three streams, a graph, copies both ways, a fill, waits, memory.
pub fn training(spool: &mut Spool, kernels: usize) -> Put {
    let mut put = Put::default();
    let step = spool.name("ProfileStep#0");
    let forward = spool.name("Net");
    let [launch, driver, graph, copy, set, sync, malloc] = [
        "cudaLaunchKernel",
        "cuLaunchKernel",
        "cudaGraphLaunch",
        "cudaMemcpyAsync",
        "cudaMemsetAsync",
        "cudaStreamSynchronize",
        "cudaMalloc",
    ]
    .map(|name| spool.name(name));
    let names: Vec<u32> =
        (0..20).map(|n| spool.name(&format!("_Z{}gemm_{n}IfEvPT_i", 5 + n.to_string().len()))).collect();
    let end = 20_000 + 2_000 * kernels as u64;
    spool.ranges(spool.pid, &[(2, step, 1_000, end), (9, forward, 2_000, end - 1_000)]);
    let mut correlation = 0;
    let mut call = |spool: &mut Spool, tid: u32, name: u32, start: u64, len: u64| {
        correlation += 1;
        let api = Api { name, start, end: start + len, tid, correlation, function: 211, returned: 0 };
        spool.put(&Record::Api(api));
        correlation
    };
    let stream = |at: usize| 7 + 6 * (at % 3) as u32;
    for at in 0..kernels {
        let start = 3_000 + 2_000 * at as u64;
        let tid = spool.pid + (at % 4) as u32;
        let name = if at % 10 == 3 { driver } else { launch };
        let correlation = call(spool, tid, name, start, 900);
        put.calls += 1;
        put.kernels += 1;
        spool.put(&Record::Kernel(Kernel {
            name: names[at % names.len()],
            start: start + 1_500,
            end: start + 1_500 + 1_800,
            stream: stream(at),
            context: 1,
            correlation,
            grid: [264, 1, 1],
            block: [256, 1, 1],
            registers: 128,
            dynamic_shared: 1024,
            ..Kernel::default()
        }));
    }
    let pid = spool.pid;
    let at = end - 15_000;
    let started = call(spool, pid, graph, at, 500);
    for node in 1..=5_u32 {
        let start = at + 600 + 100 * u64::from(node);
        spool.put(&Record::Kernel(Kernel {
            name: names[0],
            start,
            end: start + 90,
            stream: 13,
            context: 1,
            correlation: started,
            graph: 3,
            graph_node: 0x3_0000_0000 + u64::from(node),
            grid: [1, 1, 1],
            block: [32, 1, 1],
            ..Kernel::default()
        }));
        put.kernels += 1;
    }
    for (at, how) in [(at + 2_000, 0x0100_0301_u32), (at + 3_000, 0x0002_0302)] {
        let correlation = call(spool, pid, copy, at, 300);
        let (start, end) = (at + 400, at + 900);
        let copied = Memcpy {
            how,
            start,
            end,
            bytes: 1 << 20,
            stream: 7,
            context: 1,
            correlation,
            copies: 1,
            ..Default::default()
        };
        spool.put(&Record::Memcpy(copied));
        put.copies += 1;
    }
    let correlation = call(spool, pid, set, at + 4_000, 300);
    let (start, end) = (at + 4_400, at + 4_500);
    spool.put(&Record::Memset(Memset {
        how: 3,
        start,
        end,
        bytes: 4096,
        value: 7,
        stream: 19,
        context: 1,
        correlation,
        ..Memset::default()
    }));
    put.fills += 1;
    let waited = call(spool, pid, sync, at + 5_000, 800);
    spool.put(&Record::Synchronization(Synchronization {
        how: 3,
        start: at + 5_100,
        end: at + 5_700,
        context: 1,
        stream: 7,
        event: u32::MAX,
        correlation: waited,
    }));
    spool.put(&Record::Overhead(Overhead {
        how: 0x1_0000,
        start: at + 6_000,
        end: at + 6_100,
        tid: pid,
        ..Default::default()
    }));
    put.stalls += 2;
    let allocated = call(spool, pid + 1, malloc, at + 7_000, 400);
    for (how, time) in [(1, at + 7_200), (2, at + 7_900)] {
        spool.put(&Record::Memory(Memory {
            how,
            time,
            address: 0x7f00_0000_0000,
            bytes: 1 << 21,
            context: 1,
            correlation: allocated,
            memory: 3,
            ..Memory::default()
        }));
        put.memory += 1;
    }
    put.calls += 6;
    // Captured into a graph, and launched before the recording began.
    call(spool, pid, launch, at + 8_000, 100);
    put.calls += 1;
    put.idle += 1;
    spool.put(&Record::Graph(Graph {
        graph: 9,
        start: at + 8_500,
        end: at + 8_800,
        stream: 13,
        context: 1,
        correlation: 900_000_000,
        device: 0,
    }));
    put.kernels += 1;
    put.orphans += 1;
    let high =
        Stream { id: 13, context: 1, priority: (-5_i32).cast_unsigned(), flags: 2, ..Stream::default() };
    spool.put(&Record::Stream(high));
    spool.put(&Record::Context(Context { id: 1, device: 0, stream: 7, parent: 0 }));
    let name = spool.name("copies");
    spool.put(&Record::Name(Name { name, of: 5, owner: 0, part: 1, stream: 19 }));
    spool.device(0, 0x0102_0304);
    let counts = log::Device { cycle: 1, kept: spool.kept, dropped: 3, outside: 2, ..log::Device::default() };
    spool.log(end, Event::Device(counts));
    put
}
