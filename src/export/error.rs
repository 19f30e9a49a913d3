//! Why something could not be written as something else.

use std::io;

use thiserror::Error;

/// Why a trace could not be converted.
#[derive(Debug, Error)]
pub enum ExportError {
    /// Not the protobuf it should be.
    #[error("not Paddle's protobuf: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// Not JSON, or not as this program writes it.
    #[error("cannot be read as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of another writer.
    #[error(
        "no event carries its protobuf message: only JSON that convert wrote from a .pb can be turned back into one"
    )]
    NoMessages,
    /// An event in a place where it cannot be.
    #[error("event {event}: {what}")]
    Order {
        /// Its place among the events, from 0.
        event: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// Writing failed.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
}
