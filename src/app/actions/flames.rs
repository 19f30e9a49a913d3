//! What commands do to the flame shown: zooming, going to an event, another weight or direction.
//!
//! Must not know how a flame is drawn.

use proftui_insight::analysis::flame::Direction;

use crate::app::input::bindings;
use crate::app::pane::icicle::Step;
use crate::app::pane::panes::Pane;
use crate::app::pane::summaries::is_flame;
use crate::app::pane::table_pane::TablePane;
use crate::app::state::State;
use crate::app::wires::message::Message;

impl State {
    /// Moves the focus in the flame shown from frame to frame by `step`. False if no flame is shown.
    pub(crate) fn move_frame(&mut self, step: Step) -> bool {
        self.table_mut().is_some_and(|pane| pane.move_frame(step))
    }

    /// Zooms into the focused frame of the flame or, where that is not possible, goes to the frame's longest
    /// counted event, if any. False if the flame is not the chart chosen.
    pub(crate) fn enter_frame(&mut self) -> bool {
        let Some(is_zoomed) = self.table_mut().and_then(TablePane::enter_frame) else { return false };
        if is_zoomed {
            let (enter, leave) = ("Enter", "Esc");
            let message =
                Message::new(format!("{enter} again goes to the frame's longest counted event, if any"));
            self.message = Some(message.and(format!("; {leave} zooms out")));
            return true;
        }
        match self.table().and_then(TablePane::longest_of_frame) {
            Some(event) => {
                self.jump(event);
                self.say("the longest event counted for this frame");
            }
            None => self.say("no event is counted for this frame, only for frames in it"),
        }
        true
    }

    /// Zooms out of the frame that fills the pane in the flame shown; false if no frame does.
    pub(crate) fn leave_frame(&mut self) -> bool {
        self.table_mut().is_some_and(TablePane::leave_frame)
    }

    /// True if the view that the pane shows is that of flames.
    pub(crate) fn has_flame(&self) -> bool {
        matches!(self.panes.shown(), Pane::Table(view) if is_flame(view))
    }

    /// Switches to the next weight of the flame's frames, and says which it is; says so if the pane is not
    /// Flame.
    pub(crate) fn next_weight(&mut self) {
        if !self.has_flame() {
            return self.say("only the frames of the pane Flame have another weight");
        }
        let shown = self.table().and_then(TablePane::weight);
        let next = self.summaries.next_weight(shown);
        self.refresh_table();
        let message = Message::new(format!("frames by {}", next.title()));
        self.message = Some(message.and(format!(
            "; {} goes on to {}",
            self.keys.label(bindings::NEXT_WEIGHT),
            next.next().title()
        )));
    }

    /// Switches the flame between top-down and bottom-up, and says which it is; says so if the pane is not
    /// Flame.
    pub(crate) fn flip_flame(&mut self) {
        if !self.has_flame() {
            return self.say("only the pane Flame has trees to flip");
        }
        let direction = self.summaries.flip_flame();
        self.refresh_table();
        self.say(match direction {
            Direction::TopDown => "top-down: below each frame what it calls",
            Direction::BottomUp => "bottom-up: below each frame its callers",
        });
    }
}
