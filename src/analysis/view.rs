//! The list of all views: what `--view` names, what the panes show, what help lists.

use crate::model::Trace;

use super::{Scope, Table, overview, quality};

/// One summary that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it tells, in a few words.
    pub title: &'static str,
    /// Makes its table.
    pub run: fn(&Trace, &Scope) -> Table,
}

/// All views, in the order of `all`.
pub const VIEWS: &[View] = &[
    View { name: "overview", title: "Totals by category", run: overview::overview },
    View {
        name: "quality",
        title: "What was lost, repaired or odd",
        run: |trace, _| quality::quality(trace),
    },
];

impl View {
    /// The view of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }
}
