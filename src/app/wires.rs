//! The interface between the explorer and whoever runs it: messages, effects, jobs.
//!
//! Must not know threads.

pub mod jobs;
pub mod message;
pub(super) mod msg;
