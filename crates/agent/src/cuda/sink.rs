//! Writes CUPTI's records to the process's device chunks: those of the cycle, and the descriptions of
//! devices, contexts and streams. Owns the capture interval. Must not know how CUPTI is set up, nor when
//! cycles begin and end.
//!
//! Buffers arrive on any thread; one at a time is read, the other threads wait. The thread that reads calls
//! CUPTI only for the next record of its buffer and for names of functions, neither of which blocks.

#![allow(unsafe_code, reason = "reads buffers that CUPTI wrote")]

use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proftui_wire::device::Record;
use proftui_wire::device::record::Encoded;
use proftui_wire::log::DeviceCounts as Counts;

use super::buffers;
use super::functions::{Functions, OK};
use super::interval::CaptureInterval;
use super::names::{NameCache, NameSource};
use super::records::{self, Class};
use crate::live;
use crate::lock::Lock;
use crate::spool::device::Chunks;

/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: the buffer has no further record.
const NO_MORE: u32 = 12;
/// How many descriptions (devices, contexts, streams, names) are kept at most, to be written again.
const DESCRIPTIONS: usize = 4096;

static SINK: Lock<Sink> = Lock::new(Sink::new());
/// Times of the cycle that is not closed yet, if any. No thread may wait for anything while it holds this
/// lock.
static INTERVAL: Lock<CaptureInterval> = Lock::new(CaptureInterval::NONE);
/// Number of records in buffers that could not be read because a lock could not be had; counted as lost in
/// the cycle that is closed next.
static MISSED: AtomicU64 = AtomicU64::new(0);
/// Number of threads that are delivering a buffer now.
static DELIVERING: AtomicU32 = AtomicU32::new(0);

/// How long [`close`] sleeps at a time while threads are delivering buffers.
const PAUSE: Duration = Duration::from_micros(100);

/// What buffers are read into: a cycle's chunks, descriptions, and counts of records.
struct Sink {
    chunks: Chunks,
    /// Number of the cycle to which the chunks belong; 0 for none.
    cycle: u64,
    names: NameCache,
    /// The descriptions that are to be written again, [`DESCRIPTIONS`] at most.
    descriptions: Vec<Encoded>,
    /// How many chunks the cycle had when all descriptions were written last.
    described: u32,
    /// Number of records of the cycle's device work that were read.
    work: u64,
    /// Number of records of device work, device events and events on the host that were read since the counts
    /// were reset last.
    delivered: u64,
    /// Number of records of device work that began outside the capture interval, since the counts were reset
    /// last.
    outside: u64,
    /// Number of records of kinds that are not decoded, since the counts were reset last.
    unknown: u64,
    /// True if the reading of a buffer broke off since a cycle was closed last.
    is_torn: bool,
}

/// CUPTI's functions and the settings with which a buffer is read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub cupti: &'a Functions,
    /// CUPTI's API version.
    pub version: u32,
    /// True if calls of all functions of the driver are kept.
    pub wants_driver: bool,
}

/// Begins the cycle `interval`: from now on its records are kept.
pub(super) fn open(interval: CaptureInterval) {
    if let Some(mut slot) = INTERVAL.take() {
        *slot = interval;
    }
}

/// Ends the cycle for events on the host, at `end`, ns, and returns true, or false if it had ended before.
/// `None` if the cycle is not the current one.
pub(super) fn end(cycle: u64, end: u64) -> Option<bool> {
    let mut interval = INTERVAL.take().filter(|interval| interval.cycle == cycle && cycle != 0)?;
    let is_first = interval.end == u64::MAX;
    interval.end = interval.end.min(end);
    Some(is_first)
}

/// Ends the cycle for device work, at `end`, ns; does nothing if the cycle is not the current one.
pub(super) fn end_devices(cycle: u64, end: u64) {
    if let Some(mut interval) = INTERVAL.take().filter(|interval| interval.cycle == cycle) {
        interval.device_end = end;
    }
}

/// Resets the counts of delivered, outside and unknown records.
pub(super) fn forget_counts() {
    if let Some(mut sink) = SINK.take() {
        (sink.delivered, sink.outside, sink.unknown) = (0, 0, 0);
    }
}

/// The number of the cycle that is not closed yet; 0 for none.
pub(super) fn open_cycle() -> u64 {
    INTERVAL.take().map_or(0, |interval| interval.cycle)
}

/// The times of cycle `cycle`; `None` if it is not the current one.
pub(super) fn interval(cycle: u64) -> Option<CaptureInterval> {
    INTERVAL.take().map(|interval| *interval).filter(|interval| interval.cycle == cycle)
}

/// Counts of a closed cycle.
pub(super) struct Taken {
    /// The counts that go to the process's log.
    pub counts: Counts,
    /// Number of records of the cycle's device work that were read.
    pub work: u64,
    /// Number of records of device work, device events and events on the host that were read, usually since
    /// the cycle before was closed.
    pub delivered: u64,
    /// True if the reading of a buffer broke off since the cycle before was closed.
    pub is_torn: bool,
}

/// Closes a cycle and returns its counts, after a wait until about `until` at most for threads that still
/// deliver buffers.
pub(super) fn close(cycle: u64, until: Instant) -> Taken {
    while DELIVERING.load(Ordering::Acquire) > 0 && Instant::now() < until {
        thread::sleep(PAUSE);
    }
    if let Some(mut interval) = INTERVAL.take().filter(|interval| interval.cycle == cycle) {
        *interval = CaptureInterval::NONE;
    }
    let missed = MISSED.swap(0, Ordering::Relaxed);
    let counts = Counts { cycle, lost: missed, refused: buffers::take_refused(), ..Counts::default() };
    let mut taken = Taken { counts, work: 0, delivered: 0, is_torn: false };
    if let Some(mut sink) = SINK.take() {
        if sink.cycle == cycle {
            let chunks = std::mem::replace(&mut sink.chunks, Chunks::new(0));
            sink.cycle = 0;
            (taken.counts.kept, taken.counts.lost) = (chunks.kept, chunks.lost + missed);
        }
        taken.counts.outside = std::mem::take(&mut sink.outside);
        taken.counts.unknown = std::mem::take(&mut sink.unknown);
        taken.work = std::mem::take(&mut sink.work);
        taken.delivered = std::mem::take(&mut sink.delivered);
        taken.is_torn = std::mem::take(&mut sink.is_torn);
    }
    taken
}

/// Reads a buffer that CUPTI delivers into the sink, or counts its records as missed.
///
/// # Safety
/// The buffer came from CUPTI, which has written `valid` bytes of it.
pub(super) unsafe fn take(reader: Reader<'_>, buffer: *mut u8, valid: usize) {
    DELIVERING.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller's promise.
    if !unsafe { deliver(reader, buffer, valid) } {
        // SAFETY: the caller's promise.
        let (count, _) = unsafe { each(reader.cupti, buffer, valid, |_| {}) };
        MISSED.fetch_add(count, Ordering::Relaxed);
    }
    DELIVERING.fetch_sub(1, Ordering::Release);
}

/// Reads a buffer's records into the sink; false, and nothing is read, if a lock could not be had.
///
/// # Safety
/// As for [`take`].
unsafe fn deliver(reader: Reader<'_>, buffer: *mut u8, valid: usize) -> bool {
    let Some(mut sink) = SINK.take() else { return false };
    // Read after the sink was locked: a cycle that was closed before that takes no further record.
    let Some(interval) = INTERVAL.take().map(|interval| *interval) else { return false };
    let sink = &mut *sink;
    sink.names.next_buffer();
    if sink.cycle != interval.cycle {
        sink.begin(interval.cycle);
    } else if sink.described != sink.chunks.count && live::is_ring() {
        sink.describe_all();
    }
    // SAFETY: the caller's promise.
    let (_, is_whole) =
        unsafe { each(reader.cupti, buffer, valid, |bytes| sink.record(reader, &interval, bytes)) };
    sink.is_torn |= !is_whole;
    true
}

/// Adds a description that does not come from CUPTI: a name that the program gave by NVTX.
pub(super) fn describe(description: &Record) {
    if let Some(mut sink) = SINK.take() {
        sink.describe(description);
    }
}

/// Calls `body` for each record, with the bytes from its beginning on. Returns the number of records, and
/// true if the buffer was read to its end.
///
/// # Safety
/// As for [`take`].
unsafe fn each(cupti: &Functions, buffer: *mut u8, valid: usize, mut body: impl FnMut(&[u8])) -> (u64, bool) {
    let (mut record, mut count, mut least) = (ptr::null_mut(), 0, 0);
    loop {
        // SAFETY: the buffer that CUPTI wrote, and a pointer of our own.
        match unsafe { cupti.next_record(buffer, valid, &raw mut record) } {
            OK => {}
            answer => return (count, answer == NO_MORE),
        }
        // A pointer beyond the buffer must not be read, and one that does not advance would make this loop
        // endless.
        let at = record.addr().wrapping_sub(buffer.addr());
        if record.is_null() || at >= valid || at < least {
            return (count, false);
        }
        (count, least) = (count + 1, at + 1);
        // SAFETY: within the buffer, which CUPTI has finished writing.
        body(unsafe { slice::from_raw_parts(record, valid - at) });
    }
}

impl Sink {
    const fn new() -> Self {
        Self {
            chunks: Chunks::new(0),
            cycle: 0,
            names: NameCache::new(),
            descriptions: Vec::new(),
            described: 0,
            work: 0,
            delivered: 0,
            outside: 0,
            unknown: 0,
            is_torn: false,
        }
    }

    /// Begins new chunks for cycle `cycle`, and writes the kept descriptions to them; for 0, no cycle, writes
    /// nothing.
    fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.chunks = Chunks::new(cycle);
        self.described = 0;
        if cycle != 0 {
            self.describe_all();
        }
    }

    /// Writes the kept descriptions to the current cycle's chunks.
    fn describe_all(&mut self) {
        self.descriptions.iter().for_each(|description| self.chunks.write(description.words(), 0));
        self.described = self.chunks.count;
    }

    /// Handles one record: usually writes it if it belongs to the cycle `interval`, and keeps it if it is a
    /// description.
    #[inline]
    fn record(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) {
        let class = records::classify(bytes);
        let is_timed = matches!(class, Class::DeviceWork(_) | Class::DeviceEvent(_) | Class::HostEvent(_));
        self.delivered += u64::from(is_timed);
        match class {
            Class::DeviceWork(start) if interval.has_work(interval.time(start)) => {
                self.work += 1;
                self.keep(reader, interval, bytes);
            }
            Class::DeviceEvent(start) if interval.has_work(interval.time(start)) => {
                self.keep(reader, interval, bytes);
            }
            // CUPTI does not know the start of it.
            Class::DeviceWork(0) | Class::DeviceEvent(0) if interval.cycle != 0 => self.chunks.lose(),
            Class::DeviceWork(_) => self.outside += 1,
            Class::HostEvent(start) if interval.has_call(interval.time(start)) => {
                self.keep(reader, interval, bytes);
            }
            Class::Untimed if interval.cycle != 0 => self.keep(reader, interval, bytes),
            // Outside the interval, as are the recorder's own calls at a cycle's end.
            Class::DeviceEvent(_) | Class::HostEvent(_) | Class::Untimed => {}
            Class::Description => {
                if let Some(description) = self.read(reader, interval, bytes) {
                    self.describe(&description);
                }
            }
            Class::Unknown => self.unknown += 1,
        }
    }

    /// Decodes a record and writes it to the cycle's chunks, unless it is a call that is not kept.
    #[inline]
    fn keep(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) {
        if let Some(record) = self.read(reader, interval, bytes) {
            self.chunks.write(record.encode().words(), record.end());
        }
    }

    /// Decodes a record; `None` for a call that is not kept and for an unknown kind.
    #[inline]
    fn read(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) -> Option<Record> {
        let Reader { cupti, version, wants_driver } = reader;
        let mut names = NameSource { cache: &mut self.names, cupti, wants_driver };
        records::read(bytes, version, interval, &mut names)
    }

    /// Adds a description unless it is known, for the current cycle and usually for later ones. A new name of
    /// an object replaces the earlier one.
    #[cold]
    fn describe(&mut self, record: &Record) {
        let description = record.encode();
        if self.descriptions.contains(&description) {
            return;
        }
        if let Record::Name(_) = record {
            // If an object is named more than once, the last name counts.
            self.descriptions.retain(|known| !is_name_of_same(known.words(), description.words()));
        }
        if self.cycle != 0 {
            self.chunks.write(description.words(), 0);
        }
        if self.descriptions.len() < DESCRIPTIONS {
            self.descriptions.push(description);
        }
    }
}

/// True if two encoded [`Record::Name`]s name the same object.
fn is_name_of_same(one: &[u64], other: &[u64]) -> bool {
    let ([first, object @ ..], [other_first, other_object @ ..]) = (one, other) else { return false };
    *first as u32 == *other_first as u32 && object == other_object
}

#[cfg(test)]
pub(super) mod tests;
