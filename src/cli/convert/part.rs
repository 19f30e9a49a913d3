//! The options that choose the part of a trace that is written.

use std::ops::Range;

use proftui_base::time::Ns;
use proftui_insight::ask::{self, Time, Within};
use proftui_trace::export::Excerpt;
use proftui_trace::model::Trace;

use crate::cli::options::values::{steps, steps_help, times, times_help};
use crate::cli::output::streams::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct PartArgs {
    #[arg(
        long,
        value_name = "A:B",
        value_parser = steps,
        help = steps_help("Write only these steps of the trace")
    )]
    steps: Option<Range<u64>>,
    #[arg(
        long,
        value_name = "T0:T1",
        value_parser = times,
        conflicts_with = "steps",
        help = times_help("Write only the part of the trace in this range of time after its start")
    )]
    range: Option<Range<Ns>>,
    /// Write only lanes (threads, streams) whose title, or whose process's or device's title, contains this
    /// text, and what is linked with them; repeat the option for more lanes (default: all lanes)
    #[arg(long, value_name = "TEXT")]
    lanes: Vec<String>,
    /// Write this rank of a folder with several; in traces without ranks, the process with this index, from 0
    /// (default: the only one)
    #[arg(long, value_name = "N")]
    pub(super) rank: Option<usize>,
    /// Leave out names of files, hosts, users and the program's own code, or write numbers instead
    ///
    /// Names of kernels, operators and libraries, shapes and sizes stay. Arguments stay if they are known to
    /// name nothing.
    #[arg(long)]
    pub(super) anonymize: bool,
}

impl PartArgs {
    /// The part of a trace that is asked for; `None` for the whole trace.
    pub(super) fn of(&self, trace: &Trace) -> Result<Option<Excerpt>, Failure> {
        let words = self.words();
        if words.is_empty() {
            return Ok(None);
        }
        // The text of a lane may be a name.
        let words = if self.anonymize { vec!["a part".to_owned()] } else { words };
        let time = match (&self.steps, &self.range) {
            (Some(steps), _) => Time::Steps(steps.clone()),
            (None, Some(range)) => Time::Range(range.clone()),
            (None, None) => Time::Whole,
        };
        let within = Within { time, lanes: self.lanes.clone(), rank: None };
        Ok(Some(ask::excerpt(trace, &within, words.join(" "))?))
    }

    /// Fails if a part is asked for, since the form of the output, a file shown as `to`, is always whole.
    pub(super) fn refuse(&self, to: &str) -> Result<(), Failure> {
        if self.words().is_empty() && self.rank.is_none() && !self.anonymize {
            return Ok(());
        }
        let what = "only .pt.trace.json (.gz, .zst) can have a part of a trace, or be anonymous: name it so";
        Err(Failure(format!("{to}: {what}")))
    }

    /// The options that were given, as words of a command line.
    fn words(&self) -> Vec<String> {
        let end = |end: u64, most: u64| if end == most { String::new() } else { end.to_string() };
        let steps = self.steps.iter().map(|of| format!("--steps {}:{}", of.start, end(of.end, u64::MAX)));
        let range = self.range.iter().map(|of| {
            let until = if of.end == Ns::MAX { String::new() } else { format!("{}ns", of.end) };
            format!("--range {}ns:{until}", of.start)
        });
        steps.chain(range).chain(self.lanes.iter().map(|text| format!("--lanes={text}"))).collect()
    }
}
