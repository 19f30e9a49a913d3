//! The chunk that a thread is filling. After every single store a reader sees each range exactly once: the
//! process may be killed at any moment.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use proftui_wire::chunk::{
    COUNTS, DEPTH, FRAME, FrameState, Header, LOST, RECORD, RECORDS, RangeCounts, STACK, Tag,
};

use super::mapping::Mapping;

const WORD: usize = size_of::<u64>();
/// The used length of a file is rounded up to whole pages of this length, bytes.
const PAGE: usize = 4096;

/// A range as a chunk's stack of open ranges stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// When the range began, ns.
    pub start: u64,
    /// The [`Tag`] in the lower half and the [`FrameState`] in the upper one, as on the stack.
    word: u64,
}

impl Frame {
    /// Makes the entry of a range that began at `start`, ns; `owner` is the number of the source that reports
    /// it.
    #[inline]
    pub(super) fn new(start: u64, tag: Tag, owner: u8) -> Self {
        Self { start, word: u64::from(FrameState { owner, record: 0 }.to_word()) << 32 | u64::from(tag.0) }
    }

    #[inline]
    fn state(self) -> FrameState {
        FrameState::from_word((self.word >> 32) as u32)
    }
}

/// What is copied from a full chunk into the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// The ranges on the stack that have not ended, outermost first.
    pub open: Vec<Frame>,
    /// The count of lost ranges in the full chunk's header.
    pub lost: u64,
}

/// A chunk that one thread fills.
pub(super) struct Writer {
    mapping: Mapping,
    header: Header,
    counts: RangeCounts,
    lost: u64,
    /// How many of the ranges on the stack have ended.
    ended: u16,
    /// How many of the records are no ranges.
    notes: u64,
}

impl Writer {
    /// Begins a chunk in a file of zeros, with the open ranges and the count of lost ones in `carried`.
    pub(super) fn new(mapping: Mapping, header: Header, carried: &Carried) -> Self {
        let counts = RangeCounts::default();
        let mut writer = Self { mapping, header, counts, lost: carried.lost, ended: 0, notes: 0 };
        let bytes = header.bytes();
        let mut words = bytes.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        let first = words.next().unwrap_or_default();
        for (at, word) in words.enumerate() {
            writer.put((at + 1) * WORD, word);
        }
        writer.put(LOST, carried.lost);
        for frame in &carried.open {
            writer.push(*frame);
        }
        fence(Ordering::Release);
        writer.put(0, first);
        writer
    }

    /// Pushes a range that begins onto the stack; false, without effect, if the stack is full.
    #[inline]
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        let open = usize::from(self.counts.open);
        if open >= DEPTH {
            return false;
        }
        // The counts published last must become visible before a frame that they may still count is
        // overwritten.
        fence(Ordering::Release);
        self.put(STACK + open * FRAME, frame.start);
        self.put(STACK + open * FRAME + WORD, frame.word);
        self.publish(RangeCounts { open: self.counts.open + 1, ..self.counts });
        true
    }

    /// The range on the stack that `owner` began last and has not ended, with its index there; `None` if
    /// there is none.
    #[inline]
    pub(super) fn find(&self, owner: u8) -> Option<(usize, Frame)> {
        let top = usize::from(self.counts.open).checked_sub(1)?;
        // The range on top of the stack has not ended.
        let frame = self.frame(top);
        if frame.state().owner == owner { Some((top, frame)) } else { self.find_below(top, owner) }
    }

    #[cold]
    fn find_below(&self, top: usize, owner: u8) -> Option<(usize, Frame)> {
        let mut below = (0..top).rev().map(|at| (at, self.frame(at)));
        below.find(|(_, frame)| frame.state() == FrameState { owner, record: 0 })
    }

    /// True if a further record fits into the chunk.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        RECORDS + (self.counts.records as usize + 1) * RECORD <= self.mapping.words().len() * WORD
    }

    /// Ends a range that [`Self::find`] returned, at the time `end`, ns, and writes its record with `number`.
    /// The chunk must have room for the record.
    #[inline]
    pub(super) fn pop(&mut self, (at, frame): (usize, Frame), number: u32, end: u64) {
        self.write(frame, number, end);
        let records = self.counts.records + 1;
        let open = self.take((at, frame), records);
        self.publish(RangeCounts { records, open });
    }

    /// Writes the record of a range that is not on the stack and ended at `end`, ns, with `number`. The chunk
    /// must have room for the record.
    pub(super) fn record(&mut self, frame: Frame, number: u32, end: u64) {
        self.write(frame, number, end);
        self.publish(RangeCounts { records: self.counts.records + 1, ..self.counts });
    }

    /// Writes a record that is no range. The chunk must have room for it.
    pub(super) fn note(&mut self, frame: Frame, number: u32, end: u64) {
        self.notes += 1;
        self.record(frame, number, end);
    }

    /// Ends a range that [`Self::find`] returned, and counts it as lost. The chunk must have a record, whose
    /// number may mark the range as ended.
    pub(super) fn drop(&mut self, range: (usize, Frame)) {
        self.lose();
        let open = self.take(range, 1);
        self.publish(RangeCounts { open, ..self.counts });
    }

    /// Counts a lost range in the chunk's header; leaves the stack as it is.
    pub(super) fn lose(&mut self) {
        self.lost += 1;
        self.put(LOST, self.lost);
    }

    /// How many ranges ended in this chunk.
    pub(super) fn ranges(&self) -> u64 {
        self.counts.records - self.notes
    }

    /// The name of the chunk's file.
    pub(super) fn file(&self) -> String {
        self.header.file()
    }

    /// The length of the chunk's file while it is mapped, bytes.
    pub(super) fn bytes(&self) -> usize {
        self.mapping.words().len() * WORD
    }

    /// How many bytes of the file are used, rounded up to whole pages of 4 KiB; at most the length of the
    /// file.
    pub(super) fn used(&self) -> usize {
        (RECORDS + self.counts.records as usize * RECORD).next_multiple_of(PAGE).min(self.bytes())
    }

    /// The tags of the ranges on the stack that have not ended, innermost first.
    pub(super) fn open(&self) -> impl Iterator<Item = Tag> + '_ {
        let frames = (0..usize::from(self.counts.open)).rev().map(|at| self.frame(at));
        frames.filter(|frame| frame.state().record == 0).map(|frame| Tag(frame.word as u32))
    }

    /// What the next chunk needs: the ranges on the stack that have not ended, and the count of lost ones.
    pub(super) fn carried(&self) -> Carried {
        let frames = (0..usize::from(self.counts.open)).map(|at| self.frame(at));
        let open = frames.filter(|frame| frame.state().record == 0).collect();
        Carried { open, lost: self.lost }
    }

    /// Empties the stack. To be called once the open ranges are in the next chunk.
    pub(super) fn hand_over(&mut self) {
        self.publish(RangeCounts { open: 0, ..self.counts });
    }

    /// Takes a range that ended off the top of the stack, with the marked ones right below it; marks one that
    /// is not on top as ended by the record numbered `record`. Returns the stack's new length, which the
    /// caller publishes.
    #[inline]
    fn take(&mut self, (at, frame): (usize, Frame), record: u64) -> u16 {
        let mut open = self.counts.open;
        if at + 1 < usize::from(open) {
            // The mark takes effect when the record is published.
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

    /// The entry of the stack at an index, from 0 for the outermost.
    #[inline]
    fn frame(&self, at: usize) -> Frame {
        let at = STACK + at * FRAME;
        Frame { start: self.get(at), word: self.get(at + WORD) }
    }

    #[inline]
    fn write(&self, frame: Frame, number: u32, end: u64) {
        let at = RECORDS + self.counts.records as usize * RECORD;
        self.put(at, frame.start);
        self.put(at + WORD, end);
        self.put(at + 2 * WORD, u64::from(number) << 32 | frame.word & u64::from(u32::MAX));
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
