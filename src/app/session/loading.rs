//! The progress of loading, and the content of the loading screen.
//!
//! Must not know how loading works.

use std::io;
use std::sync::Arc;

use proftui_insight::ask::OpenError;

use crate::app::input::bindings::Keys;

/// The progress of loading: bytes and events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes read from the files so far, before any decompression.
    pub read: u64,
    /// Bytes to read in all, counted as in `read`; pipes, whose sizes are not known, count as 0.
    pub total: u64,
    /// Events read so far; counted twice if loading reads the files twice.
    pub events: u64,
    /// About how many more seconds reading takes, by the speed so far; none if that is not known.
    pub seconds_left: Option<u64>,
}

impl LoadProgress {
    /// The share of the bytes that has been read, in whole percents, rounded down; none if the total is not
    /// known.
    pub fn percent(self) -> Option<u64> {
        (self.total > 0).then(|| (self.read.min(self.total) * 100) / self.total)
    }
}

/// Why a trace is not loaded; the text is one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The trace or a capture trace cannot be loaded or used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The system starts no thread on which the trace could be loaded.
    #[error("no thread can be started to load the trace: {0}")]
    NoThread(io::Error),
}

/// A load that is in progress while a snapshot or the trace loaded before is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loading {
    /// The progress of the load.
    pub progress: LoadProgress,
    /// Which trace is on the screen during the load.
    pub shown: Shown,
}

/// Which trace is on the screen during a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A snapshot: the part of the trace that had been read when it was taken.
    Snapshot,
    /// The whole trace as it was loaded before; its files are being loaded again.
    Previous,
}

/// What the loading screen shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadingScreen {
    /// The key bindings in force, with the user's own.
    pub keys: Arc<Keys>,
    /// The name of the trace for the user, usually its first path.
    pub name: String,
    /// The estimated cost of loading one of the trace's large files, in one line; empty if there is no
    /// estimate.
    pub preflight: String,
    /// The progress of the load.
    pub progress: LoadProgress,
}

/// The message with which the program ends when the keyboard can no longer be read; `why` is the reason.
pub(crate) fn keyboard_lost(why: &str) -> String {
    format!("cannot read the keyboard any more: {why}")
}

/// The message with which the program ends when a thread panics during a load; `what` has the thread's name
/// and the panic's text.
pub(crate) fn loading_failed(what: &str) -> String {
    format!("failed while loading: {what}; this is a bug in proftui, please report it")
}
