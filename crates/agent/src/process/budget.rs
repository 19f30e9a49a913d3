//! The account of the disk space that the process's chunks of a cycle take: what was taken, and the full
//! files of a ring. Knows neither the process nor what is in a file.

use std::collections::VecDeque;

use crate::clock;
use crate::files::OwnFolder;

/// The account of the disk space that the process's records of one cycle take.
#[derive(Default)]
pub(super) struct Budget {
    /// The cycle whose files are counted here; 0 before the first.
    pub cycle: u64,
    /// How many bytes of the limit the cycle's files take.
    pub(super) taken: u64,
    /// The limit of `taken`, bytes, if a full disk has lowered it; else `None`: the run's limit holds.
    pub(super) most: Option<u64>,
    /// True once the cycle gets no further chunk.
    pub(super) is_full: bool,
    /// How many of the ranges that the live page counts as lost are in the log so far.
    pub(super) lost: u64,
    /// In a ring, the files that nothing more is written to, in the order of their `until`.
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
    /// How many bytes of the ring the file counts as, usually its length.
    pub bytes: u64,
    /// How many ranges, device records or events of a framework's profiler are in the file; 0 if unknown.
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
    /// Makes the entry of a complete file, in which nothing ended later than now.
    pub(crate) fn new(name: String, bytes: u64, ranges: u64) -> Self {
        Self { name, bytes, ranges, until: clock::now() }
    }

    /// Lowers the time after which nothing in the file ended to `until`, ns, if that is earlier.
    pub(crate) fn until(self, until: u64) -> Self {
        Self { until: until.min(self.until), ..self }
    }
}

impl Budget {
    /// Adds a complete file to `full`, in the order of the files' `until`, and its bytes to `full_bytes`.
    pub(super) fn push(&mut self, file: FullFile) {
        self.full_bytes += file.bytes;
        // Buffers of CUPTI's may arrive in another order than that of their events.
        let at = self.full.iter().rposition(|other| other.until <= file.until).map_or(0, |at| at + 1);
        self.full.insert(at, file);
    }
}
