//! The options that say what part of a trace a summary is about: steps, a stretch of time, lanes, a rank.
//!
//! Must not know tables.

use crate::analysis::Scope;
use crate::base::time::{Ns, Span};
use crate::cli::Failure;
use crate::cli::select::time;
use crate::model::{LaneId, Trace};

/// Names that a message lists at most.
const LISTED: usize = 12;

#[derive(Debug, clap::Args)]
pub(super) struct PartArgs {
    /// Only what starts in these steps: 3 or 3..5
    #[arg(long, value_name = "A..B", value_parser = steps)]
    steps: Option<(u64, u64)>,
    /// Only what starts in this stretch of time after the trace's start: 10ms..20ms
    #[arg(long, value_name = "T0..T1", value_parser = range, conflicts_with = "steps")]
    range: Option<(Ns, Ns)>,
    /// Only lanes whose title, or that of their process or device, contains this; give it again for more
    ///
    /// Titles are those of the explorer, in letters of any case: "stream 7", "autograd", "GPU 0".
    #[arg(long, value_name = "TEXT")]
    lanes: Vec<String>,
    /// Only this rank; where the traces tell no ranks, the process of this number, counted from 0
    #[arg(long, value_name = "N")]
    rank: Option<usize>,
}

fn steps(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse().map_err(|_| format!("\"{text}\" is no step's number"));
    Ok((number(from)?, number(to)?))
}

fn range(text: &str) -> Result<(Ns, Ns), String> {
    let (from, to) = text.split_once("..").ok_or("give two times, such as 10ms..20ms")?;
    let from = if from.is_empty() { 0 } else { time(from)? };
    let to = if to.is_empty() { Ns::MAX } else { time(to)? };
    Ok((from, to))
}

/// Names in one line, not too many.
fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

impl PartArgs {
    /// The workers asked for, of a trace with `before` of them in traces named before it.
    pub(super) fn workers(&self, trace: &Trace, before: usize) -> Vec<u16> {
        let is_wanted = |worker: &u16| {
            let Some(rank) = self.rank else { return true };
            let name = trace.meta.workers.get(usize::from(*worker)).map_or("", String::as_str);
            match name.strip_prefix("rank ") {
                Some(number) => number.split(' ').next() == Some(rank.to_string().as_str()),
                None => before + usize::from(*worker) == rank,
            }
        };
        (0..trace.meta.workers.len().max(1) as u16).filter(is_wanted).collect()
    }

    /// What to say where no trace has the rank; `names` are the workers that there are.
    pub(super) fn no_rank(&self, names: &[String]) -> Failure {
        Failure(format!("no rank {}: there are {}", self.rank.unwrap_or_default(), list(names)))
    }

    /// What to say where no lane has the name.
    pub(super) fn no_lane(&self, trace: &Trace) -> Failure {
        let lanes = (0..).zip(&trace.lanes).filter(|(_, lane)| !lane.is_empty());
        let titles: Vec<String> = lanes.map(|(lane, _)| title(trace, lane)).collect();
        Failure(format!(
            "no lane has \"{}\" in its title: there are {}",
            self.lanes.join("\" or \""),
            list(&titles)
        ))
    }

    /// The part of a trace that was asked for.
    pub(super) fn scope(&self, trace: &Trace) -> Result<Scope, Failure> {
        let workers = self.workers(trace, 0);
        if workers.is_empty() {
            return Err(self.no_rank(&trace.meta.workers));
        }
        let scope = self.scope_of(trace, &workers)?;
        if scope.lanes.as_ref().is_some_and(Vec::is_empty) && !self.lanes.is_empty() {
            return Err(self.no_lane(trace));
        }
        Ok(scope)
    }

    /// The same of some of its workers; without lanes where none has the name.
    pub(super) fn scope_of(&self, trace: &Trace, workers: &[u16]) -> Result<Scope, Failure> {
        let has_all = workers.len() >= trace.meta.workers.len();
        let lanes = if self.lanes.is_empty() && has_all {
            Scope::default()
        } else {
            let worker = |lane: LaneId| trace.groups[trace.lanes[lane as usize].group as usize].worker;
            Scope::of_lanes(trace, |lane| workers.contains(&worker(lane)) && self.has_title(trace, lane))
        };
        if lanes.lanes.as_ref().is_some_and(Vec::is_empty) {
            return Ok(lanes);
        }
        if let Some((from, to)) = self.steps {
            return lanes.within_steps(trace, from, to).ok_or_else(|| no_step(trace, from, to));
        }
        let start = trace.span.start;
        let after = |(from, to)| Span { start: start.saturating_add(from), end: start.saturating_add(to) };
        Ok(Scope { span: self.range.map(after), ..lanes })
    }

    fn has_title(&self, trace: &Trace, lane: LaneId) -> bool {
        let title = title(trace, lane).to_lowercase();
        self.lanes.is_empty() || self.lanes.iter().any(|text| title.contains(&text.to_lowercase()))
    }
}

/// A lane's title behind that of its process or device.
fn title(trace: &Trace, lane: LaneId) -> String {
    let lane = &trace.lanes[lane as usize];
    format!("{} · {}", trace.group_title(&trace.groups[lane.group as usize]), trace.lane_title(lane))
}

fn no_step(trace: &Trace, from: u64, to: u64) -> Failure {
    let (first, last) = (trace.steps.first(), trace.steps.last());
    Failure(match first.zip(last) {
        Some((first, last)) => {
            format!("no step {from}..{to}: the trace has steps {} to {}", first.number, last.number)
        }
        None => "the trace has no steps; --range takes a stretch of time".into(),
    })
}
