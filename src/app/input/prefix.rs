//! Keys that begin a command of two keys, such as `g` in `ge`.
//!
//! Must not know the commands.

use super::bindings::{self, Binding};

/// The first key of commands of two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// Goes somewhere: to a time, a step, a relative of the selected event.
    Go,
    /// Sorts the rows of the pane.
    Sort,
    /// Goes to a finding.
    Finding,
}

impl Prefix {
    /// The command that the first key runs, and its keys.
    pub fn binding(self) -> Binding {
        match self {
            Self::Go => bindings::GO,
            Self::Sort => bindings::SORT,
            Self::Finding => bindings::WHY,
        }
    }

    /// What stands before the second keys in the menu.
    pub fn title(self) -> &'static str {
        match self {
            Self::Go => "go to",
            Self::Sort => "sort by",
            Self::Finding => "go to finding",
        }
    }
}
