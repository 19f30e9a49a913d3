//! Chunks: files that a thread fills with the ranges it went through, one after the other, each longer than the last, anew for each
//! cycle.
//!
//! A range is written when it ends; those that have not ended stand on the chunk's own stack, so a process that is killed
//! leaves them too. One word ([`RangeCounts`]) says how much there is of both, so that a range is never in both places and never in
//! none. Little endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 | [`MAGIC`] |
//! | 4 | version, u16, then two bytes of zeros |
//! | 8 | process, u32 |
//! | 12 | thread, u32 |
//! | 16 | cycle, u32, from 1 |
//! | 20 | which chunk of the thread in the cycle, u32, from 0 |
//! | 24 | [`RangeCounts`], u64, published after what it counts |
//! | 32 | ranges of the thread that were lost in the cycle so far, u64 |
//! | 64 | the stack, 16 bytes each: start u64, tag u32, then [`FrameState`], u32 |
//! | 4096 | records, 24 bytes each: start u64, end u64, tag u32, zeros |
//!
//! A tag is a kind in its highest byte (Paddle's number of the event's type) and a name's number below.
//!
//! Ranges of one source nest; those of several may cross. So a range may end that is not on top of the stack: it stays there,
//! with the number of the record that it ended as, until those above it are gone. It counts as open as long as there are fewer
//! records than that.
//!
//! The magic is written last: a chunk that has it has its header and the open ranges that the chunk before it handed on. So of
//! the readable chunks of a thread in a cycle, the last one's stack and count of lost ranges are the thread's; those
//! of the chunks before it are history.
//!
//! A reader that comes while a chunk is being written gets finished ranges right in any case. For the stack it looks at the
//! chunk's [`moment`] before and after: where they differ, it reads again.

/// What a chunk begins with.
pub const MAGIC: [u8; 4] = *b"PFSP";
/// Version of the format.
pub const VERSION: u16 = 1;
/// Where the extent stands.
pub const COUNTS: usize = 24;
/// Where the count of lost ranges stands.
pub const LOST: usize = 32;
/// Where the stack begins.
pub const STACK: usize = 64;
/// Bytes of an open range.
pub const FRAME: usize = 16;
/// Where the records begin.
pub const RECORDS: usize = 4096;
/// Bytes of a record.
pub const RECORD: usize = 24;
/// Open ranges that a stack holds; deeper ones are lost, and counted.
pub const DEPTH: usize = (RECORDS - STACK) / FRAME;

/// The kind and name of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(pub u32);

impl Tag {
    /// Most names that tags can tell apart.
    pub const NAMES: u32 = 1 << 24;

    /// Of a kind and a name's number.
    pub fn new(kind: u8, name: u32) -> Self {
        Self(u32::from(kind) << 24 | name & (Self::NAMES - 1))
    }

    /// Paddle's number of the event's type.
    pub fn kind(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The name's number, from 1; 0 for one that could not be kept.
    pub fn name(self) -> u32 {
        self.0 & (Self::NAMES - 1)
    }
}

/// What stands on the stack beside a range's tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameState {
    /// Whose ranges it nests with: a number that means something to the writer alone.
    pub owner: u8,
    /// The record that it ended as, from 1; 0 while it has not.
    pub record: u32,
}

impl FrameState {
    /// Most records that can be told apart.
    pub const RECORDS: usize = (1 << 24) - 1;

    /// As the number.
    pub fn to_word(self) -> u32 {
        self.record << 8 | u32::from(self.owner)
    }

    /// From the number.
    pub fn from_word(word: u32) -> Self {
        Self { owner: word as u8, record: word >> 8 }
    }

    /// True where it has not ended by so many records.
    pub fn is_open(self, records: u64) -> bool {
        self.record == 0 || u64::from(self.record) > records
    }
}

/// How much a chunk holds: one number, so that a range moves from the stack to the records in one store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeCounts {
    /// Finished ranges.
    pub records: u64,
    /// Open ranges on the stack.
    pub open: u16,
}

impl RangeCounts {
    /// As the number.
    pub fn to_word(self) -> u64 {
        self.records << 16 | u64::from(self.open)
    }

    /// From the number.
    pub fn from_word(word: u64) -> Self {
        Self { records: word >> 16, open: word as u16 }
    }
}

/// What changes whenever the stack does: a chunk with the same moment before and after has had one stack in between.
pub fn stack_version(bytes: &[u8]) -> (RangeCounts, u64) {
    (RangeCounts::from_word(u64_at(bytes, COUNTS)), u64_at(bytes, LOST))
}

/// What a chunk says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Process.
    pub pid: u32,
    /// Thread, as the system numbers it.
    pub tid: u32,
    /// Cycle, from 1.
    pub cycle: u32,
    /// Which chunk of the thread in the cycle.
    pub index: u32,
}

impl Header {
    /// Its bytes up to the extent.
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

/// A range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// ns.
    pub start: u64,
    /// ns; none for one that has not ended.
    pub end: Option<u64>,
    /// Kind and name.
    pub tag: Tag,
}

/// A chunk as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Whose it is.
    pub header: Header,
    /// Ranges of its thread that were lost in its cycle.
    pub lost: u64,
    /// Ranges that ended, in the order of their ends.
    pub ended: Vec<Range>,
    /// Ranges that have not ended, outermost first.
    pub open: Vec<Range>,
}

/// Why bytes are no chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Too short: the process died while it made it.
    Short,
    /// Something else.
    Foreign,
    /// A version that is not known here.
    Version(u16),
}

impl Chunk {
    /// Reads a chunk, be it complete or still being written: what its counts do not cover is left alone.
    ///
    /// # Errors
    /// When it is none. Counts that reach beyond the bytes are cut, never believed.
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
        });
        let depth = usize::from(extent.open).min(DEPTH);
        let frames = bytes[STACK..STACK + depth * FRAME].chunks_exact(FRAME);
        let frames = frames.filter(|frame| FrameState::from_word(u32_at(frame, 12)).is_open(extent.records));
        let open =
            frames.map(|frame| Range { start: u64_at(frame, 0), end: None, tag: Tag(u32_at(frame, 8)) });
        Ok(Self { header, lost, ended: ended.collect(), open: open.collect() })
    }
}

/// The number at a place; 0 beyond the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The number at a place; 0 beyond the end.
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
        put(RECORDS + 16, u64::from(Tag::new(9, 4).0));
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let chunk = Chunk::read(&written()).expect("a chunk");
        assert_eq!(chunk.header, Header { pid: 7, tid: 8, cycle: 2, index: 1 });
        assert_eq!(chunk.lost, 5);
        assert_eq!(chunk.ended, [Range { start: 110, end: Some(120), tag: Tag::new(9, 4) }]);
        assert_eq!(chunk.open, [Range { start: 100, end: None, tag: Tag::new(2, 3) }]);
    }

    #[test]
    fn what_ended_below_the_top_is_open_until_its_record_counts() {
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
