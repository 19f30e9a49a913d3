//! What commands do to the flame shown: moving the focus, zooming, going to an event, another weight or
//! direction.
//!
//! Must not know how a flame is drawn.

use std::sync::Arc;

use proftui_insight::analysis::VIEWS;
use proftui_insight::analysis::flame::{Choice, Direction, Flame, Stacking};
use proftui_insight::analysis::table::chart::ChartKind;
use proftui_insight::analysis::views::grouping;

use crate::app::input::bindings;
use crate::app::pane::icicle::{Icicle, Step};
use crate::app::pane::panes::Pane;
use crate::app::state::State;
use crate::app::wires::message::Message;

/// True for the view of flames.
pub(crate) fn is_flame(view: usize) -> bool {
    VIEWS[view].flame.is_some()
}

impl State {
    /// The flame that the pane shows as a chart, and where the user is in it.
    pub fn flame_shown(&self) -> Option<(Arc<Flame>, Icicle)> {
        let pane = self.table()?;
        match &pane.chart()?.kind {
            ChartKind::Flame(flame) => Some((Arc::clone(flame), pane.icicle)),
            _ => None,
        }
    }

    /// The flame chosen for a view; the default for other views.
    pub(crate) fn flame_choice(&self, view: usize, grouping: Option<usize>) -> Choice {
        if !is_flame(view) {
            return Choice::default();
        }
        let name = grouping.and_then(|at| VIEWS[view].groupings.get(at)).map(|grouping| grouping.name);
        let stacking = match name {
            Some(grouping::STACK) => Stacking::Stack,
            Some(grouping::MODULE) => Stacking::Modules,
            _ => Stacking::Operators,
        };
        Choice { stacking, ..self.flame }
    }

    /// Changes where the user is in the flame shown by `change`; `None` where none is shown.
    fn in_flame<T>(&mut self, change: impl FnOnce(&mut Icicle, &Flame) -> T) -> Option<T> {
        let (flame, mut icicle) = self.flame_shown()?;
        let result = change(&mut icicle, &flame);
        self.table_mut()?.icicle = icicle;
        Some(result)
    }

    /// Moves the focus to another frame; false where no flame is shown.
    pub(crate) fn move_frame(&mut self, step: Step) -> bool {
        self.in_flame(|icicle, flame| icicle.go(flame, step)).is_some()
    }

    /// Zooms into the focused frame; if it fills the pane, or has no frames in it, goes to its longest event.
    /// False where no flame is shown.
    pub(crate) fn enter_frame(&mut self) -> bool {
        match self.in_flame(Icicle::zoom_in) {
            None => return false,
            Some(true) => {
                let (enter, leave) = ("Enter", "Esc");
                let message = Message::new(format!("{enter} again goes to the frame's longest event"));
                self.message = Some(message.and(format!("; {leave} zooms out")));
            }
            Some(false) => {
                let longest = self
                    .flame_shown()
                    .and_then(|(flame, icicle)| flame.frames.get(icicle.focus as usize)?.longest);
                match longest {
                    Some(event) => {
                        self.jump(event);
                        self.say("the frame's longest event");
                    }
                    None => self.say("this frame has no event in the timeline"),
                }
            }
        }
        true
    }

    /// Zooms out of the flame by a frame; false where all frames are shown, or no flame is.
    pub(crate) fn leave_frame(&mut self) -> bool {
        self.in_flame(Icicle::zoom_out).unwrap_or_default()
    }

    /// True where the pane is that of flames.
    pub(crate) fn has_flame(&self) -> bool {
        matches!(self.panes.shown(), Pane::Table(view) if is_flame(view))
    }

    /// Switches to the next weight of frames.
    pub(crate) fn next_weight(&mut self) {
        if !self.has_flame() {
            return self.say("only the frames of the pane Flame have another weight");
        }
        let shown = self.table().and_then(|pane| {
            pane.table.charts.iter().find_map(|chart| match &chart.kind {
                ChartKind::Flame(flame) => Some(flame.weight),
                _ => None,
            })
        });
        let next = self.flame.weight.or(shown).unwrap_or_default().next();
        self.flame.weight = Some(next);
        self.refresh_table();
        let message = Message::new(format!("frames by {}", next.title()));
        self.message = Some(message.and(format!(
            "; {} goes on to {}",
            self.keys.label(bindings::NEXT_WEIGHT),
            next.next().title()
        )));
    }

    /// Shows the callers below each frame instead of what it calls, or these again.
    pub(crate) fn flip_flame(&mut self) {
        if !self.has_flame() {
            return self.say("only the pane Flame has trees to flip");
        }
        self.flame.direction = match self.flame.direction {
            Direction::TopDown => Direction::BottomUp,
            Direction::BottomUp => Direction::TopDown,
        };
        self.refresh_table();
        self.say(match self.flame.direction {
            Direction::TopDown => "top-down: below each frame what it calls",
            Direction::BottomUp => "bottom-up: below each frame its callers",
        });
    }
}
