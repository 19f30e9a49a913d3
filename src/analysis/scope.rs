//! What part of a trace a summary is about: a stretch of time, some lanes.
//!
//! A slice belongs to the part that it starts in, whole, as in the tools that cut a trace by steps; so a part's counts are
//! counts of events and parts add up to the whole.

use crate::base::time::{Ns, Span};
use crate::model::{LaneId, SliceId, Trace};

/// A part of a trace; the default is all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only what starts in here.
    pub span: Option<Span>,
    /// Only these lanes.
    pub lanes: Option<Vec<LaneId>>,
}

impl Scope {
    /// The steps numbered `from` to `to`, both included; none when there is no such step.
    pub fn steps(trace: &Trace, from: u64, to: u64) -> Option<Self> {
        let wanted = trace.steps.iter().filter(|step| (from..=to).contains(&step.number));
        let span = wanted.map(|step| step.span).reduce(Span::union)?;
        Some(Self { span: Some(span), lanes: None })
    }

    /// True when it is the whole trace.
    pub fn is_all(&self) -> bool {
        self.span.is_none() && self.lanes.is_none()
    }

    /// True for a start inside.
    pub fn has_time(&self, start: Ns) -> bool {
        self.span.is_none_or(|span| span.start <= start && start < span.end)
    }

    /// True for a lane inside.
    pub fn has_lane(&self, lane: LaneId) -> bool {
        self.lanes.as_ref().is_none_or(|lanes| lanes.contains(&lane))
    }

    /// The slices of a lane that belong to it, row by row.
    pub fn slices<'a>(&'a self, trace: &'a Trace, lane: LaneId) -> impl Iterator<Item = SliceId> + 'a {
        let rows = if self.has_lane(lane) { trace.lanes[lane as usize].rows.clone() } else { 0..0 };
        rows.flat_map(move |row| {
            let ids = trace.rows[row as usize].slices();
            let Some(span) = self.span else { return ids };
            let starts = &trace.slices.start[ids.start as usize..ids.end as usize];
            let from = starts.partition_point(|&start| start < span.start) as u32;
            let to = starts.partition_point(|&start| start < span.end) as u32;
            ids.start + from..ids.start + to.max(from)
        })
    }

    /// How much time it covers, ns.
    pub fn len(&self, trace: &Trace) -> Ns {
        self.span.unwrap_or(trace.main_span).len()
    }
}
