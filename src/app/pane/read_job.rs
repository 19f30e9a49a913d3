//! The job of reading an event again from its file, for its arguments; or of finding what a thread did while
//! a device was idle.
//!
//! Must not know how arguments are shown.

use std::sync::Arc;

use proftui_trace::model::Origin;

use super::details::event::EventLines;
use super::details::gap;
use crate::app::run::Run;
use crate::app::session::{Selection, Session};

/// The job of reading an event again for its arguments, or of finding what a thread did in a gap of a device.
#[derive(Clone, Debug)]
pub struct ReadJob {
    pub(crate) session: Arc<Session>,
    /// The selected event, which is to be read, or the selected gap of a device.
    pub(crate) selection: Selection,
    /// Where the event and, if there is one, its separate end event are in the files; empty for a gap.
    pub(crate) origins: Vec<Origin>,
}

impl ReadJob {
    /// True when the job is for `selection` in `session`.
    pub(crate) fn is_for(&self, session: &Arc<Session>, selection: Option<Selection>) -> bool {
        Arc::ptr_eq(&self.session, session) && selection == Some(self.selection)
    }
}

impl Run for ReadJob {
    const IS_CANCELLED: bool = false;
    type Done = EventRead;

    /// The largest number, so that the job never runs on the thread that draws.
    fn cost(&self) -> u64 {
        u64::MAX
    }

    /// Reads the event from the trace's files, or finds what a thread did in the gap. May block for as long
    /// as the disk does.
    fn run(self) -> EventRead {
        let texts = || self.origins.iter().map(|&origin| self.session.texts.read(origin)).collect();
        let lines = match self.selection {
            Selection::Idle(group, gap) => gap::evidence(&self.session, group, gap),
            Selection::Slice(id) => EventLines::of(texts()).with_script_line(&self.session, id),
            Selection::Gap(..) | Selection::Instant(_) => EventLines::of(texts()),
        };
        EventRead { job: self, lines }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.is_for(&other.session, Some(other.selection))
    }
}

/// The result of a [`ReadJob`]: the job itself and the lines to insert into the details.
#[derive(Debug)]
pub struct EventRead {
    pub(crate) job: ReadJob,
    /// The lines that the job read for the details of the selected event or gap.
    pub(crate) lines: EventLines,
}
