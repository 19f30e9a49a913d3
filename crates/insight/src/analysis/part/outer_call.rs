//! Which calls of a runtime or driver take time of their own: a call inside another call, such as a driver's
//! in a runtime's, is part of that one.
//!
//! Must not know what a call does.

use proftui_trace::model::{Lane, SliceId, Slices};

use super::nesting::{Innermost, SHALLOW};

/// Finds the runtime and driver calls of a lane that lie in no other call, or only with an operator in
/// between.
pub(crate) struct OuterCalls {
    /// The innermost call or operator at or around each slice; `None` on a lane of at most [`SHALLOW`] rows.
    around: Option<Innermost>,
}

fn is_either(slices: &Slices, id: SliceId) -> bool {
    slices.category(id).is_runtime() || slices.category(id).is_operator()
}

impl OuterCalls {
    /// Prepares the search on a lane.
    pub(crate) fn of(slices: &Slices, lane: &Lane) -> Self {
        let all = || Innermost::of(slices, lane.slices, |id| is_either(slices, id));
        Self { around: (lane.rows.len() > SHALLOW).then(all) }
    }

    /// True if the slice is a call of the runtime or driver, and the innermost call or operator around it, if
    /// any, is an operator.
    pub(crate) fn has(&self, slices: &Slices, id: SliceId) -> bool {
        let is_operator = |around: SliceId| slices.category(around).is_operator();
        let around = || match &self.around {
            Some(known) => known.around(slices, id),
            None => slices.ancestors(id).find(|&around| is_either(slices, around)),
        };
        slices.category(id).is_runtime() && around().is_none_or(is_operator)
    }
}
