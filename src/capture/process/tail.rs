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
    /// Reads what was added to the file at `path`, and returns the first result of `parse`. `parse` gets all
    /// bytes that no earlier call used; its second result is how many it used.
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
