//! The panes that there are, and the regions of the screen that keys can act on.
//!
//! Must not know which pane is shown.

use proftui_insight::analysis::ledger::hosts::says_what_the_host_did;
use proftui_insight::analysis::{VIEWS, View};

use crate::app::session::Session;

/// The content of the lower part of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The details of the selected event or gap.
    #[default]
    Details,
    /// The summary of a view, by the view's index in [`VIEWS`].
    Table(usize),
    /// The list of what the last search found.
    Found,
}

impl Pane {
    /// The pane of the verdict, the view that says what limits the run; none if there is no such view.
    pub fn verdict() -> Option<Self> {
        View::verdict().map(Self::Table)
    }

    /// The pane that is shown first: the verdict or, in a trace that says neither what a device nor what the
    /// host did, who holds the memory, else the details.
    pub(crate) fn first(session: &Session) -> Self {
        if !session.ledger.devices.is_empty() || says_what_the_host_did(&session.trace) {
            return Self::verdict().unwrap_or_default();
        }
        let peak = VIEWS.iter().position(|view| view.name == "peak").map(Self::Table);
        peak.filter(|_| !session.trace.memory.is_empty()).unwrap_or_default()
    }

    /// The pane's name on its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Details => "Here",
            Self::Table(view) => VIEWS[view].tab,
            Self::Found => "Found",
        }
    }
}

/// The part of the screen that the movement keys act on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Region {
    /// The timeline with its lines.
    #[default]
    Timeline,
    /// The pane in the lower part of the screen.
    Pane,
}
