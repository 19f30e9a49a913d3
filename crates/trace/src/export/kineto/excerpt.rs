//! The part of a trace that is written: which slices, and which time and lanes of everything else.
//!
//! Links stay whole: with a launch its device work is kept, also beyond the time, and with device work its
//! launch and what is around that. Must not know how a part is chosen.

use crate::model::{LaneId, SliceId, Trace};
use proftui_base::ids::Column;
use proftui_base::time::{Ns, Span};

/// The part of a trace that is written.
pub struct Excerpt {
    /// For each slice whether it is kept.
    slices: Column<SliceId, bool>,
    /// The time of the part; `None` for all time.
    span: Option<Span>,
    /// The lanes of the part, ascending; `None` for all.
    lanes: Option<Vec<LaneId>>,
    /// What the part is, for the header.
    what: String,
}

impl Excerpt {
    /// The part of a trace in this time and on these lanes (ascending), `None` for all; `what` says in words
    /// what it is.
    pub fn of(trace: &Trace, span: Option<Span>, lanes: Option<Vec<LaneId>>, what: String) -> Self {
        let slices = trace.slices.ids().iter().map(|_| false).collect();
        let mut excerpt = Self { slices, span, lanes, what };
        for (id, lane) in trace.lanes.iter_with_ids() {
            if !excerpt.has_lane(id) {
                continue;
            }
            for slice in lane.slices {
                let time = trace.slices.span(slice);
                excerpt.slices[slice] = excerpt.span.is_none_or(|span| is_within(time, span));
            }
        }
        let links = trace.links.all();
        let wanted: Vec<(SliceId, SliceId)> = links
            .iter()
            .copied()
            .filter(|&(launch, work)| excerpt.has(launch) || excerpt.has(work))
            .collect();
        for (launch, work) in wanted {
            excerpt.slices[work] = true;
            excerpt.slices[launch] = true;
            // The operator around it is the one that the work is for.
            trace.slices.ancestors(launch).for_each(|around| excerpt.slices[around] = true);
        }
        excerpt
    }

    /// True if a slice is kept.
    pub(super) fn has(&self, id: SliceId) -> bool {
        self.slices[id]
    }

    /// True if a moment on a lane is kept.
    pub(super) fn has_moment(&self, lane: LaneId, at: Ns) -> bool {
        self.has_lane(lane) && self.span.is_none_or(|span| span.contains(at))
    }

    /// The samples of a counter that are kept: those within the time, and the last one before, whose value
    /// still holds.
    pub(super) fn samples(&self, lane: LaneId, times: &[Ns]) -> std::ops::Range<usize> {
        if !self.has_lane(lane) {
            return 0..0;
        }
        let Some(span) = self.span else { return 0..times.len() };
        let from = times.partition_point(|&at| at <= span.start).saturating_sub(1);
        let to = times.partition_point(|&at| at < span.end);
        from..to.max(from)
    }

    /// The entry of the header: what the part is, and how many slices were left out.
    pub(super) fn entry(&self) -> serde_json::Value {
        let kept = self.slices.as_slice().iter().filter(|is_kept| **is_kept).count();
        serde_json::json!({ "part": self.what, "slices": kept, "left_out": self.slices.len() - kept })
    }

    fn has_lane(&self, lane: LaneId) -> bool {
        self.lanes.as_ref().is_none_or(|lanes| lanes.binary_search(&lane).is_ok())
    }
}

/// True if some of a slice's time lies within `span`; one without a length if it begins there.
fn is_within(slice: Span, span: Span) -> bool {
    slice.start < span.end && (slice.end > span.start || slice.start == span.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_touches_a_time_is_not_within_it() {
        let within = |start, end| is_within(Span { start, end }, Span { start: 10, end: 20 });
        assert!(within(5, 11) && within(10, 10) && within(19, 30) && within(0, 100));
        assert!(!within(5, 10) && !within(20, 30) && !within(20, 20));
    }
}
