//! Captures of programs that use a GPU which is not there: what the fakes of `tests/fake-cuda` deliver is what traces hold.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "capture/run.rs"]
#[allow(dead_code, reason = "some of it is for other tests")]
mod run;
#[path = "support/skip.rs"]
mod skip;

#[path = "cuda/counts.rs"]
mod counts;
#[path = "cuda/late.rs"]
mod late;
#[path = "cuda/ranges.rs"]
mod ranges;
#[path = "cuda/reasons.rs"]
mod reasons;
#[path = "cuda/rig.rs"]
mod rig;
#[path = "cuda/trouble.rs"]
mod trouble;
