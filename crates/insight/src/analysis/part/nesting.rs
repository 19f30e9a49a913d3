//! What lies in what on a lane, in time proportional to the number of slices, however deep they are nested.
//!
//! To visit all slices around each slice would take the square of the depth. Must not know what the slices
//! are.

mod innermost;
mod jumps;
mod repeats;
mod walk;

pub(in crate::analysis) use innermost::Innermost;
pub(in crate::analysis) use jumps::Jumps;
pub(in crate::analysis) use repeats::{Repeats, SHALLOW};
