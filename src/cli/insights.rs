//! `proftui insights`: says why devices were idle, and what would save the most time, as text, JSON or
//! Markdown.
//!
//! Must not know rules.

use clap::ValueEnum;

use proftui_insight::analysis::Table;
use proftui_insight::analysis::insights::Insights;
use proftui_insight::analysis::ledger::Cause;
use proftui_insight::analysis::thresholds::NOTE;
use proftui_insight::ask::{Ask, Findings};
use proftui_insight::report;
use proftui_insight::report::insights::About;
use proftui_insight::report::text::Look;
use proftui_trace::import::Loaded;

use super::asked::failure;
use super::load::{load_for_tables, traces};
use crate::cli::options::peaks::PeaksArgs;
use crate::cli::options::scope::ScopeArgs;
use crate::cli::options::select::SelectArgs;
use crate::cli::output::streams::{Failure, notify, print};

/// The exit status where a limit of `--fail-on` does not hold, or it is not known whether it holds.
const NOT_HELD: u8 = 3;

#[derive(Debug, clap::Args)]
pub(super) struct InsightsArgs {
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    peaks: PeaksArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with status 3 if a rule or a cause has at least this share of the part, such as
    /// `data_loading=10%`; repeat the option for more limits (default: no limit)
    ///
    /// The status is 3, too, if the trace does not say whether the limit holds, or data of it is missing,
    /// such as if the file is cut off, the memory limit left events out, or the recorder lost some.
    #[arg(long, value_name = "RULE=SHARE", value_parser = limit)]
    fail_on: Vec<Limit>,
    /// Print all of the JSON, not only what fits in 8,000 bytes
    #[arg(long)]
    all: bool,
    /// Print what the causes, rules and thresholds mean, and stop
    #[arg(long)]
    explain: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The verdict, the findings and a table of causes
    #[default]
    Table,
    /// One line of JSON per trace
    Json,
    /// The verdict, the findings and a table of causes, as Markdown
    Markdown,
}

/// A limit of `--fail-on`: a rule or cause, and a share that it must stay below.
#[derive(Clone, Debug)]
struct Limit {
    rule: String,
    /// The share, 0 to 1, that the rule or cause must stay below.
    share: f64,
}

/// Why a text is no value of `--fail-on`.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
enum LimitError {
    /// The text does not have the form `name=number%`.
    #[error("expected a rule or cause and a share, such as data_loading=10%")]
    Malformed,
    /// No rule and no cause has this name.
    #[error("there is no rule or cause \"{0}\"; proftui insights --explain lists them")]
    Unknown(String),
    /// The share, in percent, is not from 0 to 100.
    #[error("{0} % is no share from 0 to 100 %")]
    NoShare(f64),
    /// The limit is for a rule that is no cause, and is below [`NOTE`], the smallest share that rules report.
    #[error("the rule {0} takes a limit of {percent:.0} % or more", percent = NOTE * 100.0)]
    Unreported(String),
}

fn limit(text: &str) -> Result<Limit, LimitError> {
    let (rule, share) = text.split_once('=').ok_or(LimitError::Malformed)?;
    let share = share.trim().strip_suffix('%').ok_or(LimitError::Malformed)?;
    let share: f64 = share.trim().parse().map_err(|_| LimitError::Malformed)?;
    let is_known = Cause::from_id(rule).is_some()
        || proftui_insight::analysis::insights::rules::all().any(|known| known.id == rule);
    if !is_known {
        return Err(LimitError::Unknown(rule.to_owned()));
    }
    if !(0.0..=100.0).contains(&share) {
        return Err(LimitError::NoShare(share));
    }
    // The time of a cause is known at any share, what only a rule reports is not.
    if Cause::from_id(rule).is_none() && share < NOTE * 100.0 {
        return Err(LimitError::Unreported(rule.to_owned()));
    }
    Ok(Limit { rule: rule.to_owned(), share: share / 100.0 })
}

impl Limit {
    /// Why the limit cannot be judged; `None` if it can be. Whether the trace is complete does not count.
    fn unknown<'a>(&self, insights: &'a Insights) -> Option<&'a str> {
        let abstained = insights.abstained.iter().find(|abstained| abstained.rule == self.rule);
        let is_empty = insights.devices.is_empty();
        abstained
            .map(|abstained| abstained.why.as_str())
            .or(is_empty.then_some("nothing in the part asked for says what a device or the host did"))
    }

    /// The largest share of the rule's findings and of the cause with the limit's name; 0 if there are none.
    fn share_of(&self, insights: &Insights) -> f64 {
        let found = insights.findings.iter().filter(|finding| finding.rule == self.rule);
        let of_rule = found.map(|finding| finding.share).fold(0.0, f64::max);
        let of_cause = Cause::from_id(&self.rule).map_or(0, |cause| insights.idle(cause));
        of_rule.max(insights.whole().share(of_cause))
    }
}

/// Prints the insights of the traces, or what insights mean. Returns [`NOT_HELD`] after reporting that a
/// limit of `--fail-on` does not or may not hold, else 0.
pub(super) fn run(args: &InsightsArgs) -> Result<u8, Failure> {
    if args.explain {
        print(&report::insights::explain())?;
        return Ok(0);
    }
    args.peaks.take()?;
    let traces = traces(&args.select.request())?;
    let mut status = 0;
    for files in &traces {
        let loaded = load_for_tables(&files.request)?;
        let ask = Ask { within: args.scope.within(), ..Ask::findings() };
        let Some(Findings { insights: found, causes }) = ask.of(&loaded).map_err(failure)?.findings else {
            continue;
        };
        let (steps, options) = args.scope.asked();
        let about = About { steps, options: &options, paths: &files.request.paths };
        print(&shown(args, &loaded, &causes, &found, about)?)?;
        for limit in &args.fail_on {
            if let Some(why) = limit.unknown(&found) {
                notify(&format!("{}: whether the limit holds is not known: {why}", limit.rule));
                status = NOT_HELD;
                continue;
            }
            let share = limit.share_of(&found);
            if share >= limit.share {
                notify(&format!(
                    "{}: its share of {:.1} % is not below the limit of {:.1} %",
                    limit.rule,
                    share * 100.0,
                    limit.share * 100.0
                ));
                status = NOT_HELD;
            } else if let Some(what) = found.incomplete.first() {
                notify(&format!(
                    "{}: whether the limit holds is not known: the trace counts as incomplete: {what}",
                    limit.rule
                ));
                status = NOT_HELD;
            }
        }
    }
    Ok(status)
}

fn shown(
    args: &InsightsArgs,
    loaded: &Loaded,
    causes: &Table,
    found: &Insights,
    about: About<'_>,
) -> Result<String, Failure> {
    let trace = &loaded.trace;
    Ok(match args.format {
        Format::Json => serde_json::to_string(&report::insights::json(trace, found, about, args.all))? + "\n",
        Format::Table => {
            let table = report::text::render(causes, Look { width: Some(100), ..Look::default() });
            report::insights::text(trace, found, about, false) + &table
        }
        Format::Markdown => {
            let table = report::markdown::render(causes, None);
            report::insights::text(trace, found, about, true) + &table
        }
    })
}
