//! The part of a trace that a request is about, before a trace is known: steps, a range of time, lanes, a
//! rank.
//!
//! Must not know tables.

use std::ops::Range;

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, Trace, WorkerId};

use crate::analysis::Scope;
use crate::analysis::part::steady::steady;
use crate::analysis::part::titles::{has_rank, list, title};

use super::error::AskError;

/// A part of a trace, usually described before the trace is known.
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// The time of the part.
    pub time: Time,
    /// Texts of which a lane's title, which includes that of its process or device, must contain one, in
    /// whatever case. Empty for all lanes.
    pub lanes: Vec<String>,
    /// The rank whose lanes are in the part; in traces without ranks, the index of a worker. `None` for all.
    pub rank: Option<usize>,
}

/// Which time a part of a trace has.
#[derive(Clone, Debug, Default)]
pub enum Time {
    /// The whole trace.
    #[default]
    Whole,
    /// The time from the start of the first to the end of the last of the steps with these numbers.
    Steps(Range<u64>),
    /// A range of time, ns after the trace's start.
    Range(Range<Ns>),
    /// The time of the steps after the warm-up.
    Steady,
    /// Exactly this scope, with its own lanes.
    Scope(Scope),
}

impl Within {
    /// The numbers of a trace's workers that have the rank asked for, or, without ranks, that index, counted
    /// on from the `before` workers of the traces before this one; all workers if no rank is asked for.
    pub fn workers(&self, trace: &Trace, before: usize) -> Vec<WorkerId> {
        let is_wanted = |worker: &WorkerId| {
            let Some(rank) = self.rank else { return true };
            has_rank(trace, *worker, rank, before)
        };
        trace.workers().iter().filter(is_wanted).collect()
    }

    /// The error where no worker has the rank asked for; `names` are the workers' names.
    pub(crate) fn no_rank(&self, names: &[String]) -> AskError {
        AskError::NoRank { rank: self.rank.unwrap_or_default(), known: list(names) }
    }

    /// The error if texts are asked for, and no title of a lane of `scope` contains one of them; it lists
    /// titles of the trace's lanes.
    pub(crate) fn no_lane(&self, trace: &Trace, scope: &Scope) -> Option<AskError> {
        if self.lanes.is_empty() || !scope.lanes.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let lanes = trace.lanes.iter_with_ids().filter(|(_, lane)| !lane.is_empty());
        let titles: Vec<String> = lanes.map(|(lane, _)| title(trace, lane)).collect();
        Some(AskError::NoLane { texts: self.lanes.join("\" or \""), known: list(&titles) })
    }

    /// The part as a scope of `trace`, the only trace.
    ///
    /// # Errors
    /// When the trace lacks the rank, lanes or steps asked for.
    pub fn of(&self, trace: &Trace) -> Result<Scope, AskError> {
        let workers = self.workers(trace, 0);
        if workers.is_empty() {
            return Err(self.no_rank(&trace.meta.workers));
        }
        let scope = self.of_workers(trace, &workers)?;
        self.no_lane(trace, &scope).map_or(Ok(scope), Err)
    }

    /// The part as a scope, within the workers with these numbers, which must ascend; a [`Time::Scope`] as it
    /// is. Its list of lanes is empty if no lane fits.
    ///
    /// # Errors
    /// When the workers with lanes in the part lack the steps asked for.
    pub fn of_workers(&self, trace: &Trace, workers: &[WorkerId]) -> Result<Scope, AskError> {
        if let Time::Scope(scope) = &self.time {
            return Ok(scope.clone());
        }
        let has_all = workers.len() >= trace.meta.workers.len();
        let lanes = if self.lanes.is_empty() && has_all {
            Scope::default()
        } else {
            let of_worker = |&worker: &WorkerId| {
                let from = trace.groups.partition_point(|group| group.worker < worker);
                let own =
                    trace.groups.as_slice()[from..].iter().take_while(move |group| group.worker == worker);
                own.flat_map(|group| group.lanes)
            };
            let lanes = workers.iter().flat_map(of_worker).filter(|&lane| self.has_title(trace, lane));
            Scope { span: None, lanes: Some(lanes.collect()) }
        };
        if lanes.lanes.as_ref().is_some_and(Vec::is_empty) {
            return Ok(lanes);
        }
        let start = trace.main_span.start;
        match &self.time {
            Time::Whole | Time::Scope(_) => Ok(lanes),
            Time::Steps(steps) => lanes.within_steps(trace, steps).ok_or_else(|| no_step(trace, steps)),
            Time::Steady => steady(trace, lanes).map(|steady| steady.scope).ok_or(AskError::NoWarmUp),
            Time::Range(range) => {
                let span =
                    Span { start: start.saturating_add(range.start), end: start.saturating_add(range.end) };
                let end = trace.span.end.max(trace.main_span.end);
                if span.start > end {
                    let [from, end] = [range.start, end.saturating_sub(start)].map(fmt::duration);
                    let what = if trace.meta.partial.is_some() { "what is loaded" } else { "the trace" };
                    return Err(AskError::NoTime { from, what, end });
                }
                Ok(Scope { span: Some(span), ..lanes })
            }
        }
    }

    /// The sentence that states how many steps were left out of `scope` as warm-up; `None` without
    /// [`Time::Steady`], or if its workers have no steps.
    pub fn warm_up(&self, trace: &Trace, scope: &Scope) -> Option<String> {
        let lanes = || Scope { span: None, lanes: scope.lanes.clone() };
        let is_steady = matches!(self.time, Time::Steady);
        is_steady.then(|| steady(trace, lanes())).flatten().map(|steady| steady.note())
    }

    fn has_title(&self, trace: &Trace, lane: LaneId) -> bool {
        if self.lanes.is_empty() {
            return true;
        }
        let title = title(trace, lane).to_lowercase();
        self.lanes.iter().any(|text| title.contains(&text.to_lowercase()))
    }
}

/// The error where the part has none of the steps with these numbers.
fn no_step(trace: &Trace, steps: &Range<u64>) -> AskError {
    let Range { start, end } = steps;
    let wanted = match *end {
        u64::MAX => format!("{start}:"),
        _ if end - start == 1 => start.to_string(),
        _ => format!("{start}:{end}"),
    };
    match trace.steps.first().zip(trace.steps.last()) {
        Some((first, last)) => AskError::NoStep { wanted, first: first.number, last: last.number },
        None => AskError::NoSteps,
    }
}
