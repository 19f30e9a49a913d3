//! proftui: see where training and inference time goes, from a terminal.
//!
//! The map of the crate; each module may use only those named before it (a test holds them to it).
//!
//! - [`base`] is time, text, interning, number formatting
//! - [`model`] is the immutable trace
//! - [`import`] makes a trace from bytes
//! - [`export`] writes a trace as another format
//! - [`index`] says what lies in a span of time
//! - [`analysis`] makes summaries as tables
//! - [`report`] prints tables
//! - [`compat`] makes other tools' tables by their rules, and prints them as they do
//! - [`capture`] runs a program and records it
//! - [`app`] is the explorer's state and commands
//! - [`ui`] draws the state into cells
//! - [`term`] owns the terminal and the loop
//! - [`cli`] is the command line

pub mod analysis;
pub mod app;
pub mod base;
pub mod capture;
pub mod cli;
pub mod compat;
pub mod export;
pub mod import;
pub mod index;
pub mod model;
pub mod report;
pub mod term;
pub mod ui;
