//! Which calls of a runtime or driver take time of their own: a call inside another call, such as a driver's in a runtime's, is part of
//! that one.
//!
//! Must not know what a call does.

use crate::model::{Category, SliceId, Slices};

/// True for a call of a runtime or driver that is inside no other call, or in an operator that such a call runs.
pub(super) fn is_outer_call(slices: &Slices, id: SliceId) -> bool {
    let is_either = |category: &Category| category.is_runtime() || category.is_operator();
    let around = || slices.ancestors(id).map(|around| slices.category(around)).find(is_either);
    slices.category(id).is_runtime() && around().is_none_or(Category::is_operator)
}
