//! The explorer, without a terminal and on a real one.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

#[path = "../support/binary.rs"]
mod binary;
#[path = "../support/coverage.rs"]
mod coverage_page;
#[path = "../support/escapes.rs"]
mod escapes;
mod explorer;
#[path = "../support/faults.rs"]
mod fault;
mod pty;
#[path = "../support/pty.rs"]
mod rig;
#[path = "../support/scratch.rs"]
mod scratch;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/tape.rs"]
mod tape;
#[path = "../support/tools.rs"]
mod tools;
