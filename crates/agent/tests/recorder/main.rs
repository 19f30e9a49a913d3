//! The recorder in real Python interpreters, under clients of NVTX and ITT, and in programs with a simulated
//! GPU: the tests compare what a program did with the files on disk afterwards. Versions of Python that are
//! not installed are not tried, and are listed as skipped; under `CI=true` at least one must be installed.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod client;
mod devices;
#[path = "../../../../tests/support/fakes.rs"]
mod fakes;
mod gpu;
mod itt;
mod limits;
mod nvtx;
mod processes;
mod ranges;
mod rig;
mod ring;
#[path = "../../../../tests/support/skip.rs"]
mod skip;
mod survival;
#[path = "../../../../tests/support/tools.rs"]
mod tools;
