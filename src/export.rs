//! Writes traces: converts Paddle's node trees between JSON and protobuf without loss, and writes recordings in both formats.
//!
//! `json` writes trees as Paddle's JSON, each event with its protobuf message among its arguments; `protobuf` makes trees of those
//! messages again; `recording` writes what was captured; `pack` compresses. Must not know how a trace is read for viewing, nor file
//! names.

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
