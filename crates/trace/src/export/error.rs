//! Errors of converting and writing traces.

use std::io;

use thiserror::Error;

/// Why a trace could not be converted or written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The input is not Paddle's protobuf.
    #[error("this cannot be read as Paddle's protobuf: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// The JSON is invalid or has another structure than expected.
    #[error("this cannot be read as JSON of Paddle's profiler or of proftui convert: {0}")]
    Json(#[from] serde_json::Error),
    /// The input is JSON without protobuf messages.
    #[error("this is neither JSON that Paddle's profiler wrote nor JSON that proftui convert wrote")]
    NoMessages,
    /// The input is JSON that proftui recorded, which is not converted.
    #[error(
        "JSON that proftui recorded cannot be converted: for protobuf, record with proftui capture \
         --format pb"
    )]
    Recorded,
    /// An event of the JSON comes before any event that could be its parent.
    #[error("traceEvents[{event}]: {what}")]
    Order {
        /// Index of the event in `traceEvents`.
        event: usize,
        /// The message for the user, such as `a host event comes before any thread`.
        what: &'static str,
    },
    /// Events of the input cannot be read again, for the reason in this field.
    #[error("{0}")]
    Again(String),
    /// Writing failed.
    #[error("cannot write the file: {0}")]
    Io(#[from] io::Error),
}
