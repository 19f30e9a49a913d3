//! What the user does to a flame: moving from frame to frame, zooming.
//!
//! Must not know how a flame is drawn, nor which key does what.

use std::sync::Arc;

use proftui_insight::analysis::flame::{Flame, Weight};
use proftui_insight::analysis::table::chart::ChartKind;
use proftui_trace::model::SliceId;

use super::{TablePane, flame_of};
use crate::app::pane::icicle::{Icicle, Step};

impl TablePane {
    /// The flame that the pane shows as a chart; none where it shows the table or another chart.
    pub fn flame_shown(&self) -> Option<&Arc<Flame>> {
        match &self.chart()?.kind {
            ChartKind::Flame(flame) => Some(flame),
            _ => None,
        }
    }

    /// The weight of the frames of the pane's flame; none for a table without a flame.
    pub(crate) fn weight(&self) -> Option<Weight> {
        flame_of(&self.table).map(|flame| flame.weight)
    }

    /// Changes where the user is in the flame shown by `change`; none where none is shown.
    fn in_flame<T>(&mut self, change: impl FnOnce(&mut Icicle, &Flame) -> T) -> Option<T> {
        let flame = Arc::clone(self.flame_shown()?);
        Some(change(&mut self.icicle, &flame))
    }

    /// Moves the focus to another frame; false where no flame is shown.
    pub(crate) fn move_frame(&mut self, step: Step) -> bool {
        self.in_flame(|icicle, flame| icicle.go(flame, step)).is_some()
    }

    /// Zooms into the focused frame; false if it fills the pane, or has no frames in it, none where no flame
    /// is shown.
    pub(crate) fn enter_frame(&mut self) -> Option<bool> {
        self.in_flame(Icicle::zoom_in)
    }

    /// Zooms out of the flame by a frame; false where all frames are shown, or no flame is.
    pub(crate) fn leave_frame(&mut self) -> bool {
        self.in_flame(Icicle::zoom_out).unwrap_or_default()
    }

    /// The longest event of the focused frame of the flame shown; none if no flame is shown, or the frame has
    /// no event.
    pub(crate) fn longest_of_frame(&self) -> Option<SliceId> {
        self.flame_shown()?.frames.get(self.icicle.focus as usize)?.longest
    }
}
