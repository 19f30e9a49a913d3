//! The stretch of time that the user marked to see what is in it.
//!
//! Must not know how it is marked.

use proftui_base::time::{Ns, Span};

use super::table_pane::ScopeChoice;

/// A marked stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The time that the stretch covers.
    pub span: Span,
    /// True while the stretch follows the selection and the cursor.
    pub is_open: bool,
    /// The time of the event or gap, or the cursor's time, at which the user began to mark.
    anchor: Span,
    /// What summaries covered before a stretch was marked.
    before: ScopeChoice,
}

impl Stretch {
    /// A stretch of `span`, which follows the selection and the cursor if `is_open`. It notes what summaries
    /// covered before: `scope`, or what the `old` stretch noted, which it replaces.
    pub(crate) fn new(span: Span, is_open: bool, old: Option<Self>, scope: ScopeChoice) -> Self {
        let before = old.map_or(scope, |old| old.before);
        let before = if before == ScopeChoice::Stretch { ScopeChoice::Whole } else { before };
        Self { span, is_open, anchor: span, before }
    }

    /// What summaries covered before a stretch was marked.
    pub(crate) fn before(&self) -> ScopeChoice {
        self.before
    }

    /// Ends a stretch that is open; false if it is not.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::take(&mut self.is_open)
    }

    /// Has a stretch that is open extend from where it began to `here`; an ended stretch stays.
    pub(crate) fn follow(&mut self, here: Span) {
        if self.is_open {
            self.span = self.anchor.union(here);
        }
    }

    /// The time between the start of the event or gap at which the user began to mark and the start of
    /// `last`, ns; none if both are the same, or the user began at the cursor.
    pub(crate) fn start_to_start(&self, last: Span) -> Option<Ns> {
        (!self.anchor.is_empty() && last != self.anchor).then(|| (last.start - self.anchor.start).abs())
    }
}
