//! Choosing the worker (rank), process or device that summaries cover.
//!
//! Must not know how a table is made.

use std::sync::Arc;

use proftui_trace::model::Trace;

use crate::app::pane::group_choice::GroupChoice;
use crate::app::pane::group_list::{ListJob, Listed};
use crate::app::state::State;
use crate::app::view::line::Line;

impl State {
    /// Opens the list of workers, processes and devices, on the one that summaries cover; by a job if there
    /// are many.
    pub(crate) fn list_groups(&mut self) {
        let lane = self.timeline.focused().and_then(Line::lane);
        let job = ListJob { session: Arc::clone(&self.session), chosen: self.summaries.group_choice(), lane };
        match self.jobs.list.start(job) {
            Some(listed) => self.take_list(listed),
            None => self.say("listing the processes and devices …"),
        }
    }

    /// Opens the list that a job made, unless it is of another session or a prompt, a list or the help was
    /// opened since.
    pub(crate) fn take_list(&mut self, Listed { session, list }: Listed) {
        if !self.dialog.is_open() && Arc::ptr_eq(&session, &self.session) {
            self.message = None;
            self.dialog.open(list);
        }
    }

    /// Limits all summaries to the lanes of `choice`.
    pub(crate) fn choose_group(&mut self, choice: GroupChoice) {
        self.summaries.choose_group(choice);
        self.say_scope();
    }

    /// Has summaries cover the same lanes of the session that has replaced that of the trace `old`:
    /// `renumbered` is the choice there. None if the new trace lacks the chosen lanes: a message says so, and
    /// summaries cover all lanes.
    pub(crate) fn renew_summaries(&mut self, renumbered: Option<GroupChoice>, old: &Trace) {
        if renumbered.is_none() {
            let title = self.summaries.group_choice().title(old).unwrap_or_default();
            self.say(format!("{title} is no longer in the trace; summaries cover all processes and devices"));
        }
        self.summaries.renew(renumbered.unwrap_or_default());
    }
}
