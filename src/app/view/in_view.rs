//! What the lines show of the time in the viewport, kept while the viewport stays: a screen drawn after a
//! move of the focus or the selection shows the same. Whoever replaces the session must replace this, too.
//!
//! Must not know how it is drawn.

use std::rc::Rc;

use proftui_base::time::{Ns, Span};
use proftui_trace::index::Cell;
use proftui_trace::model::RowId;

use super::busy;
use super::kept::Kept;
use super::line::{Line, LineKind};
use crate::app::session::Session;

/// The busy time of a line, and the time of which it is a share, ns; none for a line without a busy share.
type Share = Option<(Ns, Ns)>;

/// Keeps cells of rows, busy times of lines, and which rows have events, while the time range asked for
/// and, for cells, the number of columns stay.
#[derive(Debug, Default)]
pub(crate) struct InView {
    cells: Kept<(Span, u16), RowId, Rc<[Cell]>>,
    shares: Kept<Span, (LineKind, bool), Share>,
    has_event: Kept<Span, RowId, bool>,
}

impl InView {
    /// The cells of a row in the time range `view`, drawn in `columns` columns.
    pub(crate) fn cells(&self, session: &Session, row: RowId, view: Span, columns: u16) -> Rc<[Cell]> {
        self.cells.get((view, columns), row, || {
            let mut cells: Rc<[Cell]> = std::iter::repeat_n(Cell::EMPTY, columns.into()).collect();
            if let Some(cells) = Rc::get_mut(&mut cells) {
                session.index.cells(&session.trace, row, view, cells);
            }
            cells
        })
    }

    /// The busy time of a line in `view`, and the time of which it is a share, ns, as [`busy::of`] computes
    /// them.
    pub(crate) fn share(&self, session: &Session, line: &Line, view: Span) -> Share {
        self.shares.get(view, (line.kind, line.is_head), || busy::of(session, line, view))
    }

    /// True if the row has an event in the time range `time`.
    pub(crate) fn has_event(&self, session: &Session, row: RowId, time: Span) -> bool {
        let Session { trace, index, .. } = session;
        self.has_event.get(time, row, || {
            // The search that takes less time first.
            index.has_start(trace, row, time.start, time.end) || index.at(trace, row, time.start).is_some()
        })
    }
}
