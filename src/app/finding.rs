//! Searching events: what is typed, which events meet it, and the events that were found.
//!
//! Must not know the screen.

pub(super) mod matching;
pub mod query;
pub mod search;
