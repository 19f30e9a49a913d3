//! The types that every other module uses: time, safe text, interned strings, number formatting.
//!
//! Must not know what a trace is.

pub mod fmt;
pub mod intern;
pub mod lossless;
pub mod shorten;
pub mod text;
pub mod time;
