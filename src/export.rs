//! Writing traces: Paddle's trees as its JSON and as its protobuf, one into the other without loss.
//!
//! `json` writes events as Paddle does, each with its protobuf message among its arguments; `protobuf` takes those messages
//! back; `recording` writes what was captured; `pack` compresses what is written. Must not know how a trace is read for viewing, nor files by name.

mod error;
mod json;
mod pack;
mod protobuf;
pub mod recording;
mod time;

#[cfg(test)]
mod tests;

pub use error::ExportError;
pub use json::write_json;
pub use pack::{Packing, pack};
pub use protobuf::{decode, encode, from_json};
