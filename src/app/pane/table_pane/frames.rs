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
    /// The flame, if it is the chart chosen to be seen.
    pub fn flame_shown(&self) -> Option<&Arc<Flame>> {
        match &self.chart()?.kind {
            ChartKind::Flame(flame) => Some(flame),
            _ => None,
        }
    }

    /// By what the frames of the table's flame are weighed; none for a table without a flame.
    pub(crate) fn weight(&self) -> Option<Weight> {
        flame_of(&self.table).map(|flame| flame.weight)
    }

    /// Calls `change` for the flame and returns its result; none if the flame is not the chart chosen.
    fn in_flame<T>(&mut self, change: impl FnOnce(&mut Icicle, &Flame) -> T) -> Option<T> {
        let flame = Arc::clone(self.flame_shown()?);
        Some(change(&mut self.icicle, &flame))
    }

    /// Moves the focus of the flame by `step`, where possible. False if the flame is not the chart chosen.
    pub(crate) fn move_frame(&mut self, step: Step) -> bool {
        self.in_flame(|icicle, flame| icicle.go(flame, step)).is_some()
    }

    /// Fills the pane with the focused frame of the flame; false if nothing changes, none if the flame is not
    /// the chart chosen.
    pub(crate) fn enter_frame(&mut self) -> Option<bool> {
        self.in_flame(Icicle::zoom_in)
    }

    /// Zooms out of the flame by one frame; false if nothing changes.
    pub(crate) fn leave_frame(&mut self) -> bool {
        self.in_flame(Icicle::zoom_out).unwrap_or_default()
    }

    /// The longest event that counts for the focused frame, if any; none if the flame is not chosen.
    pub(crate) fn longest_of_frame(&self) -> Option<SliceId> {
        self.flame_shown()?.frames.get(self.icicle.focus as usize)?.longest
    }
}
