//! The options that several commands share, and the parsers of their values.
//!
//! Must not know what a command does with them.

pub(super) mod functions;
pub(super) mod keep_last;
pub(super) mod look;
pub(super) mod open_args;
pub(super) mod ops;
pub(super) mod peaks;
pub(super) mod renames;
pub(super) mod scope;
pub(super) mod select;
pub(super) mod settings;
pub(super) mod values;
