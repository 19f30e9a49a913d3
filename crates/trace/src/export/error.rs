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
    #[error("this is not the JSON that Paddle's profiler or proftui convert writes: {0}")]
    Json(#[from] serde_json::Error),
    /// The input is JSON without messages, and not Paddle's.
    #[error(
        "this JSON is neither Paddle's nor does it have protobuf messages: only JSON that Paddle's \
         export_chrome_tracing or proftui convert wrote can be converted"
    )]
    NoMessages,
    /// The input is JSON that proftui recorded.
    #[error(
        "proftui recorded this JSON, and only its own readers know all of it: record with proftui capture \
         --format pb for protobuf"
    )]
    Recorded,
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
