//! The recorder in real Python interpreters: what programs do, what is on disk afterwards. Interpreters that are not installed
//! are passed over, with a line that says so.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "python/limits.rs"]
mod limits;
#[path = "python/processes.rs"]
mod processes;
#[path = "python/ranges.rs"]
mod ranges;
#[path = "python/rig.rs"]
mod rig;
#[path = "python/survival.rs"]
mod survival;
