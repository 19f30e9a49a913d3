//! The format of device chunks: files of records about device work and the calls that launch it, made from
//! CUPTI's records. They are named `c<cycle>.g<n>`, in the process's folder.
//!
//! Each record begins with its kind and length, by which a reader skips unknown kinds. A word of the header
//! counts the bytes of complete records; it is stored after the records. Little endian; times are ns of the
//! monotonic clock.
//!
//! | offset | content |
//! | --- | --- |
//! | 0 | [`MAGIC`], written last: a chunk that has it has a complete header |
//! | 4 | version, u16, then two zero bytes |
//! | 8 | process id, u32, then zeros |
//! | 16 | cycle, u32, from 1 |
//! | 20 | index of the chunk among those of the process and the cycle, u32, from 0 |
//! | 24 | bytes of complete records, u64 |
//! | 32 | records of the cycle that were lost so far, u64: the last chunk has the cycle's count |
//! | 64 | records: kind u16, length in 64-bit words u16, then the fields that [`record`] lists |
//!
//! Descriptions of devices, contexts, streams and their names are written again in every cycle: the files of
//! a cycle can be read without those of others. A description may come after records that refer to it.
//!
//! - [`record`]: the kinds of records and their fields.
//! - [`reason`]: reasons why there are no device records; [`answer`]: CUPTI's error codes, and the reason
//!   that each is.
//! - [`search`]: folders and file names of CUPTI.

pub mod answer;
pub mod reason;
pub mod record;
mod record_values;
pub mod search;

pub use reason::Reason;
pub use record::Record;

use std::time::Duration;

/// Usual time between two of the recorder's periodic flushes, by which CUPTI delivers records.
pub const DELIVERY: Duration = Duration::from_secs(1);

use crate::chunk::{Unreadable, u32_at, u64_at};

/// Magic number at the start of every device chunk.
pub const MAGIC: [u8; 4] = *b"PFGP";
/// Version of the format of device chunks.
pub const VERSION: u16 = 1;
/// Byte offset, in a device chunk, of the number of bytes of complete records.
pub const COMMITTED: usize = 24;
/// Byte offset, in a device chunk, of the number of records of the cycle that were lost so far.
pub const LOST: usize = 32;
/// Byte offset, in a device chunk, of the first record.
pub const RECORDS: usize = 64;

/// The numbers in a device chunk's header by which the chunk is identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Id of the process that wrote the chunk.
    pub pid: u32,
    /// Number of the cycle, from 1.
    pub cycle: u32,
    /// Index of the chunk among the device chunks of the process in the cycle, from 0.
    pub index: u32,
}

impl Header {
    /// Encodes the first [`COMMITTED`] bytes of the header.
    pub fn bytes(&self) -> [u8; COMMITTED] {
        let mut bytes = [0; COMMITTED];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        for (at, number) in [(8, self.pid), (16, self.cycle), (20, self.index)] {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// File name of the chunk: `c<cycle>.g<index>`.
    pub fn file(&self) -> String {
        format!("c{}.g{}", self.cycle, self.index)
    }
}

/// A device chunk with its header decoded; the chunk may still be being written.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The chunk's header.
    pub header: Header,
    /// How many records of the cycle were lost so far, as the chunk's header states.
    pub lost: u64,
    /// The bytes of the complete records, as far as the file has them.
    records: &'a [u8],
    /// How many bytes of records the header counts beyond the end of the file; 0 for a whole file.
    missing: u64,
}

impl<'a> Chunk<'a> {
    /// Decodes the header of a device chunk; [`Chunk::records`] decodes the records.
    ///
    /// # Errors
    /// If `bytes` is shorter than a header, or no device chunk of version [`VERSION`].
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
        let (room, counted) = (bytes.len() - RECORDS, u64_at(bytes, COMMITTED));
        let committed = usize::try_from(counted).unwrap_or(usize::MAX).min(room);
        let (lost, missing) = (u64_at(bytes, LOST), counted - committed as u64);
        Ok(Self { header, lost, records: &bytes[RECORDS..RECORDS + committed], missing })
    }

    /// Returns an iterator that decodes the records, in the order in which the recorder wrote them.
    pub fn records(&self) -> Records<'a> {
        Records { remaining: self.records, unknown: 0, unread: self.missing }
    }
}

/// Iterator over the records of a device chunk, without records that cannot be decoded.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    remaining: &'a [u8],
    /// How many records were skipped so far, since they could not be decoded.
    pub unknown: u64,
    /// How many bytes of records the header counts that cannot be read, as far as the iterator knows.
    pub unread: u64,
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            let head = u32_at(self.remaining, 0);
            let bytes = (head >> 16) as usize * 8;
            if bytes == 0 || bytes > self.remaining.len() {
                self.unread = self.unread.saturating_add(self.remaining.len() as u64);
                self.remaining = &[];
                return None;
            }
            let (record, remaining) = self.remaining.split_at(bytes);
            self.remaining = remaining;
            if let Some(record) = Record::read(record) {
                return Some(record);
            }
            self.unknown += 1;
        }
    }
}

#[cfg(test)]
mod tests;
