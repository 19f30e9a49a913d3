//! Writes the device records of a cycle into device chunks, of which the process has one sequence for all its
//! threads. The caller holds a lock.

use std::sync::atomic::{AtomicU64, Ordering};

use proftui_wire::chunk::LONGEST_CHUNK;
use proftui_wire::device::{COMMITTED, Header, LOST, RECORDS};

use super::mapping::Mapping;
use crate::errno::keep;
use crate::process::{self, FullFile};

const WORD: usize = size_of::<u64>();
/// Length of a cycle's first device chunk, and least length of any, bytes.
const FIRST: usize = 64 << 10;

/// The device chunks of a cycle; the last one is being filled.
pub(crate) struct Chunks {
    cycle: u64,
    /// The latest chunk; `None` until a chunk is made.
    mapping: Option<Mapping>,
    /// Bytes of records in the latest chunk.
    committed: usize,
    /// The name of the latest chunk's file; empty before there is a chunk.
    file: String,
    /// The greatest `ended` with which a record was written to the latest chunk ([`Self::write`]), ns, or 0.
    until: u64,
    /// How many records of the cycle are in chunks before the latest.
    before: u64,
    /// How many chunks were made in the cycle.
    pub count: u32,
    /// True once a chunk could not be made: no further one is tried in this cycle.
    is_full: bool,
    /// How many records of the cycle were written.
    pub kept: u64,
    /// How many records of the cycle were counted as lost.
    pub lost: u64,
}

impl Chunks {
    /// Begins the chunks of `cycle`. No file is made before the first record.
    pub(crate) const fn new(cycle: u64) -> Self {
        Self {
            cycle,
            mapping: None,
            committed: 0,
            file: String::new(),
            until: 0,
            before: 0,
            count: 0,
            is_full: false,
            kept: 0,
            lost: 0,
        }
    }

    /// Writes an encoded record, or counts it as lost if no chunk has space for it. `ended` is when the
    /// record's event ended, ns: 0 for a record without times, [`u64::MAX`] if the end is not known.
    #[inline]
    pub(crate) fn write(&mut self, record: &[u64], ended: u64) {
        let end = RECORDS + self.committed + size_of_val(record);
        let has_room = self.mapping.as_ref().is_some_and(|mapping| end <= mapping.words().len() * WORD);
        if !has_room && !self.advance() {
            return self.lose();
        }
        let Some(mapping) = &self.mapping else { return };
        let slots = &mapping.words()[(RECORDS + self.committed) / WORD..];
        for (slot, word) in slots.iter().zip(record) {
            slot.store(word.to_le(), Ordering::Relaxed);
        }
        self.committed += size_of_val(record);
        self.kept += 1;
        self.until = self.until.max(ended);
        mapping.words()[COMMITTED / WORD].store((self.committed as u64).to_le(), Ordering::Release);
    }

    /// Counts a record as lost, also in the header of the latest chunk, if there is a chunk.
    pub(crate) fn lose(&mut self) {
        self.lost += 1;
        self.put(LOST, self.lost);
    }

    /// Makes the next chunk, and unmaps the one before it. False if no chunk can be made.
    #[cold]
    fn advance(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        let wanted = LONGEST_CHUNK.min(FIRST << self.count.min(8));
        let make = || loop {
            let granted = process::reserve(self.cycle, wanted, FIRST)?;
            let header = Header { pid: granted.pid, cycle: self.cycle as u32, index: self.count };
            match Mapping::create(&granted.folder, &header.file(), granted.bytes) {
                Ok(mapping) => return Some((mapping, header)),
                Err(error) if process::fail_reservation(self.cycle, &granted, &error) => {}
                Err(_) => return None,
            }
        };
        let next = keep(make);
        let Some((mapping, header)) = next else {
            self.is_full = true;
            return false;
        };
        // The last chunk is unmapped; its file stays, unless a ring removes it.
        keep(|| {
            if let Some(last) = self.mapping.replace(mapping) {
                let bytes = (last.words().len() * WORD) as u64;
                let file = std::mem::take(&mut self.file);
                let (ranges, until) = (self.kept - self.before, self.until);
                process::add_full(|| FullFile::new(file, bytes, ranges).until(until));
            }
            self.file = header.file();
        });
        (self.committed, self.until, self.count, self.before) = (0, 0, self.count + 1, self.kept);
        let words = header.bytes();
        let words = words.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        self.put(LOST, self.lost);
        words.enumerate().skip(1).for_each(|(at, word)| self.put(at * WORD, word));
        // The word with the magic number is stored last: a reader that sees it also sees all earlier stores.
        let first = header.bytes().first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        self.with_word(0, |slot| slot.store(first.to_le(), Ordering::Release));
        true
    }

    /// Stores a number at a byte offset of the latest chunk, if there is a chunk.
    fn put(&self, at: usize, value: u64) {
        self.with_word(at, |slot| slot.store(value.to_le(), Ordering::Relaxed));
    }

    /// Calls `body` with the 64-bit word at a byte offset of the latest chunk, if there is a chunk.
    fn with_word(&self, at: usize, body: impl FnOnce(&AtomicU64)) {
        if let Some(slot) = self.mapping.as_ref().and_then(|mapping| mapping.words().get(at / WORD)) {
            body(slot);
        }
    }
}

const _: () = assert!(FIRST > RECORDS);
