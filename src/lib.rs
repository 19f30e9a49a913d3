//! proftui: a terminal profiler for training and inference.
//!
//! What a trace is and says is in other crates: `proftui-trace` reads traces, `proftui-insight` says where
//! their time went, `proftui-base` has what all share, `proftui-wire` the formats of a run's files. The
//! modules of this crate; each may use only modules listed before it (a test checks this).
//!
//! - [`capture`] runs a program and records it
//! - [`app`] has the explorer's state and commands
//! - [`ui`] draws the explorer's state into cells of the screen
//! - [`term`] owns the terminal and the event loop
//! - [`picture`] writes a drawn screen as text, SVG or HTML
//! - [`cli`] has the subcommands and options

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test knows its numbers"
    )
)]

pub mod app;
pub mod capture;
pub mod cli;
pub mod picture;
pub mod term;
pub mod ui;
