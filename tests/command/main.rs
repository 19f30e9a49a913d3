//! The real binary on the command line: exit status, streams, messages, tables, inputs of every kind.

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
mod case_studies;
mod cli;
mod completions;
mod coverage;
#[path = "../support/coverage.rs"]
mod coverage_page;
mod devices;
mod directories;
mod docs;
#[path = "../support/faults.rs"]
mod fault;
mod faults;
mod flame;
mod formats;
mod graphs;
mod inputs;
mod insights;
mod kineto;
mod limits;
mod operators;
mod paddle;
mod paddle_json;
mod paddle_timer;
#[path = "../support/paddle_writer.rs"]
mod paddle_writer;
mod queries;
mod ranks;
mod recordings;
mod render;
mod rows;
#[path = "../support/scratch.rs"]
mod scratch;
mod serving;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/spool.rs"]
mod spool;
mod stacks;
mod streams;
mod tables;
#[path = "../support/tools.rs"]
mod tools;
#[path = "../support/training.rs"]
mod training;
mod views;
mod writing;
