//! Why a cycle is not written as a trace.
//!
//! Must not know who asked for the trace.

use std::path::PathBuf;

use proftui_trace::export::ExportError;

/// Why a cycle is not written as a trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The process whose cycle it is, is not known.
    #[error("the process of the recorded cycle is not known")]
    NoProcess,
    /// No range or event is recorded yet.
    #[error("nothing is recorded yet")]
    Empty,
    /// Writing into the output folder failed; the cause has been printed.
    #[error("the trace cannot be written to {}", folder.display())]
    NotWritten {
        /// The output folder.
        folder: PathBuf,
    },
    /// Writing to a path that a script named failed.
    #[error("{}: {why}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why the trace was not written.
        why: ExportError,
    },
}
