//! Which calls of a runtime or driver take time of their own: a call inside another call, such as a driver's in a runtime's, is part of
//! that one.
//!
//! Must not know what a call does.

use std::ops::Range;

use crate::model::{SliceId, Slices};

use super::nesting::Innermost;

/// Finds the calls of a lane that take time of their own.
pub(super) struct OuterCalls {
    /// The innermost calls and operators.
    around: Innermost,
}

impl OuterCalls {
    /// Of the slices `ids` of a lane.
    pub(super) fn of(slices: &Slices, ids: Range<SliceId>) -> Self {
        let is_either = |id: SliceId| slices.category(id).is_runtime() || slices.category(id).is_operator();
        Self { around: Innermost::of(slices, ids, is_either) }
    }

    /// True for a call of a runtime or driver that is inside no other call, or in an operator that such a call runs.
    pub(super) fn has(&self, slices: &Slices, id: SliceId) -> bool {
        let is_operator = |around: SliceId| slices.category(around).is_operator();
        slices.category(id).is_runtime() && self.around.around(slices, id).is_none_or(is_operator)
    }
}
