//! Reads a growing file piece by piece. Must not know what is in it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Reads a growing file, each time from where the last read ended.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Offset up to which the file was read.
    offset: u64,
    /// Bytes that were read and not parsed yet.
    unparsed: Vec<u8>,
}

impl Tail {
    /// Reads the bytes that were added to the file at `path` since the last read, and returns the first
    /// result of `parse`. `parse` gets the bytes that it left unused last time, followed by the new ones; its
    /// second result is how many bytes it used.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub(super) fn read<T>(&mut self, path: &Path, parse: impl FnOnce(&[u8]) -> (T, usize)) -> io::Result<T> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        self.offset += file.read_to_end(&mut self.unparsed)? as u64;
        let (parsed, used) = parse(&self.unparsed);
        self.unparsed.drain(..used);
        Ok(parsed)
    }
}
