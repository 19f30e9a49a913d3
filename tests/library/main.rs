//! The library by its public interface, and rules of the source tree.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod agreement;
mod copies;
mod crates;
mod efficiency;
mod fluid;
mod fuzz_findings;
#[path = "../../benches/src/generate.rs"]
mod generate;
mod graph_names;
mod hta;
mod import;
mod kineto;
mod late_rank;
mod layering;
mod layouts;
mod locality;
mod memory_history;
#[path = "../support/mixed.rs"]
mod mixed;
mod occupancy;
mod paddle_stats;
mod parts;
mod ranges;
mod real_traces;
mod recording;
mod repeating;
mod scheduler;
#[path = "../support/scratch.rs"]
mod scratch;
mod serving;
#[path = "../support/skip.rs"]
mod skip;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/source.rs"]
mod source;
mod supply;
mod tables;
#[path = "../support/tally.rs"]
mod tally;
#[path = "../support/tools.rs"]
mod tools;
mod views;
mod visualdl;
#[path = "../support/watchdog.rs"]
mod watchdog;
mod ways;
mod words;
