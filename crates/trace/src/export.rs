//! Writes traces: converts Paddle's node trees between JSON and protobuf without loss, and writes recordings
//! in both formats.
//!
//! `json` writes trees as Paddle's JSON: each event has its whole protobuf message among its arguments, and a
//! tree's root and header are in metadata events, which viewers skip. `protobuf` makes trees of those
//! messages again, byte for byte the file that Paddle wrote, except event kinds that Paddle's reader rejects:
//! these become `UserDefined` with the true kind in field 1000. A file is converted in memory and takes
//! several times its size. `paddle_json` makes protobuf of the JSON that Paddle itself wrote, and says what
//! that JSON lacks. `read` reads any of these forms. `recording` writes recorded cycles; `kineto` writes any
//! trace in the form of PyTorch's profiler; `pack` compresses.
//! Must not know how a trace is read for viewing, nor file names.

mod error;
mod json;
mod kineto;
mod pack;
mod paddle_json;
mod protobuf;
mod read;
pub mod recording;
mod time;

#[cfg(test)]
mod tests;

pub use error::ExportError;
pub use json::write_json;
pub use kineto::{Excerpt, Kineto, OWN_CATEGORY, ReadAgain, TakeArgument, nearest_category};
pub use pack::{Packing, pack};
pub use protobuf::{decode, encode, from_json, write_protobuf};
pub use read::{Converted, read};
