//! The stretch of time that the user marked to see what is in it.
//!
//! Must not know how it is marked.

use proftui_base::time::Span;

use super::table_pane::ScopeChoice;

/// A marked stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The time that it covers.
    pub span: Span,
    /// True while it follows the selection and the cursor.
    pub is_open: bool,
    /// The time at which the user began to mark.
    pub(crate) anchor: Span,
    /// What summaries covered before it.
    pub(crate) before: ScopeChoice,
}
