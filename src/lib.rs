//! proftui: see where training and inference time goes, from a terminal.
//!
//! The map of the crate; each module may use only those named before it (a test holds them to it).
//!
//! - [`base`]: time, text, interning, number formatting
//! - [`model`]: the immutable trace
//! - [`import`]: bytes to trace
//! - [`index`]: what lies in a span of time

pub mod base;
pub mod import;
pub mod index;
pub mod model;
