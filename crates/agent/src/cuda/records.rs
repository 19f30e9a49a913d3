//! What CUPTI writes. Its records grew at their ends only, from API 18 on, so each field is at one place in all versions; what
//! came later is read where the version has it.
//!
//! A record is read from the bytes from its beginning to the buffer's end: how long it is, only CUPTI knows.

use proftui_wire::device::Record;
use proftui_wire::device::record::{
    Api, Context, Device, Graph, Kernel, Memcpy, Memory, Memset, Name, Overhead, Stream, Sync,
};

use super::interval::CaptureInterval;

/// CUPTI's numbers of kinds.
pub mod kind {
    #![allow(missing_docs, reason = "CUPTI's own names")]
    pub const MEMCPY: u32 = 1;
    pub const MEMSET: u32 = 2;
    pub const KERNEL: u32 = 3;
    pub const DRIVER: u32 = 4;
    pub const RUNTIME: u32 = 5;
    pub const DEVICE: u32 = 8;
    pub const CONTEXT: u32 = 9;
    pub const CONCURRENT_KERNEL: u32 = 10;
    pub const NAME: u32 = 11;
    pub const OVERHEAD: u32 = 17;
    pub const MEMCPY2: u32 = 22;
    pub const STREAM: u32 = 37;
    pub const SYNCHRONIZATION: u32 = 38;
    pub const MEMORY2: u32 = 49;
    pub const GRAPH_TRACE: u32 = 51;
}

/// The first version whose overheads and contexts say more.
const WITH_CONTEXTS: u32 = 22;
/// The first version that says how many copies a record stands for.
const WITH_COPIES: u32 = 26;

/// What a record is about, before anything else of it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Something that a device did, and when it began, on CUPTI's clock.
    Work(u64),
    /// Something else that happened, and when.
    Event(u64),
    /// Something that there is.
    Thing,
    /// What is not known here.
    Unknown,
}

/// Where names come from: numbers of names in the process's list, 0 for none.
pub trait Names {
    /// The text at an address; 0 for no address.
    fn at(&mut self, address: u64) -> u32;
    /// A function's name; none for one that is not kept.
    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32>;
}

/// What a record is about.
#[inline]
pub fn about(bytes: &[u8]) -> About {
    let long = |at| u64_at(bytes, at);
    match u32_at(bytes, 0) {
        kind::KERNEL | kind::CONCURRENT_KERNEL | kind::MEMCPY | kind::MEMCPY2 | kind::MEMSET => {
            About::Work(long(16))
        }
        kind::GRAPH_TRACE => About::Work(long(8)),
        kind::RUNTIME | kind::DRIVER | kind::SYNCHRONIZATION => About::Event(long(8)),
        kind::OVERHEAD => About::Event(long(24)),
        kind::MEMORY2 => About::Event(long(32)),
        kind::DEVICE | kind::CONTEXT | kind::STREAM | kind::NAME => About::Thing,
        _ => About::Unknown,
    }
}

/// Reads a record; none for one that is not kept.
#[allow(clippy::too_many_lines, reason = "an arm a kind of record")]
#[inline]
pub fn read(
    bytes: &[u8],
    version: u32,
    interval: &CaptureInterval,
    texts: &mut impl Names,
) -> Option<Record> {
    let (number, long) = (|at| u32_at(bytes, at), |at| u64_at(bytes, at));
    let time = |at| interval.time(u64_at(bytes, at));
    Some(match number(0) {
        which @ (kind::RUNTIME | kind::DRIVER) => {
            let (is_driver, function) = (which == kind::DRIVER, number(4));
            Record::Api(Api {
                name: texts.function(is_driver, function)?,
                start: time(8),
                end: time(16),
                tid: number(28),
                correlation: number(32),
                returned: number(36),
                function: function | if is_driver { Api::DRIVER } else { 0 },
            })
        }
        kind::KERNEL | kind::CONCURRENT_KERNEL => Record::Kernel(Kernel {
            name: texts.at(long(104)),
            start: time(16),
            end: time(24),
            queued: time(120),
            submitted: time(128),
            device: number(40),
            context: number(44),
            stream: number(48),
            correlation: number(92),
            grid: [number(52), number(56), number(60)],
            block: [number(64), number(68), number(72)],
            static_shared: number(76),
            dynamic_shared: number(80),
            registers: u32::from(u16_at(bytes, 6)),
            local: number(84),
            graph_node: long(144),
            graph: number(156),
            channel: number(168),
        }),
        kind::MEMCPY => Record::Memcpy(Memcpy {
            kinds_and_flags: number(4),
            start: time(16),
            end: time(24),
            bytes: long(8),
            device: number(32),
            context: number(36),
            stream: number(40),
            correlation: number(44),
            graph_node: long(64),
            graph: number(72),
            channel: number(76),
            source: number(32),
            destination: number(32),
            copies: if version >= WITH_COPIES { long(88).max(1) } else { 1 },
        }),
        kind::MEMCPY2 => Record::Memcpy(Memcpy {
            kinds_and_flags: number(4),
            start: time(16),
            end: time(24),
            bytes: long(8),
            device: number(32),
            context: number(36),
            stream: number(40),
            correlation: number(60),
            graph_node: long(72),
            graph: number(80),
            channel: number(84),
            source: number(44),
            destination: number(52),
            copies: 1,
        }),
        kind::MEMSET => Record::Memset(Memset {
            kind_and_flags: u32::from(u16_at(bytes, 50)) | u32::from(u16_at(bytes, 48)) << 16,
            start: time(16),
            end: time(24),
            bytes: long(8),
            device: number(32),
            context: number(36),
            stream: number(40),
            correlation: number(44),
            graph_node: long(64),
            graph: number(72),
            value: number(4),
        }),
        kind::SYNCHRONIZATION => Record::Sync(Sync {
            kind: number(4),
            start: time(8),
            end: time(16),
            context: number(28),
            stream: number(32),
            event: number(36),
            correlation: number(24),
        }),
        kind::OVERHEAD => Record::Overhead(Overhead {
            kind: number(4),
            start: time(24),
            end: time(32),
            tid: if number(8) == THREAD { number(16) } else { 0 },
            correlation: if version >= WITH_CONTEXTS { number(40) } else { 0 },
        }),
        kind::MEMORY2 => Record::Memory(Memory {
            operation: number(4),
            time: time(32),
            address: long(16),
            bytes: long(24),
            device: number(52),
            context: number(56),
            stream: number(60),
            correlation: number(12),
            kind: number(8),
            is_async: number(72),
            name: texts.at(long(64)),
        }),
        kind::GRAPH_TRACE => Record::Graph(Graph {
            graph: number(28),
            start: time(8),
            end: time(16),
            device: number(24),
            context: number(32),
            stream: number(36),
            correlation: number(4),
        }),
        kind::DEVICE => Record::Device(device(bytes, texts)),
        kind::CONTEXT => Record::Context(Context {
            id: number(4),
            device: number(8),
            stream: u32::from(u16_at(bytes, 14)),
            parent: if version >= WITH_CONTEXTS { number(16) } else { 0 },
        }),
        kind::STREAM => Record::Stream(Stream {
            id: number(8),
            context: number(4),
            priority: number(12),
            flags: number(16),
            correlation: number(20),
        }),
        kind::NAME => Record::Name(Name {
            name: texts.at(long(24)),
            object: number(4),
            process_or_device: number(8),
            thread_or_context: number(12),
            stream: number(16),
        }),
        _ => return None,
    })
}

/// CUPTI's number of threads among the things that are named.
const THREAD: u32 = 2;

fn device(bytes: &[u8], texts: &mut impl Names) -> Device {
    let (number, long) = (|at| u32_at(bytes, at), |at| u64_at(bytes, at));
    let identity = |at| [at, at + 4, at + 8, at + 12].map(number);
    let is_mig = bytes.get(145).is_some_and(|&byte| byte != 0);
    // Parts of a device share its identity, and have one each beside it.
    let own = Some(identity(160)).filter(|own| is_mig && *own != [0; 4]);
    Device {
        id: number(112),
        name: texts.at(long(136)),
        processors: number(44),
        major: number(104),
        minor: number(108),
        warp: number(32),
        warps: number(52),
        blocks: number(56),
        registers: number(64),
        shared: number(60),
        block_threads: number(76),
        block_registers: number(68),
        block_shared: number(72),
        clock: number(36),
        cache: number(28),
        memory: long(16),
        bandwidth: long(8),
        uuid: own.unwrap_or_else(|| identity(120)),
        is_mig: u32::from(is_mig),
    }
}

#[inline]
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_ne_bytes)
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

#[inline]
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_ne_bytes)
}

#[cfg(test)]
mod layouts;
#[cfg(test)]
mod tests;
