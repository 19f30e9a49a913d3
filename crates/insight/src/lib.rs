//! Says where the time of a trace went.
//!
//! The modules of the crate; each may use only modules listed before it (a test checks this). Must not know
//! the command line, the screen, nor how a program is recorded.
//!
//! - [`analysis`] computes summaries, as tables, the idle time of devices by cause, and findings
//! - [`report`] prints tables, findings, and the lines at the end of a capture
//! - [`compat`] computes the tables of other tools by their rules, and prints them in their layout
//! - [`dataset`] has a trace as tables for database engines
//! - [`ask`] makes the answer to a request: which tables, of which part, with which arguments

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test knows its numbers"
    )
)]

pub mod analysis;
pub mod ask;
pub mod compat;
pub mod dataset;
pub mod report;
