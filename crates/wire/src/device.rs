//! What devices did: chunks of records, as the device's own tracing told them. `c<cycle>.g<n>` in the process's folder.
//!
//! Records have several kinds and lengths, and say both, so that a reader passes over what it does not know. One word counts
//! the bytes that are whole; it is published after what it counts. Little endian; times are ns of the monotonic clock.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 | [`MAGIC`], written last: a chunk that has it has its header |
//! | 4 | version, u16, then two bytes of zeros |
//! | 8 | process, u32, then zeros |
//! | 16 | cycle, u32, from 1 |
//! | 20 | which chunk of the process in the cycle, u32, from 0 |
//! | 24 | bytes of whole records, u64 |
//! | 32 | records of the cycle for which there was no room so far, u64: the last chunk's count is the cycle's |
//! | 64 | records: kind u16, words of eight bytes in all u16, then what [`record`] says |
//!
//! What is known of devices, contexts, streams and their names is told anew in every cycle: its files can be read by
//! themselves. Such a record may stand behind those that need it.
//!
//! - [`record`]: the records, each as it is written and read.
//! - [`reason`]: why there is nothing of devices; [`search`]: where CUPTI may be.

pub mod reason;
pub mod record;
pub mod search;

pub use reason::Reason;
pub use record::Record;

use crate::chunk::{Unreadable, u32_at, u64_at};

/// What a chunk begins with.
pub const MAGIC: [u8; 4] = *b"PFGP";
/// Version of the format.
pub const VERSION: u16 = 1;
/// Where the count of whole bytes stands.
pub const COMMITTED: usize = 24;
/// Where the count of lost records stands.
pub const LOST: usize = 32;
/// Where the records begin.
pub const RECORDS: usize = 64;

/// What a chunk says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Process.
    pub pid: u32,
    /// Cycle, from 1.
    pub cycle: u32,
    /// Which chunk of the process in the cycle.
    pub index: u32,
}

impl Header {
    /// Its bytes up to the count of whole bytes.
    pub fn bytes(&self) -> [u8; COMMITTED] {
        let mut bytes = [0; COMMITTED];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        for (at, number) in [(8, self.pid), (16, self.cycle), (20, self.index)] {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The name of its file.
    pub fn file(&self) -> String {
        format!("c{}.g{}", self.cycle, self.index)
    }
}

/// A chunk, be it complete or still being written.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Whose it is.
    pub header: Header,
    /// Records of the cycle for which there was no room, up to this chunk's end.
    pub lost: u64,
    records: &'a [u8],
    /// Bytes of records that its count tells of and it does not have.
    missing: u64,
}

impl<'a> Chunk<'a> {
    /// Reads a chunk's header; its records are read as they are asked for.
    ///
    /// # Errors
    /// When it is none. Counts that reach beyond the bytes are cut, never believed.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Unreadable> {
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
        let header = Header { pid: u32_at(bytes, 8), cycle: u32_at(bytes, 16), index: u32_at(bytes, 20) };
        let (room, told) = (bytes.len() - RECORDS, u64_at(bytes, COMMITTED));
        let committed = usize::try_from(told).unwrap_or(usize::MAX).min(room);
        let (lost, missing) = (u64_at(bytes, LOST), told - committed as u64);
        Ok(Self { header, lost, records: &bytes[RECORDS..RECORDS + committed], missing })
    }

    /// The records, in the order in which they came: that of their ends, roughly.
    pub fn records(&self) -> Records<'a> {
        Records { rest: self.records, unknown: 0, unread: self.missing }
    }
}

/// The records of a chunk, one after the other. What has a length that cannot be ends them.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    /// Records passed over so far: of kinds that are not known here, or shorter than theirs.
    pub unknown: u64,
    /// Bytes that should be records and cannot be read: torn off, or, once all are read, behind an impossible length.
    pub unread: u64,
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            let head = u32_at(self.rest, 0);
            let bytes = (head >> 16) as usize * 8;
            if bytes == 0 || bytes > self.rest.len() {
                self.unread = self.unread.saturating_add(self.rest.len() as u64);
                self.rest = &[];
                return None;
            }
            let (record, rest) = self.rest.split_at(bytes);
            self.rest = rest;
            if let Some(record) = Record::read(record) {
                return Some(record);
            }
            self.unknown += 1;
        }
    }
}

#[cfg(test)]
mod tests;
