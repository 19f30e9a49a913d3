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
    /// The flame, if it is the chart that the user chose; none if the user chose the table or another chart,
    /// even where the flame stands beside that.
    pub fn flame_shown(&self) -> Option<&Arc<Flame>> {
        match &self.chart()?.kind {
            ChartKind::Flame(flame) => Some(flame),
            _ => None,
        }
    }

    /// By what the frames of the pane's flame are weighed, whether or not the flame is shown; none for a
    /// table without a flame.
    pub(crate) fn weight(&self) -> Option<Weight> {
        flame_of(&self.table).map(|flame| flame.weight)
    }

    /// Calls `change` with where the user is in the flame, and with the flame; returns the result of
    /// `change`, none if the flame is not the chart that the user chose.
    fn in_flame<T>(&mut self, change: impl FnOnce(&mut Icicle, &Flame) -> T) -> Option<T> {
        let flame = Arc::clone(self.flame_shown()?);
        Some(change(&mut self.icicle, &flame))
    }

    /// Moves the focus of the flame by `step`; the focus stays if there is no frame in that direction, or the
    /// move would leave the frame that fills the pane. False only if the flame is not the chart that the user
    /// chose.
    pub(crate) fn move_frame(&mut self, step: Step) -> bool {
        self.in_flame(|icicle, flame| icicle.go(flame, step)).is_some()
    }

    /// Fills the pane with the focused frame of the flame; false if the frame fills it already, or has no
    /// frames in it. None if the flame is not the chart that the user chose.
    pub(crate) fn enter_frame(&mut self) -> Option<bool> {
        self.in_flame(Icicle::zoom_in)
    }

    /// Fills the pane with the frame around the one that fills it or, if that is an outermost one, shows all
    /// frames; false if all are shown already, or the flame is not the chart that the user chose.
    pub(crate) fn leave_frame(&mut self) -> bool {
        self.in_flame(Icicle::zoom_out).unwrap_or_default()
    }

    /// The longest event of the focused frame of the flame; none if the flame is not the chart that the user
    /// chose, or the frame has no event.
    pub(crate) fn longest_of_frame(&self) -> Option<SliceId> {
        self.flame_shown()?.frames.get(self.icicle.focus as usize)?.longest
    }
}
