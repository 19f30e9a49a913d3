//! The account of the disk space that the process's chunks of a cycle take: what was taken, and the full
//! files of a ring. Knows neither the process nor what is in a file.

use std::collections::VecDeque;

use crate::clock;
use crate::files::OwnFolder;

/// The account of the disk space that the process's chunks of one cycle take.
#[derive(Default)]
pub(super) struct Budget {
    /// The cycle whose files are counted here; 0 before the first.
    pub cycle: u64,
    /// Total length of the cycle's chunks, bytes; in a ring without the files that were removed, and with the
    /// [`FullFile::bytes`] of the files of frameworks' profilers.
    pub(super) taken: u64,
    /// The limit of `taken`, bytes, once it is less than the run's limit because the disk was full; else
    /// `None`.
    pub(super) most: Option<u64>,
    /// True once the cycle gets no further chunk.
    pub(super) is_full: bool,
    /// How many ranges the log states as lost so far, in all cycles, of those that had no chunk to be counted
    /// on.
    pub(super) lost: u64,
    /// In a ring, the files that nothing more is written to, in the order of their last events.
    pub(super) full: VecDeque<FullFile>,
    /// Sum of the [`FullFile::bytes`] of the files in `full`.
    pub(super) full_bytes: u64,
    /// In a ring of steps, when the last steps began, the oldest first, ns.
    pub(super) begins: VecDeque<u64>,
}

/// A file of a ring that nothing more is written to.
pub(crate) struct FullFile {
    /// The file's name in the process's folder.
    pub name: String,
    /// How much of the ring the file takes, bytes: its length, but at most half of the ring if a framework's
    /// profiler wrote it.
    pub bytes: u64,
    /// How many ranges or device records are in the file; 0 if a framework's profiler wrote it.
    pub ranges: u64,
    /// A time, ns, after which nothing in the file ended.
    pub(super) until: u64,
}

/// Disk space granted to a chunk.
pub(crate) struct Reservation {
    /// The process's folder, in which the chunk's file is to be made.
    pub folder: OwnFolder,
    /// The id of this process.
    pub pid: u32,
    /// The length of the file to make, bytes.
    pub bytes: usize,
}

impl FullFile {
    /// A file to which nothing more is written from now on, so that nothing in it ended later than now.
    pub(crate) fn new(name: String, bytes: u64, ranges: u64) -> Self {
        Self { name, bytes, ranges, until: clock::now() }
    }

    /// The same file, of which the caller knows that nothing in it ended after `until`, ns; a time later than
    /// the one known so far has no effect.
    pub(crate) fn until(self, until: u64) -> Self {
        Self { until: until.min(self.until), ..self }
    }
}

impl Budget {
    /// Adds a file, to which nothing more is written, to `full`, in the order of the files' last events.
    pub(super) fn push(&mut self, file: FullFile) {
        self.full_bytes += file.bytes;
        // Buffers of CUPTI's may arrive in another order than that of their events.
        let at = self.full.iter().rposition(|other| other.until <= file.until).map_or(0, |at| at + 1);
        self.full.insert(at, file);
    }
}
