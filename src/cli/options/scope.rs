//! The options that set the scope, the part of a trace that a summary is about: steps, a time range, lanes, a
//! rank.
//!
//! Must not know tables.

use std::ops::Range;

use proftui_base::time::Ns;
use proftui_insight::analysis::Scope;
use proftui_insight::ask::{Time, Within, list, title};
use proftui_trace::model::{LaneKind, Trace};

use crate::cli::output::streams::Failure;

use super::values::{steps, steps_help, times, times_help};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScopeArgs {
    #[arg(
        long,
        value_name = "A:B",
        value_parser = steps,
        help = steps_help("Summarize only the part of the trace in these steps")
    )]
    steps: Option<Range<u64>>,
    #[arg(
        long,
        value_name = "T0:T1",
        value_parser = times,
        conflicts_with = "steps",
        help = times_help(
            "Summarize only the part of the trace in this range of time after the loaded trace's start"
        )
    )]
    range: Option<Range<Ns>>,
    /// Leave out the warm-up, usually the first steps of each rank, as long as they are longer than the
    /// median of its later steps by more than three times the median absolute deviation and more than 5 %
    ///
    /// A note usually says how many steps were left out. Of serving engines, only steps of one kind, batch
    /// size and resolution are compared with each other. A step that fewer than three such steps follow is
    /// not judged, nor is any after the first 100.
    #[arg(long, conflicts_with_all = ["steps", "range"])]
    steady: bool,
    /// Count only lanes (threads, streams) whose title, or whose process's or device's title, contains this
    /// text; repeat the option for more lanes (default: all lanes)
    ///
    /// Titles are those that the explorer shows, such as "stream 7", "autograd" or "GPU 0"; case is ignored.
    /// If no stream is kept, device work usually counts for the lanes that launched it.
    #[arg(long, value_name = "TEXT")]
    lanes: Vec<String>,
    /// Count only this rank; in traces without ranks, the process with this index, from 0 (default: all
    /// ranks)
    #[arg(long, value_name = "N")]
    rank: Option<usize>,
}

impl ScopeArgs {
    /// The half-open range of steps asked for; and `--steps`, `--range`, `--lanes` and `--rank`, where given,
    /// as words of a command line.
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

    /// The part of a trace that the options ask for; the whole trace if none is given.
    pub(in crate::cli) fn within(&self) -> Within {
        let time = match (&self.steps, &self.range) {
            (Some(steps), _) => Time::Steps(steps.clone()),
            (None, Some(range)) => Time::Range(range.clone()),
            (None, None) if self.steady => Time::Steady,
            (None, None) => Time::Whole,
        };
        Within { time, lanes: self.lanes.clone(), rank: self.rank }
    }

    /// Checks that `scope` has a thread if `--lanes` is given. The error names `layout`, the layout that
    /// needs one.
    ///
    /// # Errors
    /// When `--lanes` keeps no thread.
    pub(in crate::cli) fn check_threads(
        &self,
        trace: &Trace,
        scope: &Scope,
        layout: &str,
    ) -> Result<(), Failure> {
        let is_host = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        if self.lanes.is_empty() || scope.has_kind(trace, is_host) {
            return Ok(());
        }
        let lanes = trace.lanes.iter_with_ids().filter(|(_, lane)| is_host(lane.kind) && !lane.is_empty());
        let titles: Vec<String> = lanes.map(|(lane, _)| title(trace, lane)).collect();
        let threads = if titles.is_empty() { "there is none".to_owned() } else { list(&titles) };
        Err(Failure(format!(
            "--lanes \"{}\" keeps no thread, and the layout {layout} sums up threads and the device work \
             that they launch; give a thread, too ({}), or take --layout proftui",
            self.lanes.join("\" or \""),
            threads
        )))
    }
}
