//! The options that set the scope, the part of a trace that a summary is about: steps, a time range, lanes, a rank.
//!
//! Must not know tables.

use std::ops::Range;

use crate::cli::options::values::{steps, steps_help, times, times_help};
use crate::cli::output::streams::Failure;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::part::steady::steady;
use proftui_trace::model::{LaneId, LaneKind, Trace};

/// Most names that an error message lists.
const LISTED: usize = 12;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScopeArgs {
    #[arg(long, value_name = "A:B", value_parser = steps, help = steps_help("Summarize only the part of the trace in these steps"))]
    steps: Option<Range<u64>>,
    #[arg(long, value_name = "T0:T1", value_parser = times, conflicts_with = "steps", help = times_help("Summarize only the part of the trace in this range of time after the trace's start"))]
    range: Option<Range<Ns>>,
    /// Leave out the warm-up: the first steps, as long as they are longer than the median of the later steps by more than three times
    /// their median absolute deviation
    ///
    /// The tables say how many steps were left out. Of serving engines, steps of one kind and batch size are compared with each other.
    #[arg(long, conflicts_with_all = ["steps", "range"])]
    steady: bool,
    /// Count only lanes (threads, streams) whose title, or whose process's or device's title, contains this text; repeat the option
    /// for more lanes (default: all lanes)
    ///
    /// Titles are those that the explorer shows, such as "stream 7", "autograd" or "GPU 0"; case is ignored.
    #[arg(long, value_name = "TEXT")]
    lanes: Vec<String>,
    /// Count only this rank; in traces without ranks, the process with this index, from 0 (default: all ranks)
    #[arg(long, value_name = "N")]
    rank: Option<usize>,
}

/// Joins names by commas; after [`LISTED`] of them, ends with how many more there are.
fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

impl ScopeArgs {
    /// The numbers of the steps that are asked for, and the options that select the part, as words of a command line.
    pub(in crate::cli) fn asked(&self) -> (Option<(u64, u64)>, Vec<String>) {
        let mut options = Vec::new();
        if let Some(steps) = &self.steps {
            let end = if steps.end == u64::MAX { String::new() } else { steps.end.to_string() };
            options.extend(["--steps".to_owned(), format!("{}:{end}", steps.start)]);
        }
        if let Some(range) = &self.range {
            let end = if range.end == Ns::MAX { String::new() } else { format!("{}ns", range.end) };
            options.extend(["--range".to_owned(), format!("{}ns:{end}", range.start)]);
        }
        for text in &self.lanes {
            // In one word, since the text may begin with a dash.
            options.push(format!("--lanes={text}"));
        }
        if let Some(rank) = self.rank {
            options.extend(["--rank".to_owned(), rank.to_string()]);
        }
        (self.steps.as_ref().map(|steps| (steps.start, steps.end)), options)
    }

    /// The workers of a trace that `--rank` asks for; without the option all. The traces that come before this trace on the
    /// command line have `before` workers.
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

    /// The error for a rank that no trace has; `names` are the names of the workers that the traces have.
    pub(super) fn no_rank(&self, names: &[String]) -> Failure {
        Failure(format!("no rank {}; the ranks are {}", self.rank.unwrap_or_default(), list(names)))
    }

    /// The error for a text of `--lanes` that no lane's title contains; the message lists the titles of the lanes.
    pub(super) fn no_lane(&self, trace: &Trace) -> Failure {
        let lanes = (0..).zip(&trace.lanes).filter(|(_, lane)| !lane.is_empty());
        let titles: Vec<String> = lanes.map(|(lane, _)| title(trace, lane)).collect();
        Failure(format!(
            "no lane has \"{}\" in its title; the lanes are {}",
            self.lanes.join("\" or \""),
            list(&titles)
        ))
    }

    /// The scope that the options ask for, in one trace.
    ///
    /// # Errors
    /// When the trace has no such rank, lane or step.
    pub(in crate::cli) fn of(&self, trace: &Trace) -> Result<Scope, Failure> {
        let workers = self.workers(trace, 0);
        if workers.is_empty() {
            return Err(self.no_rank(&trace.meta.workers));
        }
        let scope = self.of_workers(trace, &workers)?;
        if scope.lanes.as_ref().is_some_and(Vec::is_empty) && !self.lanes.is_empty() {
            return Err(self.no_lane(trace));
        }
        Ok(scope)
    }

    /// Checks that the scope has a lane of the host, for a layout whose tables sum up threads and the device work that they launch.
    ///
    /// # Errors
    /// When `--lanes` keeps streams only.
    pub(super) fn check_threads(&self, trace: &Trace, scope: &Scope, layout: &str) -> Result<(), Failure> {
        let is_host = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        if self.lanes.is_empty() || scope.has_kind(trace, is_host) {
            return Ok(());
        }
        let lanes = (0..).zip(&trace.lanes).filter(|(_, lane)| is_host(lane.kind) && !lane.is_empty());
        let titles: Vec<String> = lanes.map(|(lane, _)| title(trace, lane)).collect();
        Err(Failure(format!(
            "--lanes \"{}\" keeps no thread, and the layout {layout} sums up threads and the device work that they launch; give a \
             thread, too ({}), or take --layout proftui",
            self.lanes.join("\" or \""),
            list(&titles)
        )))
    }

    /// The scope that the options ask for, within the workers with these numbers, which ascend. It has an empty list of lanes where no lane's
    /// title contains a text of `--lanes`.
    ///
    /// # Errors
    /// When the trace has no such step.
    pub(super) fn of_workers(&self, trace: &Trace, workers: &[u16]) -> Result<Scope, Failure> {
        let has_all = workers.len() >= trace.meta.workers.len();
        let lanes = if self.lanes.is_empty() && has_all {
            Scope::default()
        } else {
            let of_worker = |&worker: &u16| {
                let from = trace.groups.partition_point(|group| group.worker < worker);
                let own = trace.groups[from..].iter().take_while(move |group| group.worker == worker);
                own.flat_map(|group| group.lanes.clone())
            };
            let lanes = workers.iter().flat_map(of_worker).filter(|&lane| self.has_title(trace, lane));
            Scope { span: None, lanes: Some(lanes.collect()) }
        };
        if lanes.lanes.as_ref().is_some_and(Vec::is_empty) {
            return Ok(lanes);
        }
        if let Some(steps) = &self.steps {
            return lanes.within_steps(trace, steps).ok_or_else(|| no_step(trace, steps));
        }
        if self.steady {
            let steady = steady(trace, lanes)
                .ok_or_else(|| Failure("the trace has no steps: --steady needs them".into()))?;
            return Ok(steady.scope);
        }
        let start = trace.main_span.start;
        let after = |range: &Range<Ns>| Span {
            start: start.saturating_add(range.start),
            end: start.saturating_add(range.end),
        };
        Ok(Scope { span: self.range.as_ref().map(after), ..lanes })
    }

    /// The sentence that says which steps `--steady` left out of a scope of [`of_workers`](Self::of_workers); `None` without the option.
    pub(super) fn warm_up(&self, trace: &Trace, scope: &Scope) -> Option<String> {
        let lanes = || Scope { span: None, lanes: scope.lanes.clone() };
        self.steady.then(|| steady(trace, lanes())).flatten().map(|steady| steady.note())
    }

    fn has_title(&self, trace: &Trace, lane: LaneId) -> bool {
        if self.lanes.is_empty() {
            return true;
        }
        let title = title(trace, lane).to_lowercase();
        self.lanes.iter().any(|text| title.contains(&text.to_lowercase()))
    }
}

/// The title of a lane's process or device, followed by that of the lane.
fn title(trace: &Trace, lane: LaneId) -> String {
    let lane = &trace.lanes[lane as usize];
    format!("{} · {}", trace.group_title(&trace.groups[lane.group as usize]), trace.lane_title(lane))
}

/// The error for a range of step numbers of which the trace has no step.
fn no_step(trace: &Trace, steps: &Range<u64>) -> Failure {
    let Range { start, end } = steps;
    let wanted = match *end {
        u64::MAX => format!("{start}:"),
        _ if end - start == 1 => start.to_string(),
        _ => format!("{start}:{end}"),
    };
    let (first, last) = (trace.steps.first(), trace.steps.last());
    Failure(match first.zip(last) {
        Some((first, last)) => {
            format!("no step {wanted}: the trace has steps {} to {}", first.number, last.number)
        }
        None => "the trace has no steps; use --range with a time range".into(),
    })
}
