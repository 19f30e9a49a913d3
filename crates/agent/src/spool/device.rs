//! What devices did in a cycle, in chunks of the whole process. Whoever writes is alone: there is a lock around it.

use std::sync::atomic::{AtomicU64, Ordering};

use proftui_wire::device::{COMMITTED, Header, LOST, RECORDS};

use super::mapping::Mapping;
use crate::errno::keep;
use crate::process;

const WORD: usize = size_of::<u64>();
/// Bytes of a cycle's first chunk; each further one is twice as long.
const FIRST: usize = 64 << 10;
/// Bytes of the longest chunk.
const LONGEST: usize = 4 << 20;

/// The chunks of a cycle, of which the last one is being filled.
pub struct Chunks {
    cycle: u64,
    /// The chunk that is being filled. None where none can be had.
    mapping: Option<Mapping>,
    /// Bytes of its records.
    committed: usize,
    /// Chunks taken.
    count: u32,
    /// True once no further chunk can be had.
    is_full: bool,
    /// Records written.
    pub kept: u64,
    /// Records that there was no room for.
    pub lost: u64,
}

impl Chunks {
    /// Of a cycle. No file is made before there is a record.
    pub const fn new(cycle: u64) -> Self {
        Self { cycle, mapping: None, committed: 0, count: 0, is_full: false, kept: 0, lost: 0 }
    }

    /// Writes a record, or counts it as lost.
    #[inline]
    pub fn write(&mut self, record: &[u64]) {
        let end = RECORDS + self.committed + size_of_val(record);
        let has_room = self.mapping.as_ref().is_some_and(|mapping| end <= mapping.words().len() * WORD);
        if !has_room && !self.advance() {
            return self.lose();
        }
        let Some(mapping) = &self.mapping else { return };
        let places = &mapping.words()[(RECORDS + self.committed) / WORD..];
        for (place, word) in places.iter().zip(record) {
            place.store(word.to_le(), Ordering::Relaxed);
        }
        self.committed += size_of_val(record);
        self.kept += 1;
        mapping.words()[COMMITTED / WORD].store((self.committed as u64).to_le(), Ordering::Release);
    }

    /// Counts a record as lost.
    pub fn lose(&mut self) {
        self.lost += 1;
        self.put(LOST, self.lost);
    }

    /// Takes the next chunk; false where there is none.
    #[cold]
    fn advance(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        let wanted = LONGEST.min(FIRST << self.count.min(8));
        let next = keep(|| {
            let granted = process::reserve(self.cycle, wanted, FIRST)?;
            let header = Header { pid: granted.pid, cycle: self.cycle as u32, index: self.count };
            match Mapping::create(&granted.folder.join(header.file()), granted.bytes) {
                Ok(mapping) => Some((mapping, header)),
                Err(error) => {
                    process::fail_reservation(self.cycle, granted.bytes, &error.to_string());
                    None
                }
            }
        });
        let Some((mapping, header)) = next else {
            self.is_full = true;
            return false;
        };
        // The file of the last chunk stays; its memory is given back.
        keep(|| self.mapping = Some(mapping));
        (self.committed, self.count) = (0, self.count + 1);
        let words = header.bytes();
        let words = words.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        self.put(LOST, self.lost);
        words.enumerate().skip(1).for_each(|(at, word)| self.put(at * WORD, word));
        // The word with the magic is last: with it, what was written before is seen.
        let first = header.bytes().first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        self.place(0, |place| place.store(first.to_le(), Ordering::Release));
        true
    }

    fn put(&self, at: usize, value: u64) {
        self.place(at, |place| place.store(value.to_le(), Ordering::Relaxed));
    }

    fn place(&self, at: usize, body: impl FnOnce(&AtomicU64)) {
        if let Some(place) = self.mapping.as_ref().and_then(|mapping| mapping.words().get(at / WORD)) {
            body(place);
        }
    }
}

const _: () = assert!(FIRST > RECORDS);
