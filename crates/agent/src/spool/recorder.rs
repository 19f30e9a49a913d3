//! A thread's chunks, one after the other, from cycle to cycle. Knows neither what opens a cycle nor where files stand.
//!
//! What began before a cycle does not end in it: each cycle begins with an empty stack, so ends without a beginning are passed
//! over. Ranges have owners (numbers, which mean nothing here): those of one nest, those of several may cross. Every range that began in a cycle is kept, open, or counted as lost.

use std::cell::RefCell;

use proftui_wire::chunk::{FrameState, Header, RECORD, RECORDS, Tag};

use super::mapping::Mapping;
use super::writer::{Frame, Rest, Writer};
use crate::errno::keep;
use crate::process;

/// Bytes of a thread's first chunk in a cycle; each further one is twice as long.
const FIRST: usize = 64 << 10;
/// Bytes of the longest chunk.
const LONGEST: usize = 4 << 20;

/// What a thread records.
struct Recorder {
    /// The cycle that the rest is about; 0 before the first.
    cycle: u64,
    /// The chunk that is being filled. None where none can be had.
    writer: Option<Writer>,
    /// The cycle that was left last, which may go on: what follows is true of it until another one begins.
    left: u64,
    /// Chunks taken in the cycle.
    chunks: u32,
    /// True once no further chunk can be had in the cycle.
    is_full: bool,
    /// Open ranges above those of the stack: lost, and counted, when they began.
    beyond: u64,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = const { RefCell::new(Recorder::new()) };
}

/// A range begins.
#[inline]
pub fn begin(cycle: u64, owner: u8, tag: Tag, now: u64) {
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

/// The range that its owner began last ends.
#[inline]
pub fn end(cycle: u64, owner: u8, now: u64) {
    with(false, |recorder| {
        if recorder.cycle != cycle {
            // It began before the cycle.
        } else if recorder.beyond > 0 {
            recorder.beyond -= 1;
        } else {
            recorder.end(owner, now);
        }
    });
}

/// A range that ended and was never on the stack.
pub fn record(cycle: u64, tag: Tag, start: u64, end: u64) {
    with(true, |recorder| {
        recorder.enter(cycle);
        if recorder.has_room()
            && let Some(writer) = recorder.writer.as_mut()
        {
            writer.record(Frame::new(start, tag, 0), end);
        } else {
            recorder.lose();
        }
    });
}

/// Nothing is recorded: what the last cycle left in memory is let go.
#[inline]
pub fn leave_cycle() {
    with(false, |recorder| {
        if recorder.cycle != 0 {
            recorder.leave();
        }
    });
}

/// Forgets all of it: the thread is a forked process's now, which does not have the chunks in memory.
pub fn abandon() {
    with(false, |recorder| {
        // Its pages are the parent's alone; to give them back here could give back what stands there by now.
        std::mem::forget(recorder.writer.take());
        recorder.leave();
        recorder.left = 0;
    });
}

/// The thread's recorder. A thread that is past its end has none, and one that a signal found at work is not disturbed: what
/// begins there is lost.
#[inline]
fn with(is_beginning: bool, body: impl FnOnce(&mut Recorder)) {
    let is_done =
        RECORDER.try_with(|recorder| recorder.try_borrow_mut().map(|mut recorder| body(&mut recorder)));
    if !matches!(is_done, Ok(Ok(()))) && is_beginning {
        process::count_lost();
    }
}

impl Recorder {
    const fn new() -> Self {
        Self { cycle: 0, writer: None, left: 0, chunks: 0, is_full: false, beyond: 0 }
    }

    /// Goes on in this cycle.
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

    /// Lets go of the cycle. Its chunk keeps its stack: what is open there did not end in the cycle.
    #[cold]
    fn leave(&mut self) {
        keep(|| {
            if let Some(writer) = self.writer.take() {
                process::count_kept(writer.records());
            }
        });
        if self.cycle != 0 {
            self.left = self.cycle;
        }
        (self.cycle, self.beyond) = (0, 0);
    }

    /// The range that its owner began last ends, if there is one.
    #[inline]
    fn end(&mut self, owner: u8, now: u64) {
        let Some(writer) = self.writer.as_mut() else { return };
        let Some(range) = writer.find(owner) else { return };
        if writer.has_room() {
            return writer.pop(range, now);
        }
        let has_room = self.advance();
        let Some(writer) = self.writer.as_mut() else { return };
        match writer.find(owner) {
            Some(range) if has_room => writer.pop(range, now),
            Some(range) => writer.drop(range),
            None => {}
        }
    }

    #[inline]
    fn has_room(&mut self) -> bool {
        self.writer.as_ref().is_some_and(Writer::has_room) || self.advance()
    }

    /// Takes the next chunk; false where there is none.
    #[cold]
    fn advance(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        let wanted = LONGEST.min(FIRST << self.chunks.min(8));
        let rest = self.writer.as_ref().map_or_else(Rest::default, Writer::rest);
        let next = keep(|| {
            let granted = process::reserve(self.cycle, wanted, FIRST)?;
            let header =
                Header { pid: granted.pid, tid: tid(), cycle: self.cycle as u32, index: self.chunks };
            let name = format!("c{}.t{}.{}", header.cycle, header.tid, header.index);
            match Mapping::create(&granted.folder.join(name), granted.bytes) {
                Ok(mapping) => Some(Writer::new(mapping, header, &rest)),
                Err(error) => {
                    process::fail_reservation(self.cycle, granted.bytes, &error.to_string());
                    None
                }
            }
        });
        self.is_full = next.is_none();
        let Some(next) = next else { return false };
        self.chunks += 1;
        keep(|| {
            if let Some(mut last) = self.writer.replace(next) {
                last.hand_over();
                process::count_kept(last.records());
            }
        });
        true
    }

    /// Counts a lost range where it is counted exactly: on the thread's chunk, or on the process's page.
    fn lose(&mut self) {
        match self.writer.as_mut() {
            Some(writer) => writer.lose(),
            None => process::count_lost(),
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // The thread ends.
        self.leave();
    }
}

/// The calling thread, as the system numbers it.
#[allow(unsafe_code, reason = "a call of the system that the standard library has no name for")]
pub fn tid() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

const _: () = assert!(FIRST >= RECORDS + RECORD && LONGEST / RECORD <= FrameState::RECORDS);
