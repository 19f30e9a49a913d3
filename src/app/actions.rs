//! What commands do to several nouns of the state at once, a file a subject.
//!
//! Must not know which command asks for it.

mod choose_group;
mod choose_trace;
mod climb;
mod copy;
mod edit;
mod find;
mod flames;
mod follow;
mod gaps;
mod keep_session;
mod lanes;
mod mark_stretch;
mod migrate;
mod navigate;
mod panes;
pub(super) mod point;
mod prompt;
pub(super) mod select;
mod set_marks;
mod summaries;
