//! Writes folders of processes by hand, as the recorder leaves them: log, names, ranges, device records.

use std::path::{Path, PathBuf};

use proftui::capture::process::Process;
use proftui_wire::chunk::{self, RangeCounts, Tag};
use proftui_wire::device::record::Device;
use proftui_wire::device::{self, Header, Record};
use proftui_wire::log::{Entry, Event};
use proftui_wire::names;

/// Offset of the wall clock from the monotonic clock, ns.
pub const CLOCK_OFFSET: u64 = 1_795_318_657_582_218_000;

/// The folder of one captured process.
#[derive(Debug)]
pub struct Spool {
    pub folder: PathBuf,
    pub pid: u32,
    pub cycle: u32,
    names: Vec<Vec<u8>>,
    log: Vec<Entry>,
    records: Vec<u8>,
    /// Chunks of device records written so far.
    chunks: u32,
    /// Device records added so far.
    pub kept: u64,
}

impl Spool {
    /// The folder of a leading process, created in the run folder `run`.
    pub fn new(run: &Path, pid: u32) -> Self {
        let folder = run.join(format!("{pid}-5"));
        std::fs::create_dir(&folder).expect("a folder");
        let clock = Entry { time: 0, event: Event::Clock { wall: CLOCK_OFFSET } };
        let log = vec![clock];
        Self { folder, pid, cycle: 1, names: Vec::new(), log, records: Vec::new(), chunks: 0, kept: 0 }
    }

    /// The number of a name, from 1; the same one for the same text.
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

    /// Writes the ranges of a thread: kind, name's number, start and end in ns.
    pub fn ranges(&self, tid: u32, ranges: &[(u8, u32, u64, u64)]) {
        let mut bytes = vec![0; chunk::RECORDS + ranges.len() * chunk::RECORD];
        let header = chunk::Header { pid: self.pid, tid, cycle: self.cycle, index: 0 };
        bytes[..chunk::COUNTS].copy_from_slice(&header.bytes());
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        put(chunk::COUNTS, RangeCounts { records: ranges.len() as u64, open: 0 }.to_word());
        for (at, &(kind, name, start, end)) in ranges.iter().enumerate() {
            let at = chunk::RECORDS + at * chunk::RECORD;
            put(at, start);
            put(at + 8, end);
            put(at + 16, u64::from(Tag::new(kind, name).0));
        }
        std::fs::write(self.folder.join(format!("c{}.t{tid}.0", self.cycle)), bytes).expect("written");
    }

    /// Adds a device record; writes a chunk from 1 MiB on.
    pub fn put(&mut self, record: &Record) {
        self.records.extend(record.encode().to_vec());
        self.kept += 1;
        if self.records.len() > 1 << 20 {
            self.end_chunk();
        }
    }

    /// Writes the device records added since the last chunk as a chunk.
    pub fn end_chunk(&mut self) {
        let header = Header { pid: self.pid, cycle: self.cycle, index: self.chunks };
        let mut bytes = vec![0; device::RECORDS];
        bytes[..device::COMMITTED].copy_from_slice(&header.bytes());
        let committed = self.records.len() as u64;
        bytes[device::COMMITTED..device::COMMITTED + 8].copy_from_slice(&committed.to_le_bytes());
        bytes.append(&mut self.records);
        // Space at the chunk's end that was never written.
        bytes.extend([0; 100]);
        std::fs::write(self.folder.join(header.file()), bytes).expect("written");
        self.chunks += 1;
    }

    /// Writes log, names and remaining device records; returns the process as proftui reads it.
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

    /// Adds a device record with an H100's limits.
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
