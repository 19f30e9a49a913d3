//! What lies in what on a lane, in time proportional to the number of slices, however deep they are nested.
//!
//! To visit all slices around each slice would take the square of the depth. Must not know what the slices are.

mod innermost;
mod jumps;
mod repeats;
mod walk;

pub(super) use innermost::Innermost;
pub(super) use jumps::Jumps;
pub(super) use repeats::{Repeats, SHALLOW};
