//! What is selected in the timeline, the content of the Details pane for it, and which line of the pane has
//! the focus.
//!
//! Must not know how an event is found, nor when its arguments are read.

use std::sync::Arc;

use proftui_base::time::Span;
use proftui_trace::model::{SliceId, Trace};

use super::details::Details;
use super::details::event::EventLines;
use super::read_job::{EventRead, ReadJob};
use crate::app::session::{Selection, Session};

/// The selection, and its details.
#[derive(Debug, Default)]
pub struct Selected {
    selection: Option<Selection>,
    details: Details,
    /// The line of the details with the focus, an index into their lines.
    line: usize,
}

impl Selected {
    /// The selected event, gap or instant; none if nothing is selected.
    pub fn selection(&self) -> Option<Selection> {
        self.selection
    }

    /// The Details pane's content for the selection.
    pub fn details(&self) -> &Details {
        &self.details
    }

    /// The line of the Details pane with the focus, an index into its lines.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The selected slice; none if a gap, an instant or nothing is selected.
    pub fn slice(&self) -> Option<SliceId> {
        match self.selection {
            Some(Selection::Slice(id)) => Some(id),
            _ => None,
        }
    }

    /// The time of the selected slice or gap; none if an instant or nothing is selected.
    pub(crate) fn span(&self, trace: &Trace) -> Option<Span> {
        match self.selection? {
            Selection::Slice(id) => Some(trace.slices.span(id)),
            Selection::Gap(_, gap) | Selection::Idle(_, gap) => Some(gap),
            Selection::Instant(_) => None,
        }
    }

    /// Replaces the selection and its details, with the focus on the first line; `is_snapshot` is true while
    /// the trace is still being read. False if the selection is the same.
    pub(crate) fn replace(
        &mut self,
        session: &Session,
        selection: Option<Selection>,
        is_snapshot: bool,
    ) -> bool {
        if self.selection == selection {
            return false;
        }
        let details = Details::of(session, selection, is_snapshot);
        *self = Self { selection, details, line: 0 };
        true
    }

    /// The job of reading more about the selected event or gap of a device; none if there is nothing to read.
    pub(crate) fn to_read(&self, session: &Arc<Session>) -> Option<ReadJob> {
        let selection = self.selection?;
        let origins = Details::origins(&session.trace, selection);
        let is_gap = matches!(selection, Selection::Idle(..));
        let session = Arc::clone(session);
        (is_gap || !origins.is_empty()).then_some(ReadJob { session, selection, origins })
    }

    /// Adds the line "reading …" to the details if `job` is for the selection in `session`.
    pub(crate) fn say_reading(&mut self, session: &Arc<Session>, job: Option<&ReadJob>) {
        if job.is_some_and(|job| job.is_for(session, self.selection)) {
            self.details.say_reading();
        }
    }

    /// Inserts what a job has read into the details. False, without a change, if the selection or session is
    /// another one by now.
    pub(crate) fn take(&mut self, session: &Arc<Session>, read: EventRead) -> bool {
        if !read.job.is_for(session, self.selection) {
            return false;
        }
        let EventLines { arguments, fields } = read.lines;
        self.line = self.details.add_event(arguments, fields, self.line);
        true
    }

    /// Moves the focus by `by` lines (negative: up), at most to the first or last line.
    pub(crate) fn move_line(&mut self, by: isize) {
        let last = self.details.lines.len().saturating_sub(1);
        self.line = self.line.saturating_add_signed(by).min(last);
    }

    /// The event that the line with the focus links to; none if it links to none.
    pub(crate) fn target(&self) -> Option<SliceId> {
        self.details.lines.get(self.line)?.target
    }
}
