//! The format of chunks: the files into which a thread writes its ranges. When a chunk is full the thread
//! goes on in the next one, and each cycle has chunks of its own.
//!
//! A range becomes a record when it ends; until then it is on the chunk's own stack: a process that is killed
//! leaves its open ranges, too. One 64-bit number ([`RangeCounts`]) counts both: a range is at any moment
//! either a record or open, never both or neither. Little endian.
//!
//! | offset | field |
//! | --- | --- |
//! | 0 | [`MAGIC`] |
//! | 4 | version, u16, then two bytes of zeros |
//! | 8 | process, u32 |
//! | 12 | thread, u32 |
//! | 16 | cycle, u32, from 1 |
//! | 20 | index of the chunk among the thread's in the cycle, u32, from 0 |
//! | 24 | [`RangeCounts`], u64, published after what it counts |
//! | 32 | ranges of the thread that were lost in the cycle so far, u64 |
//! | 64 | the stack of open ranges, 16 bytes per entry: start u64, tag u32, then [`FrameState`], u32 |
//! | 4096 | records of ranges that ended, 24 bytes each: start u64, end u64, tag u32, number u32 |
//!
//! A tag is a kind in its highest byte (Paddle's number of the event type, or one of [`kinds`](crate::kinds))
//! and the number of a name in the other three. The number of a record belongs to its name: that of a step,
//! whose name is [`STEP_NAME`], or that of a collective in its group; 0 for other ranges. So steps need no
//! names of their own. Records of the kinds [`PROCESSOR`](crate::kinds::PROCESSOR) and
//! [`PROCESS`](crate::kinds::PROCESS) are no ranges.
//!
//! The ranges of one owner nest; those of different owners may cross. A range that ends and is not on top of
//! the stack stays on the stack, with the number of its record, until the ranges above it have ended. It
//! counts as open as long as there are fewer records than that number.
//!
//! The magic number is written last: a chunk with it has its header, and the open ranges copied from the
//! previous chunk. Of the readable chunks of a thread in a cycle, only the last one's stack and count of lost
//! ranges are valid; those of previous chunks are out of date.
//!
//! A reader may read the records of a chunk at any time while it is written. For the stack it compares the
//! chunk's [`stack_version`] before and after: if they differ, it reads again.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are parts of words, whose widths the format fixes"
)]

use std::fmt;

/// Magic number at the start of a chunk of ranges.
pub const MAGIC: [u8; 4] = *b"PFSP";
/// Version of the format of chunks of ranges.
pub const VERSION: u16 = 2;
/// The kind of a step's range: Paddle's number of the event type `ProfileStep`.
pub const STEP_KIND: u8 = 2;
/// The name of the range of each step, without the step's number.
pub const STEP_NAME: &str = "ProfileStep#";
/// Greatest length of a chunk of ranges or of device work, bytes.
pub const LONGEST_CHUNK: usize = 4 << 20;
/// Byte offset of the [`RangeCounts`] in a chunk.
pub const COUNTS: usize = 24;
/// Byte offset in a chunk of the count of ranges that its thread lost in the cycle.
pub const LOST: usize = 32;
/// Byte offset of the stack of open ranges in a chunk.
pub const STACK: usize = 64;
/// Length of an entry of the stack of open ranges, bytes.
pub const FRAME: usize = 16;
/// Byte offset of the first record in a chunk.
pub const RECORDS: usize = 4096;
/// Length of a record (a range that ended), bytes.
pub const RECORD: usize = 24;
/// The greatest number of entries that the stack of open ranges can have.
pub const DEPTH: usize = (RECORDS - STACK) / FRAME;

/// The kind and name of a range in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(pub u32);

impl Tag {
    /// One more than the highest number of a name that fits into a tag.
    pub const NAMES: u32 = 1 << 24;

    /// Packs a kind and the lower 24 bits of a name's number.
    pub fn new(kind: u8, name: u32) -> Self {
        Self(u32::from(kind) << 24 | name & (Self::NAMES - 1))
    }

    /// The kind: Paddle's number of the event type, or one of [`kinds`](crate::kinds).
    pub fn kind(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The number of the name, from 1; 0 if the name could not be kept.
    pub fn name(self) -> u32 {
        self.0 & (Self::NAMES - 1)
    }
}

/// The last field of an entry of the stack of open ranges: the range's owner and record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameState {
    /// The number of the range's owner, the source that reports the range. Ranges of one owner nest.
    pub owner: u8,
    /// 0 while the range has not ended, then usually the number of its record, from 1.
    pub record: u32,
}

impl FrameState {
    /// The highest number of a record that can be encoded: 24 bits.
    pub const RECORDS: usize = (1 << 24) - 1;

    /// Encodes the state as the u32 on the stack.
    pub fn to_word(self) -> u32 {
        self.record << 8 | u32::from(self.owner)
    }

    /// Decodes the u32 on the stack.
    pub fn from_word(word: u32) -> Self {
        Self { owner: word as u8, record: word >> 8 }
    }

    /// True if the range counts as open in a chunk that has `records` records: `record` is 0 or greater than
    /// that.
    pub fn is_open(self, records: u64) -> bool {
        self.record == 0 || u64::from(self.record) > records
    }
}

/// The counts of records and of stack entries in a chunk, which are stored together as one u64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeCounts {
    /// How many records the chunk has: ranges that ended.
    pub records: u64,
    /// How many entries the stack has, which may include ranges that ended.
    pub open: u16,
}

impl RangeCounts {
    /// Encodes the counts as the u64 in the chunk.
    pub fn to_word(self) -> u64 {
        self.records << 16 | u64::from(self.open)
    }

    /// Decodes the u64 in the chunk.
    pub fn from_word(word: u64) -> Self {
        Self { records: word >> 16, open: word as u16 }
    }
}

/// The counts of a chunk's ranges and of its thread's lost ranges. If they are the same before and after a
/// read of the stack, the read was consistent.
pub fn stack_version(bytes: &[u8]) -> (RangeCounts, u64) {
    (RangeCounts::from_word(u64_at(bytes, COUNTS)), u64_at(bytes, LOST))
}

/// The first fields of a chunk: the process, thread and cycle that it belongs to, and its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Id of the process.
    pub pid: u32,
    /// Id of the thread, as the operating system numbers threads.
    pub tid: u32,
    /// Number of the cycle, from 1.
    pub cycle: u32,
    /// Index of the chunk among the thread's chunks in the cycle, from 0.
    pub index: u32,
}

impl Header {
    /// The name of the chunk's file, such as `c2.t8.1`: its cycle, thread and index.
    pub fn file(&self) -> String {
        format!("c{}.t{}.{}", self.cycle, self.tid, self.index)
    }

    /// Encodes the start of the header, all bytes before [`COUNTS`]: magic number, version and fields.
    pub fn bytes(&self) -> [u8; COUNTS] {
        let mut bytes = [0; COUNTS];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        for (at, number) in [(8, self.pid), (12, self.tid), (16, self.cycle), (20, self.index)] {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}

/// A range that was read from a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// When the range began, ns of the monotonic clock.
    pub start: u64,
    /// When the range ended, ns of the monotonic clock; `None` for a range that has not ended.
    pub end: Option<u64>,
    /// The range's kind and name.
    pub tag: Tag,
    /// The number of a step, or of a collective in its group; 0 where there is none or it is not known yet.
    pub number: u32,
}

/// The decoded contents of a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The process, thread and cycle of the chunk, and its index.
    pub header: Header,
    /// How many ranges the thread lost in the cycle so far, as the chunk states.
    pub lost: u64,
    /// The ranges that ended, in the order in which their records were written.
    pub ended: Vec<Range>,
    /// The ranges that have not ended, in the order of the stack.
    pub open: Vec<Range>,
}

/// The reason why bytes cannot be read as a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The file ends before its first record would begin.
    Short,
    /// The bytes do not begin with the magic number.
    Foreign,
    /// The chunk has this version of the format, which this reader does not know.
    Version(u16),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("the file ends before its records"),
            Self::Foreign => f.write_str("the magic number is wrong"),
            Self::Version(version) => write!(f, "unknown format version {version}"),
        }
    }
}

impl Chunk {
    /// Decodes a chunk, which may still be being written.
    ///
    /// # Errors
    /// When `bytes` is too short, or no chunk of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        if bytes.len() < RECORDS {
            return Err(Unreadable::Short);
        }
        if bytes[..4] != MAGIC {
            return Err(Unreadable::Foreign);
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            return Err(Unreadable::Version(version));
        }
        let header = Header {
            pid: u32_at(bytes, 8),
            tid: u32_at(bytes, 12),
            cycle: u32_at(bytes, 16),
            index: u32_at(bytes, 20),
        };
        let room = bytes.len() - RECORDS;
        let (extent, lost) = stack_version(bytes);
        let records = usize::try_from(extent.records).unwrap_or(usize::MAX).min(room / RECORD);
        let ended = bytes[RECORDS..RECORDS + records * RECORD].chunks_exact(RECORD).map(|record| Range {
            start: u64_at(record, 0),
            end: Some(u64_at(record, 8)),
            tag: Tag(u32_at(record, 16)),
            number: u32_at(record, 20),
        });
        let depth = usize::from(extent.open).min(DEPTH);
        let frames = bytes[STACK..STACK + depth * FRAME].chunks_exact(FRAME);
        let frames = frames.filter(|frame| FrameState::from_word(u32_at(frame, 12)).is_open(extent.records));
        let open = frames.map(|frame| {
            let (start, tag) = (u64_at(frame, 0), Tag(u32_at(frame, 8)));
            Range { start, end: None, tag, number: 0 }
        });
        Ok(Self { header, lost, ended: ended.collect(), open: open.collect() })
    }
}

/// The little-endian u32 at the byte offset `at`; 0 if `bytes` does not have all of its bytes.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The little-endian u64 at the byte offset `at`; 0 if `bytes` does not have all of its bytes.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut bytes = vec![0; RECORDS + 10 * RECORD];
        bytes[..COUNTS].copy_from_slice(&Header { pid: 7, tid: 8, cycle: 2, index: 1 }.bytes());
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        put(COUNTS, RangeCounts { records: 1, open: 1 }.to_word());
        put(LOST, 5);
        put(STACK, 100);
        put(STACK + 8, u64::from(Tag::new(2, 3).0));
        put(RECORDS, 110);
        put(RECORDS + 8, 120);
        put(RECORDS + 16, 7 << 32 | u64::from(Tag::new(9, 4).0));
        bytes
    }

    #[test]
    fn records_and_open_ranges_are_read_back() {
        let chunk = Chunk::read(&written()).expect("a chunk");
        assert_eq!(chunk.header, Header { pid: 7, tid: 8, cycle: 2, index: 1 });
        assert_eq!(chunk.lost, 5);
        assert_eq!(chunk.ended, [Range { start: 110, end: Some(120), tag: Tag::new(9, 4), number: 7 }]);
        assert_eq!(chunk.open, [Range { start: 100, end: None, tag: Tag::new(2, 3), number: 0 }]);
    }

    #[test]
    fn a_range_that_ended_below_the_top_is_open_until_its_record_counts() {
        let mut bytes = written();
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        put(COUNTS, RangeCounts { records: 1, open: 3 }.to_word());
        for (at, record) in [(0, 1), (1, 2), (2, 0)] {
            let state = FrameState { owner: 7, record };
            put(STACK + at * FRAME, at as u64);
            put(STACK + at * FRAME + 8, u64::from(state.to_word()) << 32 | 5);
        }
        let open = Chunk::read(&bytes).expect("a chunk").open;
        assert_eq!(open.iter().map(|range| (range.start, range.tag.0)).collect::<Vec<_>>(), [(1, 5), (2, 5)]);
    }

    #[test]
    fn counts_are_never_believed_beyond_the_bytes() {
        let mut bytes = written();
        bytes[COUNTS..COUNTS + 8].fill(0xff);
        let chunk = Chunk::read(&bytes).expect("a chunk");
        assert_eq!((chunk.ended.len(), chunk.open.len()), (10, DEPTH));
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(Chunk::read(b"PFSP"), Err(Unreadable::Short));
        assert_eq!(Chunk::read(&[0; RECORDS]), Err(Unreadable::Foreign));
        let mut bytes = written();
        bytes[4] = 9;
        assert_eq!(Chunk::read(&bytes), Err(Unreadable::Version(9)));
    }
}
