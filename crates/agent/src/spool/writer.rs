//! A chunk as it is filled. Every store leaves it such that a reader sees each range once, were it the last store there is.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use proftui_wire::chunk::{
    COUNTS, DEPTH, FRAME, FrameState, Header, LOST, RECORD, RECORDS, RangeCounts, STACK, Tag,
};

use super::mapping::Mapping;

const WORD: usize = size_of::<u64>();

/// A range that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// ns.
    pub start: u64,
    /// Its tag, and above it [`FrameState`]: one word, as it stands on the stack, since what is taken apart is slow to move.
    word: u64,
}

impl Frame {
    /// Of a range that begins.
    #[inline]
    pub fn new(start: u64, tag: Tag, owner: u8) -> Self {
        Self { start, word: u64::from(FrameState { owner, record: 0 }.to_word()) << 32 | u64::from(tag.0) }
    }

    #[inline]
    fn state(self) -> FrameState {
        FrameState::from_word((self.word >> 32) as u32)
    }
}

/// What a chunk hands on to the one after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Ranges that have not ended, outermost first.
    pub open: Vec<Frame>,
    /// Ranges lost so far.
    pub lost: u64,
}

/// A chunk that one thread fills.
pub struct Writer {
    mapping: Mapping,
    counts: RangeCounts,
    lost: u64,
    /// Ranges on the stack that have ended.
    ended: u16,
}

impl Writer {
    /// Begins a chunk in a file of zeros. It is a chunk, for readers, once it has all that is handed on to it.
    pub fn new(mapping: Mapping, header: Header, rest: &Rest) -> Self {
        let mut writer = Self { mapping, counts: RangeCounts::default(), lost: rest.lost, ended: 0 };
        let header = header.bytes();
        let mut words = header.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        let first = words.next().unwrap_or_default();
        for (at, word) in words.enumerate() {
            writer.put((at + 1) * WORD, word);
        }
        writer.put(LOST, rest.lost);
        for frame in &rest.open {
            writer.push(*frame);
        }
        fence(Ordering::Release);
        writer.put(0, first);
        writer
    }

    /// A range begins; false where the stack is full.
    #[inline]
    pub fn push(&mut self, frame: Frame) -> bool {
        let open = usize::from(self.counts.open);
        if open >= DEPTH {
            return false;
        }
        // What was published last must be seen before the frame that it may still count is written over.
        fence(Ordering::Release);
        self.put(STACK + open * FRAME, frame.start);
        self.put(STACK + open * FRAME + WORD, frame.word);
        self.publish(RangeCounts { open: self.counts.open + 1, ..self.counts });
        true
    }

    /// The range that its owner began last, and where it stands.
    #[inline]
    pub fn find(&self, owner: u8) -> Option<(usize, Frame)> {
        let top = usize::from(self.counts.open).checked_sub(1)?;
        // What is on top has not ended.
        let frame = self.frame(top);
        if frame.state().owner == owner { Some((top, frame)) } else { self.find_below(top, owner) }
    }

    #[cold]
    fn find_below(&self, top: usize, owner: u8) -> Option<(usize, Frame)> {
        let mut below = (0..top).rev().map(|at| (at, self.frame(at)));
        below.find(|(_, frame)| frame.state() == FrameState { owner, record: 0 })
    }

    /// True where there is room for a record.
    #[inline]
    pub fn has_room(&self) -> bool {
        RECORDS + (self.counts.records as usize + 1) * RECORD <= self.mapping.words().len() * WORD
    }

    /// A range ends that was found. There must be room.
    #[inline]
    pub fn pop(&mut self, (at, frame): (usize, Frame), end: u64) {
        self.write(frame, end);
        let records = self.counts.records + 1;
        let open = self.take((at, frame), records);
        self.publish(RangeCounts { records, open });
    }

    /// A range that was not on the stack. There must be room.
    pub fn record(&mut self, frame: Frame, end: u64) {
        self.write(frame, end);
        self.publish(RangeCounts { records: self.counts.records + 1, ..self.counts });
    }

    /// A range ends that was found, and is lost. There must be a record.
    pub fn drop(&mut self, range: (usize, Frame)) {
        self.lose();
        let open = self.take(range, 1);
        self.publish(RangeCounts { open, ..self.counts });
    }

    /// A range is lost that was not on the stack.
    pub fn lose(&mut self) {
        self.lost += 1;
        self.put(LOST, self.lost);
    }

    /// Finished ranges in this chunk.
    pub fn records(&self) -> u64 {
        self.counts.records
    }

    /// What goes on in the next chunk.
    pub fn rest(&self) -> Rest {
        let frames = (0..usize::from(self.counts.open)).map(|at| self.frame(at));
        let open = frames.filter(|frame| frame.state().record == 0).collect();
        Rest { open, lost: self.lost }
    }

    /// All of its open ranges stand on the chunk after it.
    pub fn hand_over(&mut self) {
        self.publish(RangeCounts { open: 0, ..self.counts });
    }

    /// Takes a range, which ended as this record, off the stack; returns how many are on it then.
    #[inline]
    fn take(&mut self, (at, frame): (usize, Frame), record: u64) -> u16 {
        let mut open = self.counts.open;
        if at + 1 < usize::from(open) {
            // It takes effect when the record is published.
            let state = FrameState { record: record as u32, ..frame.state() };
            let word = u64::from(state.to_word()) << 32 | frame.word & u64::from(u32::MAX);
            self.put(STACK + at * FRAME + WORD, word);
            self.ended += 1;
            return open;
        }
        open -= 1;
        while self.ended > 0 && open > 0 && self.frame(usize::from(open) - 1).state().record != 0 {
            (open, self.ended) = (open - 1, self.ended - 1);
        }
        open
    }

    /// What stands on the stack at a place.
    #[inline]
    fn frame(&self, at: usize) -> Frame {
        let at = STACK + at * FRAME;
        Frame { start: self.get(at), word: self.get(at + WORD) }
    }

    #[inline]
    fn write(&self, frame: Frame, end: u64) {
        let at = RECORDS + self.counts.records as usize * RECORD;
        self.put(at, frame.start);
        self.put(at + WORD, end);
        self.put(at + 2 * WORD, frame.word & u64::from(u32::MAX));
    }

    #[inline]
    fn publish(&mut self, counts: RangeCounts) {
        self.counts = counts;
        if let Some(word) = self.mapping.words().get(COUNTS / WORD) {
            word.store(counts.to_word().to_le(), Ordering::Release);
        }
    }

    #[inline]
    fn put(&self, at: usize, value: u64) {
        if let Some(word) = self.mapping.words().get(at / WORD) {
            word.store(value.to_le(), Ordering::Relaxed);
        }
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        let word: Option<&AtomicU64> = self.mapping.words().get(at / WORD);
        word.map_or(0, |word| u64::from_le(word.load(Ordering::Relaxed)))
    }
}
