//! `proftui capture` by the real binary: the program is left as it is, its steps become traces, and what goes wrong is said.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

mod cuda;
mod end;
mod gpu;
mod module;
mod odd;
mod ops;
mod output;
mod run;
mod shim;
#[path = "../support/skip.rs"]
mod skip;
mod steps;
