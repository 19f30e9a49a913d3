//! The self time of slices: their time less that of the slices inside them.
//!
//! Must not know how slices are grouped.

use rayon::prelude::*;

use crate::base::time::{Ns, Span};
use crate::model::{NONE, SliceId};

use super::part::Part;

/// The self time of each slice within the part, ns: the slice's time there that none of its children covers.
pub(super) fn own_times(part: &Part<'_>) -> Vec<Ns> {
    let trace = part.trace();
    let slices = &trace.slices;
    let mut own: Vec<Ns> =
        (0..slices.len() as SliceId).into_par_iter().map(|id| part.clip(slices.span(id)).len()).collect();
    // The children of a slice follow each other in one row. Neighbours may overlap by a rounding error, which counts once.
    let (mut last_parent, mut covered_until) = (NONE, Ns::MIN);
    for id in 0..slices.len() as SliceId {
        let parent = slices.parent[id as usize];
        if parent == NONE {
            continue;
        }
        if parent != last_parent {
            (last_parent, covered_until) = (parent, slices.start[parent as usize]);
        }
        let end = slices.end(id).min(slices.end(parent));
        let start = slices.start[id as usize].max(covered_until);
        if start < end {
            let inside = part.clip(Span { start, end }).len();
            own[parent as usize] = own[parent as usize].saturating_sub(inside);
            covered_until = end;
        }
    }
    own
}
