//! Why a run's supervisor does not write what it is asked for.
//!
//! Must not know how the answer gets to who asked.

use crate::capture::trace_writer::error::TraceError;

/// Why a supervisor does not write the trace or dump that it is asked for.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The cycle of a request is not the newest ended cycle that is kept of its process.
    #[error("the recorded cycle has been replaced by a newer one, or has not ended")]
    NotNewest,
    /// A dump is requested, and the capture keeps no ring.
    #[error("the capture keeps no ring")]
    NoRing,
}
