//! The progress of loading, and the request to cancel it: shared between the loader and its caller.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters that the loader writes and its caller reads, and a flag by which the caller cancels loading.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicU64,
    read: AtomicU64,
    events: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// Sets the counters to 0, and the number of bytes to read to `total`.
    pub(crate) fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.read.store(0, Ordering::Relaxed);
        self.events.store(0, Ordering::Relaxed);
    }

    pub(crate) fn add_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_events(&self, n: u64) {
        self.events.fetch_add(n, Ordering::Relaxed);
    }

    /// Bytes of the files read so far, compressed if the files are. A file that is read twice counts twice.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes of the files to read in all, as [`Progress::read`] counts them. Pipes count as 0, since their
    /// sizes are not known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Number of events read so far, in both passes where loading reads the files twice.
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Cancels loading, which then usually fails with `ImportError::Cancelled`.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// True once [`Progress::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
