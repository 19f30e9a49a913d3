//! What the crates of traces and summaries and the program share: time, safe and shortened text, interned
//! strings, typed ids, formats of numbers, searches in sorted lists, memory, new and regular files, standard
//! output, command lines, cancelling, the end of the process, faults for tests.
//!
//! Must not know what a trace is.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test knows its numbers"
    )
)]

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
pub mod saturate;
pub mod shell;
pub mod shorten;
pub mod sparse;
pub mod text;
pub mod time;
pub mod varint;
