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
    /// Opens the list of what summaries can cover, or starts a job that makes the list.
    pub(crate) fn list_groups(&mut self) {
        let lane = self.timeline.focused().and_then(Line::lane);
        let job = ListJob { session: Arc::clone(&self.session), chosen: self.summaries.group_choice(), lane };
        match self.jobs.list.start(job) {
            Some(listed) => self.take_list(listed),
            None => self.say("listing the processes and devices …"),
        }
    }

    /// Opens the list that a job made, if it is of the present session and no dialog is open.
    pub(crate) fn take_list(&mut self, Listed { session, list }: Listed) {
        if !self.dialog.is_open() && Arc::ptr_eq(&session, &self.session) {
            self.message = None;
            self.dialog.open(list);
        }
    }

    /// Has summaries cover the lanes of `choice`, and says what they cover now.
    pub(crate) fn choose_group(&mut self, choice: GroupChoice) {
        self.summaries.choose_group(choice);
        self.say_scope();
    }

    /// Has all summaries be made again in a new session for the lanes of `renumbered` or, if none, for all
    /// lanes, with a message; `old` is the trace of the replaced session.
    pub(crate) fn renew_summaries(&mut self, renumbered: Option<GroupChoice>, old: &Trace) {
        if renumbered.is_none() {
            let title = self.summaries.group_choice().title(old).unwrap_or_default();
            self.say(format!("{title} is no longer in the trace; summaries cover all processes and devices"));
        }
        self.summaries.renew(renumbered.unwrap_or_default());
    }
}
