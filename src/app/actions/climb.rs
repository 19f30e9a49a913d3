//! Going up by one: out of a frame of a flame, then from the selection, the stretch and a part of the trace
//! to the whole.
//!
//! Must not know which key does it.

use crate::app::pane::panes::Region;
use crate::app::state::State;

impl State {
    /// Leaves what the user went into last: a frame of a flame in the pane, the selected event or gap, the
    /// stretch, or the part of the trace on the screen. Says so if there is nothing to leave.
    pub(crate) fn climb(&mut self) {
        if self.panes.region() == Region::Pane && self.leave_frame() {
            return;
        }
        if self.selected.selection().is_some() {
            self.select(None);
            self.leave_gap();
        } else if !self.clear_stretch() && !self.show_whole() {
            self.say("this is the whole trace: nothing to go up to");
        }
    }

    /// Shows the whole trace; false if it is shown already.
    pub(crate) fn show_whole(&mut self) -> bool {
        let (view, all) = (self.timeline.viewport(), self.session.trace.main_span);
        let is_whole = view.start <= all.start && view.end >= all.end;
        if !is_whole {
            self.timeline.fit_all(&self.session.trace);
        }
        !is_whole
    }
}
