//! The account of the disk space that the process's chunks of a cycle take: what was taken, and the full
//! files of a ring. Knows neither the process nor what is in a file.

use std::collections::VecDeque;

use crate::clock;
use crate::files::OwnFolder;

/// The disk space that the process's chunks of a cycle take.
#[derive(Default)]
pub(super) struct Budget {
    /// The cycle whose chunks are counted here; 0 before the first chunk.
    pub cycle: u64,
    /// Total length of the cycle's chunks, bytes; in a ring also of the files of frameworks' profilers.
    pub(super) taken: u64,
    /// The limit, if it is less than the run's because the disk was full, bytes.
    pub(super) most: Option<u64>,
    /// True once the cycle gets no further chunk.
    pub(super) is_full: bool,
    /// How many lost ranges, of all cycles, that had no chunk to be counted on have been logged as lost.
    pub(super) lost: u64,
    /// In a ring, the files that nothing more is written to, in the order of their last events.
    pub(super) full: VecDeque<FullFile>,
    /// Total length of the files in `full`, bytes.
    pub(super) full_bytes: u64,
    /// In a ring of steps, when the last steps began, the oldest first, ns.
    pub(super) begins: VecDeque<u64>,
}

/// A file of a ring that nothing more is written to.
pub(crate) struct FullFile {
    /// The file's name in the process's folder.
    pub name: String,
    /// How much of the ring the file takes, bytes: its length, or half of the ring if that is less.
    pub bytes: u64,
    /// How many ranges are in it.
    pub ranges: u64,
    /// Nothing in it ended later than this, ns.
    pub(super) until: u64,
}

/// Disk space granted to a chunk.
pub(crate) struct Reservation {
    /// The folder for the chunk's file.
    pub folder: OwnFolder,
    /// The id of this process.
    pub pid: u32,
    /// The length of the file to make, bytes.
    pub bytes: usize,
}

impl FullFile {
    /// A file that is full now.
    pub(crate) fn new(name: String, bytes: u64, ranges: u64) -> Self {
        Self { name, bytes, ranges, until: clock::now() }
    }

    /// The file with nothing in it that ended after `until`, ns, where that is before now.
    pub(crate) fn until(self, until: u64) -> Self {
        Self { until: until.min(self.until), ..self }
    }
}

impl Budget {
    /// Adds a file that is full to the ring.
    pub(super) fn push(&mut self, file: FullFile) {
        self.full_bytes += file.bytes;
        // Buffers of CUPTI's may arrive in another order than that of their events.
        let at = self.full.iter().rposition(|other| other.until <= file.until).map_or(0, |at| at + 1);
        self.full.insert(at, file);
    }
}
