//! proftui: see where training and inference time goes, from a terminal.
//!
//! The map of the crate; each module may use only those named before it (a test holds them to it).
//!
//! - [`base`]: time, text, interning, number formatting
//! - [`model`]: the immutable trace
//! - [`import`]: bytes to trace
//! - [`index`]: what lies in a span of time
//! - [`analysis`]: summaries as tables
//! - [`app`]: the explorer's state and commands
//! - [`ui`]: drawing the state into cells
//! - [`term`]: the terminal's life, the loop
//! - [`cli`]: subcommands

pub mod analysis;
pub mod app;
pub mod base;
pub mod cli;
pub mod import;
pub mod index;
pub mod model;
pub mod term;
pub mod ui;
