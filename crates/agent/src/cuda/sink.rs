//! CUPTI's records into files: those of the cycle, and what is known of devices. Whoever brings a buffer waits for who is at it.
//!
//! Nobody who holds the sink waits for CUPTI; it is asked for the next record and for functions' names, which it answers at once.

#![allow(unsafe_code, reason = "buffers come from CUPTI")]

use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use proftui_wire::device::Record;
use proftui_wire::device::record::Encoded;
use proftui_wire::log::DeviceCounts as Counts;

use super::buffers;
use super::functions::{Functions, OK};
use super::interval::CaptureInterval;
use super::names::{NameCache, NameSource};
use super::records::{self, Class};
use crate::lock::Lock;
use crate::spool::device::Chunks;

/// What CUPTI answers where there is no further record.
const NO_MORE: u32 = 12;
/// Most things (devices, contexts, streams, names) that are told anew in every cycle.
const DESCRIPTIONS: usize = 4096;

static SINK: Lock<Sink> = Lock::new(Sink::new());
/// The cycle's time. Held by nobody who waits for anything.
static INTERVAL: Lock<CaptureInterval> = Lock::new(CaptureInterval::NONE);
/// Records of buffers that could not be taken.
static MISSED: AtomicU64 = AtomicU64::new(0);
/// Threads that bring a buffer.
static BRINGING: AtomicU32 = AtomicU32::new(0);

/// Between two looks at who brings buffers, and how many looks there are: two seconds.
const PAUSE: Duration = Duration::from_micros(100);
const PAUSES: u32 = 20_000;

/// What becomes of records.
struct Sink {
    chunks: Chunks,
    /// The cycle that the chunks are of.
    cycle: u64,
    known: NameCache,
    things: Vec<Encoded>,
    /// What devices did in the cycle, written or lost.
    work: u64,
    outside: u64,
    unknown: u64,
    /// True once a buffer could not be read to its end.
    is_torn: bool,
}

/// What a reader must know to read.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// CUPTI.
    pub cupti: &'a Functions,
    /// Its version.
    pub version: u32,
    /// All functions of the driver are kept.
    pub wants_driver: bool,
}

/// A cycle is recorded from here on.
pub fn open(interval: CaptureInterval) {
    if let Some(mut slot) = INTERVAL.take() {
        *slot = interval;
    }
}

/// The cycle ends then for the program; true where it had not ended before, none where another one is recorded, or none.
pub fn end(cycle: u64, end: u64) -> Option<bool> {
    let mut interval = INTERVAL.take().filter(|interval| interval.cycle == cycle && cycle != 0)?;
    let is_first = interval.end == u64::MAX;
    interval.end = interval.end.min(end);
    Some(is_first)
}

/// And then for devices.
pub fn end_devices(cycle: u64, end: u64) {
    if let Some(mut interval) = INTERVAL.take().filter(|interval| interval.cycle == cycle) {
        interval.device_end = end;
    }
}

/// What there was in a cycle.
pub struct Taken {
    /// What is told.
    pub counts: Counts,
    /// How much of it devices did.
    pub work: u64,
    /// True where buffers could not be read to their ends.
    pub is_torn: bool,
}

/// All there was of the cycle has come, or is being brought: CUPTI does not say that a flush waits for what another thread of its
/// own delivers meanwhile.
pub fn close(cycle: u64) -> Taken {
    let mut looks = 0..PAUSES;
    while BRINGING.load(Ordering::Acquire) > 0 && looks.next().is_some() {
        thread::sleep(PAUSE);
    }
    if let Some(mut interval) = INTERVAL.take().filter(|interval| interval.cycle == cycle) {
        *interval = CaptureInterval::NONE;
    }
    let missed = MISSED.swap(0, Ordering::Relaxed);
    let counts = Counts { cycle, lost: missed, refused: buffers::take_refused(), ..Counts::default() };
    let mut taken = Taken { counts, work: 0, is_torn: false };
    if let Some(mut sink) = SINK.take() {
        if sink.cycle == cycle {
            let chunks = std::mem::replace(&mut sink.chunks, Chunks::new(0));
            sink.cycle = 0;
            (taken.counts.kept, taken.counts.lost) = (chunks.kept, chunks.lost + missed);
        }
        taken.counts.outside = std::mem::take(&mut sink.outside);
        taken.counts.unknown = std::mem::take(&mut sink.unknown);
        taken.work = std::mem::take(&mut sink.work);
        taken.is_torn = std::mem::take(&mut sink.is_torn);
    }
    taken
}

/// Takes the records of a buffer.
///
/// # Safety
/// The buffer came from CUPTI, which has written so many bytes.
pub unsafe fn take(reader: Reader<'_>, buffer: *mut u8, valid: usize) {
    BRINGING.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller's promise.
    if !unsafe { bring(reader, buffer, valid) } {
        // SAFETY: the caller's promise.
        let (count, _) = unsafe { each(reader.cupti, buffer, valid, |_| {}) };
        MISSED.fetch_add(count, Ordering::Relaxed);
    }
    BRINGING.fetch_sub(1, Ordering::Release);
}

/// Keeps what belongs to the cycle; false where it cannot be had who keeps it.
///
/// # Safety
/// As for [`take`].
unsafe fn bring(reader: Reader<'_>, buffer: *mut u8, valid: usize) -> bool {
    let Some(mut sink) = SINK.take() else { return false };
    // Looked at with the sink in hand: a cycle that was closed before that takes nothing more.
    let Some(interval) = INTERVAL.take().map(|interval| *interval) else { return false };
    let sink = &mut *sink;
    sink.known.turn();
    if sink.cycle != interval.cycle {
        sink.begin(interval.cycle);
    }
    // SAFETY: the caller's promise.
    let (_, is_whole) =
        unsafe { each(reader.cupti, buffer, valid, |bytes| sink.record(reader, &interval, bytes)) };
    sink.is_torn |= !is_whole;
    true
}

/// Something that there is is told by others than CUPTI.
pub fn learn(thing: &Record) {
    if let Some(mut sink) = SINK.take() {
        sink.learn(thing);
    }
}

/// Calls a function with the bytes from each record on; returns how many there were, and whether these were all.
///
/// # Safety
/// As for [`take`].
unsafe fn each(cupti: &Functions, buffer: *mut u8, valid: usize, mut body: impl FnMut(&[u8])) -> (u64, bool) {
    let (mut record, mut count, mut least) = (ptr::null_mut(), 0, 0);
    loop {
        // SAFETY: CUPTI walks through what it wrote.
        match unsafe { cupti.next_record(buffer, valid, &raw mut record) } {
            OK => {}
            answer => return (count, answer == NO_MORE),
        }
        // What points elsewhere is not to be read, and what does not go on would never end.
        let at = record.addr().wrapping_sub(buffer.addr());
        if record.is_null() || at >= valid || at < least {
            return (count, false);
        }
        (count, least) = (count + 1, at + 1);
        // SAFETY: within the buffer, which nobody writes to any more.
        body(unsafe { slice::from_raw_parts(record, valid - at) });
    }
}

impl Sink {
    const fn new() -> Self {
        Self {
            chunks: Chunks::new(0),
            cycle: 0,
            known: NameCache::new(),
            things: Vec::new(),
            work: 0,
            outside: 0,
            unknown: 0,
            is_torn: false,
        }
    }

    /// Records are another cycle's from here on. What is known already comes first.
    fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.chunks = Chunks::new(cycle);
        if cycle != 0 {
            self.things.iter().for_each(|thing| self.chunks.write(thing.words()));
        }
    }

    #[inline]
    fn record(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) {
        match records::classify(bytes) {
            Class::DeviceWork(start) if interval.has_work(interval.time(start)) => {
                self.work += 1;
                self.keep(reader, interval, bytes);
            }
            // CUPTI could not tell its time.
            Class::DeviceWork(0) if interval.cycle != 0 => self.chunks.lose(),
            Class::DeviceWork(_) => self.outside += 1,
            Class::HostEvent(start) if interval.has_call(interval.time(start)) => {
                self.keep(reader, interval, bytes)
            }
            // Calls of our own at a cycle's end are among these.
            Class::HostEvent(_) => {}
            Class::Description => {
                if let Some(thing) = self.read(reader, interval, bytes) {
                    self.learn(&thing);
                }
            }
            Class::Unknown => self.unknown += 1,
        }
    }

    #[inline]
    fn keep(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) {
        if let Some(record) = self.read(reader, interval, bytes) {
            self.chunks.write(record.encode().words());
        }
    }

    #[inline]
    fn read(&mut self, reader: Reader<'_>, interval: &CaptureInterval, bytes: &[u8]) -> Option<Record> {
        let Reader { cupti, version, wants_driver } = reader;
        let mut texts = NameSource { known: &mut self.known, cupti, wants_driver };
        records::read(bytes, version, interval, &mut texts)
    }

    /// Something that there is, told now and in every cycle to come.
    #[cold]
    fn learn(&mut self, told: &Record) {
        let thing = told.encode();
        if self.things.contains(&thing) {
            return;
        }
        if let Record::Name(_) = told {
            // The last name of a thing holds.
            self.things.retain(|known| !is_name_of_same(known.words(), thing.words()));
        }
        if self.cycle != 0 {
            self.chunks.write(thing.words());
        }
        if self.things.len() < DESCRIPTIONS {
            self.things.push(thing);
        }
    }
}

/// True where all is the same but the name, which stands in the first word's upper half.
fn is_name_of_same(one: &[u64], other: &[u64]) -> bool {
    let ([first, rest @ ..], [other_first, other_rest @ ..]) = (one, other) else { return false };
    *first as u32 == *other_first as u32 && rest == other_rest
}

#[cfg(test)]
pub mod tests;
