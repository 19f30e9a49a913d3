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
    /// Opens the list of what summaries can cover: all lanes, the focused lane, workers, processes, devices,
    /// of those with events. What they cover now is the chosen item; if the list lacks that, the first item
    /// is. If there are many lanes, a job makes the list, and a message says so.
    pub(crate) fn list_groups(&mut self) {
        let lane = self.timeline.focused().and_then(Line::lane);
        let job = ListJob { session: Arc::clone(&self.session), chosen: self.summaries.group_choice(), lane };
        match self.jobs.list.start(job) {
            Some(listed) => self.take_list(listed),
            None => self.say("listing the processes and devices …"),
        }
    }

    /// Opens the list that a job made, and clears the message, unless the list is of another session or a
    /// prompt, a list or the help is open.
    pub(crate) fn take_list(&mut self, Listed { session, list }: Listed) {
        if !self.dialog.is_open() && Arc::ptr_eq(&session, &self.session) {
            self.message = None;
            self.dialog.open(list);
        }
    }

    /// Has all summaries cover the lanes of `choice`, and says which lanes and which time they cover now.
    pub(crate) fn choose_group(&mut self, choice: GroupChoice) {
        self.summaries.choose_group(choice);
        self.say_scope();
    }

    /// Has summaries be made again for a new session, which has replaced the one of the trace `old`. They
    /// cover the lanes chosen before: `renumbered` is that choice in the numbers of the new trace; none if
    /// the new trace lacks the lanes. Summaries cover all lanes then, and a message says so.
    pub(crate) fn renew_summaries(&mut self, renumbered: Option<GroupChoice>, old: &Trace) {
        if renumbered.is_none() {
            let title = self.summaries.group_choice().title(old).unwrap_or_default();
            self.say(format!("{title} is no longer in the trace; summaries cover all processes and devices"));
        }
        self.summaries.renew(renumbered.unwrap_or_default());
    }
}
