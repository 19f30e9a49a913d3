//! proftui: a terminal profiler for training and inference.
//!
//! The modules of the crate; each may use only modules listed before it (a test checks this).
//!
//! - [`base`] has times, safe text, interned strings, number formatting
//! - [`model`] is the immutable trace
//! - [`import`] reads trace files and builds a trace
//! - [`export`] writes a trace as another format
//! - [`index`] finds the events in a span of time
//! - [`analysis`] computes summaries, as tables
//! - [`report`] prints tables
//! - [`compat`] computes the tables of other tools by their rules, and prints them in their layout
//! - [`capture`] runs a program and records it
//! - [`app`] has the explorer's state and commands
//! - [`ui`] draws the explorer's state into cells of the screen
//! - [`term`] owns the terminal and the event loop
//! - [`picture`] writes a drawn screen as text, SVG or HTML
//! - [`cli`] has the subcommands and options

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
pub mod picture;
pub mod report;
pub mod term;
pub mod ui;
