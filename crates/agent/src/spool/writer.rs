//! A chunk as it is filled. Every store leaves it such that a reader sees each range once, were it the last store there is.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use proftui_wire::chunk::{DEPTH, EXTENT, Extent, FRAME, Header, LOST, RECORD, RECORDS, STACK, Tag};

use super::mapping::Mapping;

const WORD: usize = size_of::<u64>();

/// A range that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// ns.
    pub start: u64,
    /// Kind and name.
    pub tag: Tag,
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
    extent: Extent,
    lost: u64,
}

impl Writer {
    /// Begins a chunk in a file of zeros. It is a chunk, for readers, once it has all that is handed on to it.
    pub fn new(mapping: Mapping, header: Header, rest: &Rest) -> Self {
        let mut writer = Self { mapping, extent: Extent::default(), lost: rest.lost };
        let header = header.bytes();
        let mut words = header.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        let first = words.next().unwrap_or_default();
        for (at, word) in words.enumerate() {
            writer.put((at + 1) * WORD, word);
        }
        writer.put(LOST, rest.lost);
        for frame in &rest.open {
            writer.push(frame.start, frame.tag);
        }
        fence(Ordering::Release);
        writer.put(0, first);
        writer
    }

    /// A range begins; false where the stack is full.
    #[inline]
    pub fn push(&mut self, start: u64, tag: Tag) -> bool {
        let open = usize::from(self.extent.open);
        if open >= DEPTH {
            return false;
        }
        // What was published last must be seen before the frame that it may still count is written over.
        fence(Ordering::Release);
        self.put(STACK + open * FRAME, start);
        self.put(STACK + open * FRAME + WORD, u64::from(tag.0));
        self.publish(Extent { open: self.extent.open + 1, ..self.extent });
        true
    }

    /// The range that began last.
    #[inline]
    pub fn top(&self) -> Option<Frame> {
        let at = STACK + usize::from(self.extent.open.checked_sub(1)?) * FRAME;
        Some(Frame { start: self.get(at), tag: Tag(self.get(at + WORD) as u32) })
    }

    /// True where there is room for a record.
    #[inline]
    pub fn has_room(&self) -> bool {
        RECORDS + (self.extent.records as usize + 1) * RECORD <= self.mapping.words().len() * WORD
    }

    /// The range that began last ends. There must be one, and room.
    #[inline]
    pub fn pop(&mut self, frame: Frame, end: u64) {
        self.write(frame, end);
        self.publish(Extent { records: self.extent.records + 1, open: self.extent.open - 1 });
    }

    /// A range that was not on the stack. There must be room.
    pub fn record(&mut self, frame: Frame, end: u64) {
        self.write(frame, end);
        self.publish(Extent { records: self.extent.records + 1, ..self.extent });
    }

    /// The range that began last ends, and is lost.
    pub fn drop_top(&mut self) {
        self.lose();
        self.publish(Extent { open: self.extent.open.saturating_sub(1), ..self.extent });
    }

    /// A range is lost that was not on the stack.
    pub fn lose(&mut self) {
        self.lost += 1;
        self.put(LOST, self.lost);
    }

    /// Finished ranges in this chunk.
    pub fn records(&self) -> u64 {
        self.extent.records
    }

    /// What goes on in the next chunk.
    pub fn rest(&self) -> Rest {
        let frame = |at: usize| Frame { start: self.get(at), tag: Tag(self.get(at + WORD) as u32) };
        let open = (0..usize::from(self.extent.open)).map(|depth| frame(STACK + depth * FRAME)).collect();
        Rest { open, lost: self.lost }
    }

    /// All of its open ranges stand on the chunk after it.
    pub fn hand_over(&mut self) {
        self.publish(Extent { open: 0, ..self.extent });
    }

    #[inline]
    fn write(&self, frame: Frame, end: u64) {
        let at = RECORDS + self.extent.records as usize * RECORD;
        self.put(at, frame.start);
        self.put(at + WORD, end);
        self.put(at + 2 * WORD, u64::from(frame.tag.0));
    }

    #[inline]
    fn publish(&mut self, extent: Extent) {
        self.extent = extent;
        if let Some(word) = self.mapping.words().get(EXTENT / WORD) {
            word.store(extent.word().to_le(), Ordering::Release);
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
