//! Reads traces of training and inference programs, whoever recorded them, and finds what is in them.
//!
//! The modules of the crate: [`import`], [`export`] and [`index`] use [`model`], and not each other. Must not
//! know what a summary is, nor how a trace is shown.
//!
//! ```no_run
#![doc = include_str!("../examples/kernels.rs")]
//! ```
//!
//! - [`model`] is the immutable trace
//! - [`import`] reads trace files and builds a trace
//! - [`export`] writes a trace as another format
//! - [`index`] finds the events in a span of time

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test knows its numbers"
    )
)]

pub mod export;
pub mod import;
pub mod index;
pub mod model;
