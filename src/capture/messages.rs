//! What a capture prints while it runs, and the tables that it prints at the end.
//!
//! Must not know how traces are written.

pub(super) mod first_line;
pub mod perf_summary;
pub mod status;
