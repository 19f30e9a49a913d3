//! No view, layout, import or conversion does more than n log n work: each of them on inputs of many shapes,
//! with n and 10 n events; and directories of n and 10 n files.
//!
//! `.ci/long tests` and `.ci/long growth` run it. A program of its own with one test, since its allocator and
//! its clock count the whole process. `--nocapture` prints the table.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod directories;
mod events;
mod growth;
mod meter;
mod ranks;
#[path = "../support/scratch.rs"]
mod scratch;
mod shapes;
mod works;
