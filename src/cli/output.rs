//! Where results go: standard output and error, and files.
//!
//! Must not know what is written.

pub(super) mod save;
pub(super) mod streams;
pub(super) mod width;
