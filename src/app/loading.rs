//! The progress of loading, and what is on the screen before there is anything of the trace to show.
//!
//! Must not know how loading works.

/// The progress of loading: bytes and events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes read so far.
    pub read: u64,
    /// Bytes to read in all; 0 when not known.
    pub total: u64,
    /// Events read so far.
    pub events: u64,
}

impl LoadProgress {
    /// The share of the bytes that has been read, in whole percents; none where the total is not known.
    pub fn percent(self) -> Option<u64> {
        (self.total > 0).then(|| (self.read.min(self.total) * 100) / self.total)
    }
}

/// A load that goes on while a trace or a part of one is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loading {
    /// The progress of the load.
    pub progress: LoadProgress,
    /// What is on the screen meanwhile.
    pub shown: Shown,
}

/// What the explorer shows while it loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A snapshot: the part of the trace that had been read when it was taken.
    Snapshot,
    /// The whole trace as it was loaded before; its files are being loaded again.
    Previous,
}

/// The loading screen, which is shown before the first snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadingScreen {
    /// The name of the first file.
    pub name: String,
    /// The cost of loading, in one line; empty until it is known.
    pub preflight: String,
    /// The progress of the load.
    pub progress: LoadProgress,
}

/// Why the program ends when the keyboard is gone.
pub(super) fn keyboard_lost(why: &str) -> String {
    format!("the keyboard can no longer be read: {why}")
}

/// Why the program ends when a thread panicked while it loaded.
pub(super) fn loading_failed(what: &str) -> String {
    format!("loading failed: {what}; this is a bug in proftui, please report it")
}
