//! Errors of converting and writing traces.

use std::io;

use thiserror::Error;

/// Why a trace could not be converted or written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The input is not Paddle's protobuf.
    #[error("this is not Paddle's protobuf: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// The input is not JSON, or its messages have another structure than this program writes.
    #[error("this is not the JSON that proftui convert writes: {0}")]
    Json(#[from] serde_json::Error),
    /// The input is JSON without messages.
    #[error(
        "this JSON has no protobuf messages: only JSON that proftui convert wrote from a .pb can be converted to .pb"
    )]
    NoMessages,
    /// An event of the JSON comes before any event that could be its parent.
    #[error("event {event} of traceEvents: {what}")]
    Order {
        /// Index of the event in `traceEvents`.
        event: usize,
        /// Which event comes before which of its possible parents, as a message for the user.
        what: &'static str,
    },
    /// Writing failed.
    #[error("cannot write the file: {0}")]
    Io(#[from] io::Error),
}
