//! What a captured process writes and `proftui capture` reads: which steps are recorded, how long they took, and the formats
//! of the files that carry it across.
//!
//! Knows neither how bytes get into a file nor who draws them. Depends on nothing, because it is loaded into processes of
//! other people. Times are ns of the monotonic clock.
//!
//! - [`schedule`]: the state of a step.
//! - [`course`]: what a profiler does as steps go by.

#![forbid(unsafe_code)]

pub mod course;
pub mod schedule;
