//! The self time of slices: their time less that of the slices inside them.
//!
//! Must not know how slices are grouped.

use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, LaneKind, SliceId};

use crate::analysis::part::Part;

/// The self time of each slice of a lane within the part, ns: the slice's time there that none of its
/// children covers. The list has an entry for each slice of the lane, by number.
pub(crate) fn own_times(part: &Part<'_>, lane: LaneId) -> Vec<Ns> {
    let trace = part.trace();
    let slices = &trace.slices;
    let lane = &trace.lanes[lane];
    let mut own: Vec<Ns> = lane.slices.iter().map(|id| part.clip(slices.span(id)).len()).collect();
    let first = lane.slices.start;
    let children = lane.slices.iter().filter(|&id| slices.parent[id] != SliceId::NONE);
    if lane.depth == saturate::<u32>(lane.rows.len()) && lane.kind != LaneKind::Async {
        // Nothing overlaps: the children of a slice follow each other in one row.
        subtract(part, children, first, &mut own);
    } else {
        let mut sorted: Vec<SliceId> = children.collect();
        sorted.sort_by_key(|&id| (slices.parent[id], slices.start[id]));
        subtract(part, sorted, first, &mut own);
    }
    own
}

/// Subtracts from the self times `own` of a lane, whose first entry is that of slice `first`, the time that
/// `children` cover of their parents in the part. The children of one parent must follow each other, in order
/// of start.
fn subtract(part: &Part<'_>, children: impl IntoIterator<Item = SliceId>, first: SliceId, own: &mut [Ns]) {
    let slices = &part.trace().slices;
    let (mut last_parent, mut covered_until) = (SliceId::NONE, Ns::MIN);
    for id in children {
        let parent = slices.parent[id];
        if parent != last_parent {
            (last_parent, covered_until) = (parent, slices.start[parent]);
        }
        let end = slices.end(id).min(slices.end(parent));
        let start = slices.start[id].max(covered_until);
        if start < end {
            let inside = part.clip(Span { start, end }).len();
            let own = &mut own[(parent - first) as usize];
            *own = own.saturating_sub(inside);
            covered_until = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Scope;
    use proftui_trace::import::{Progress, Request, load_bytes};

    #[test]
    fn children_that_overlap_count_once() {
        // `b` and `d` lie in `a` and overlap; `c` lies in `b`.
        let events = [("a", 0, 100), ("b", 10, 40), ("c", 20, 10), ("d", 40, 50)];
        let event = |(name, ts, dur): (&str, Ns, Ns)| {
            format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
        };
        let text = format!("[{}]", events.map(event).join(","));
        let trace =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
        let scope = Scope::default();
        let own = own_times(&Part::new(&trace, &scope), LaneId::new(0));
        let mut named: Vec<(String, Ns)> =
            trace.slices.ids().iter().map(|id| (trace.name(id).to_string(), own[id.index()])).collect();
        named.sort();
        let want = [("a", 20_000), ("b", 30_000), ("c", 10_000), ("d", 50_000)];
        assert_eq!(named, want.map(|(name, ns)| (name.to_owned(), ns)));
    }
}
