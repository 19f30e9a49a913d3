//! `proftui capture` by the real binary: the program is left as it is, its steps become traces, and what goes
//! wrong is said.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod answer;
mod assets;
#[path = "../support/binary.rs"]
mod binary;
mod causes;
mod children;
mod cuda;
mod end;
mod engines;
#[path = "../support/fakes.rs"]
mod fakes;
#[path = "../support/faults.rs"]
mod fault;
mod faults;
mod functions;
mod gpu;
mod guests;
mod module;
mod odd;
mod ops;
mod others;
mod output;
mod requests;
mod rings;
mod run;
#[path = "../support/scratch.rs"]
mod scratch;
#[path = "../support/skip.rs"]
mod skip;
mod steps;
#[path = "../support/tools.rs"]
mod tools;
