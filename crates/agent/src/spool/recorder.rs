//! A thread's chunks, one after the other, from cycle to cycle. Knows neither what opens a cycle nor where
//! files are.
//!
//! Each cycle begins with an empty stack, and the end of a range that began before the cycle is ignored. The
//! ranges of one owner nest, those of different owners may cross; what the numbers of owners mean is not
//! known here. Every range that began in a cycle is recorded, open, or counted as lost.

use std::cell::RefCell;

use proftui_wire::chunk::{FrameState, Header, LONGEST_CHUNK, RECORD, RECORDS, Tag};

use super::mapping::Mapping;
use super::writer::{Carried, Frame, Writer};
use crate::errno::keep;
use crate::live;
use crate::process::{self, FullFile};
use crate::tid::tid;

/// Length of a thread's first chunk in a cycle, bytes, except in a process that follows a leader.
const FIRST: usize = 64 << 10;
/// Length of a thread's first chunk in a cycle, bytes, in a process that follows a leader.
const FIRST_OF_CHILD: usize = 16 << 10;

/// The state of one thread's recording: its cycle and chunks.
struct Recorder {
    /// The cycle that the thread entered last and has not left; 0 for none.
    cycle: u64,
    /// The thread's latest chunk in `cycle`; `None` if the thread has none there.
    writer: Option<Writer>,
    /// The cycle that the thread left last; 0 for none.
    left: u64,
    /// How many chunks the thread made in `cycle`, or in `left` while `cycle` is 0.
    chunks: u32,
    /// True once the thread could not make a chunk in `cycle`, or in `left` while `cycle` is 0.
    is_full: bool,
    /// How many ranges of the cycle count as open but are not on the stack, since they were lost as they
    /// began.
    beyond: u64,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = const { RefCell::new(Recorder::new()) };
}

/// Begins a range on this thread in `cycle` at the time `now`, ns, or counts it as lost. `owner` is the
/// number of the source that reports the range.
#[inline]
pub(crate) fn begin(cycle: u64, owner: u8, tag: Tag, now: u64) {
    with(true, |recorder| {
        recorder.enter(cycle);
        let frame = Frame::new(now, tag, owner);
        let is_kept =
            recorder.beyond == 0 && recorder.writer.as_mut().is_some_and(|writer| writer.push(frame));
        if !is_kept {
            recorder.beyond += 1;
            recorder.lose();
        }
    });
}

/// Notes that the innermost range of `owner` on this thread ended at the time `now`, ns, in `cycle`. `number`
/// goes into the range's record (0 for most ranges).
#[inline]
pub(crate) fn end(cycle: u64, owner: u8, number: u32, now: u64) {
    with(false, |recorder| {
        if recorder.cycle != cycle {
            // The range began before the cycle.
        } else if recorder.beyond > 0 {
            recorder.beyond -= 1;
        } else {
            recorder.end(owner, number, now);
        }
    });
}

/// Records a range of this thread from `start` to `end`, ns, in `cycle`, or counts it as lost. The range may
/// cross others.
pub(crate) fn record(cycle: u64, tag: Tag, start: u64, end: u64) {
    record_numbered(cycle, tag, 0, start, end);
}

/// Records a range as [`record`] does, with the number that belongs to its name, such as a step's.
pub(crate) fn record_numbered(cycle: u64, tag: Tag, number: u32, start: u64, end: u64) {
    with(true, |recorder| {
        recorder.enter(cycle);
        match recorder.with_room() {
            Some(writer) => writer.record(Frame::new(start, tag, 0), number, end),
            None => recorder.lose(),
        }
    });
}

/// Writes a record of `cycle` that is no range, with both of its u64s, if there is room: it counts neither as
/// recorded nor as lost.
pub(crate) fn note(cycle: u64, tag: Tag, number: u32, (start, end): (u64, u64)) {
    with(false, |recorder| {
        recorder.enter(cycle);
        if let Some(writer) = recorder.with_room() {
            writer.note(Frame::new(start, tag, 0), number, end);
        }
    });
}

/// The tags of the open ranges that this thread records in `cycle`, innermost first.
pub(crate) fn open(cycle: u64) -> Vec<Tag> {
    let mut tags = Vec::new();
    with(false, |recorder| {
        if recorder.cycle == cycle
            && let Some(writer) = &recorder.writer
        {
            tags.extend(writer.open());
        }
    });
    tags
}

/// Has this thread leave the cycle that it still records, if any. To be called while no cycle is open.
#[inline]
pub(crate) fn leave_cycle() {
    with(false, |recorder| {
        if recorder.cycle != 0 {
            recorder.leave();
        }
    });
}

/// Forgets this thread's cycle and chunk in the child of a fork: the chunk stays the parent's.
pub(crate) fn abandon() {
    with(false, |recorder| {
        // The chunk is not unmapped: the child may have another mapping at that address by now.
        std::mem::forget(recorder.writer.take());
        recorder.leave();
        recorder.left = 0;
    });
}

/// Calls `body` with the thread's recorder; where the recorder cannot be used, counts a lost range if
/// `is_beginning`.
#[inline]
fn with(is_beginning: bool, body: impl FnOnce(&mut Recorder)) {
    let is_done =
        RECORDER.try_with(|recorder| recorder.try_borrow_mut().map(|mut recorder| body(&mut recorder)));
    if !matches!(is_done, Ok(Ok(()))) && is_beginning {
        live::count_lost();
    }
}

impl Recorder {
    const fn new() -> Self {
        Self { cycle: 0, writer: None, left: 0, chunks: 0, is_full: false, beyond: 0 }
    }

    /// Has this thread record `cycle`: unless it does so already, leaves the cycle before, if any, and makes
    /// a chunk, if possible.
    #[inline]
    fn enter(&mut self, cycle: u64) {
        if self.cycle != cycle {
            self.leave();
            if self.left != cycle {
                (self.chunks, self.is_full) = (0, false);
            }
            self.cycle = cycle;
            self.advance();
        }
    }

    /// Leaves the cycle, if the thread records one, and hands in its chunk.
    #[cold]
    fn leave(&mut self) {
        keep(|| {
            if let Some(writer) = self.writer.take() {
                hand_in(self.cycle, writer);
            }
        });
        if self.cycle != 0 {
            self.left = self.cycle;
        }
        (self.cycle, self.beyond) = (0, 0);
    }

    /// Ends the range that the owner began last, if the stack has one: writes its record, or counts it as
    /// lost.
    #[inline]
    fn end(&mut self, owner: u8, number: u32, now: u64) {
        let Some(writer) = self.writer.as_mut() else { return };
        let Some(range) = writer.find(owner) else { return };
        if writer.has_room() {
            return writer.pop(range, number, now);
        }
        let has_room = self.advance();
        let Some(writer) = self.writer.as_mut() else { return };
        match writer.find(owner) {
            Some(range) if has_room => writer.pop(range, number, now),
            Some(range) => writer.drop(range),
            None => {}
        }
    }

    /// The chunk, if it has space for a record; makes the next chunk if need be.
    #[inline]
    fn with_room(&mut self) -> Option<&mut Writer> {
        let has_room = self.writer.as_ref().is_some_and(Writer::has_room) || self.advance();
        self.writer.as_mut().filter(|_| has_room)
    }

    /// Makes the thread's next chunk, with the open ranges of the one before, which is handed in. False if no
    /// chunk can be made.
    #[cold]
    fn advance(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        let first = if process::is_child() { FIRST_OF_CHILD } else { FIRST };
        let wanted = LONGEST_CHUNK.min(first << self.chunks.min(8));
        let carried = self.writer.as_ref().map_or_else(Carried::default, Writer::carried);
        let make = || loop {
            let granted = process::reserve(self.cycle, wanted, first)?;
            let header =
                Header { pid: granted.pid, tid: tid(), cycle: self.cycle as u32, index: self.chunks };
            match Mapping::create(&granted.folder, &header.file(), granted.bytes) {
                Ok(mapping) => return Some(Writer::new(mapping, header, &carried)),
                Err(error) if process::fail_reservation(self.cycle, &granted, &error) => {}
                Err(_) => return None,
            }
        };
        let next = keep(make);
        self.is_full = next.is_none();
        let Some(next) = next else { return false };
        self.chunks += 1;
        keep(|| {
            if let Some(mut last) = self.writer.replace(next) {
                last.hand_over();
                hand_in(self.cycle, last);
            }
        });
        true
    }

    /// Counts a lost range in the header of the thread's chunk, or on the process's live page if there is no
    /// chunk.
    fn lose(&mut self) {
        match self.writer.as_mut() {
            Some(writer) => writer.lose(),
            None => live::count_lost(),
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // The thread ends.
        self.leave();
    }
}

/// Finishes a chunk: unmaps it, cuts its file to the used part, counts its ranges on the live page, and adds
/// the file to the process's ring, if there is one.
fn hand_in(cycle: u64, chunk: Writer) {
    let (file, ranges) = (chunk.file(), chunk.ranges());
    let (length, used) = (chunk.bytes() as u64, chunk.used() as u64);
    // Memory behind the end of a file must not be mapped.
    drop(chunk);
    let bytes = process::cut(cycle, &file, length, used);
    live::count_kept(ranges);
    process::add_full(|| FullFile::new(file, bytes, ranges));
}

const _: () = assert!(FIRST_OF_CHILD >= RECORDS + RECORD && LONGEST_CHUNK / RECORD <= FrameState::RECORDS);
