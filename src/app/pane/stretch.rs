//! The stretch of time that the user marked to see what is in it.
//!
//! Must not know how it is marked.

use proftui_base::time::{Ns, Span};

use super::table_pane::ScopeChoice;

/// A stretch of time that the user marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The time that the stretch covers.
    pub span: Span,
    /// True while the stretch follows the selected event or gap, or else the cursor.
    pub is_open: bool,
    /// Where the user began to mark: usually the time of the selected event or gap, or of the cursor.
    anchor: Span,
    /// What time summaries covered before the user marked a stretch.
    before: ScopeChoice,
}

impl Stretch {
    /// A stretch of `span`, which follows the selection or cursor if `is_open`. `old` is the stretch that it
    /// replaces, if any, and `scope` the time that summaries cover until then.
    pub(crate) fn new(span: Span, is_open: bool, old: Option<Self>, scope: ScopeChoice) -> Self {
        let before = old.map_or(scope, |old| old.before);
        let before = if before == ScopeChoice::Stretch { ScopeChoice::Whole } else { before };
        Self { span, is_open, anchor: span, before }
    }

    /// What time summaries covered before the user marked a stretch.
    pub(crate) fn before(&self) -> ScopeChoice {
        self.before
    }

    /// Ends an open stretch, so that it follows the selection and the cursor no longer; false if it is not
    /// open.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::take(&mut self.is_open)
    }

    /// Has an open stretch cover the range in which the user began to mark, the range `here`, and the time
    /// between these; a stretch that was ended stays.
    pub(crate) fn follow(&mut self, here: Span) {
        if self.is_open {
            self.span = self.anchor.union(here);
        }
    }

    /// The time, ns, between the start of the range where the user began to mark and the start of `last`;
    /// none if the ranges are equal or the first is empty.
    pub(crate) fn start_to_start(&self, last: Span) -> Option<Ns> {
        (!self.anchor.is_empty() && last != self.anchor).then(|| (last.start - self.anchor.start).abs())
    }
}
