//! `proftui capture` by the real binary: the program is left as it is, its steps become traces, and what goes wrong is said.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "capture/end.rs"]
mod end;
#[path = "capture/gpu.rs"]
mod gpu;
#[path = "capture/odd.rs"]
mod odd;
#[path = "capture/ops.rs"]
mod ops;
#[path = "capture/output.rs"]
mod output;
#[path = "capture/run.rs"]
mod run;
#[path = "support/skip.rs"]
mod skip;
#[path = "capture/steps.rs"]
mod steps;
