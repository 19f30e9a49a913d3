//! Which slices of a lane lie in which others, found without visiting all slices around each slice.
//!
//! Such visits would take time proportional to the number of slices times their depth. Must not know what the
//! slices are.

mod innermost;
mod jumps;
mod repeats;
mod walk;

pub(in crate::analysis) use innermost::Innermost;
pub(in crate::analysis) use jumps::Jumps;
pub(crate) use repeats::Repeats;
pub(in crate::analysis) use repeats::SHALLOW;
