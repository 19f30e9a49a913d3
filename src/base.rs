//! The ground: time, text, interning, number formatting.
//!
//! Owns the few types every other module speaks in. Must not know what a trace is.

pub mod fmt;
pub mod intern;
pub mod lossless;
pub mod text;
pub mod time;
