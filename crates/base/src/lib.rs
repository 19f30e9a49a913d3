//! What every other module uses: time, safe text, interned strings, typed ids, number formatting, memory,
//! new and regular files, command lines, cancelling.
//!
//! Must not know what a trace is.

pub mod budget;
pub mod cancel;
pub mod closed;
pub mod dispose;
pub mod fault;
pub mod fmt;
pub mod gallop;
pub mod heap;
pub mod ids;
pub mod intern;
pub mod leave;
pub mod lossless;
pub mod new_file;
pub mod regular;
pub mod shell;
pub mod shorten;
pub mod sparse;
pub mod text;
pub mod time;
pub mod varint;
