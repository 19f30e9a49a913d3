//! What a rule reports: a finding with its numbers and locations, or the reason why it cannot know.
//!
//! Must not know any rule.

use crate::analysis::part::location::Location;
use proftui_base::fmt;
use proftui_base::time::Ns;

/// How much a finding matters, usually by its share of the time of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know: usually a share of 5 % to below 10 %.
    Note,
    /// Worth mending: usually a share of 10 % to below 20 %.
    Warning,
    /// Limits the run: a share of 20 % and more.
    Critical,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: &'static [Self] = &[Self::Note, Self::Warning, Self::Critical];

    /// The name of the severity in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// The unit of a number of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Time, ns.
    Ns,
    /// A plain number, mostly a count of things such as kernels.
    Count,
    /// Memory, bytes.
    Bytes,
    /// A share of a whole, where 1 is all of it.
    Ratio,
}

impl Unit {
    /// All units.
    pub const ALL: &'static [Self] = &[Self::Ns, Self::Count, Self::Bytes, Self::Ratio];

    /// The name of the unit in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
        }
    }
}

/// A number that a finding states.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The name of the number in JSON, such as `gaps`.
    pub name: &'static str,
    /// The value, in `unit`.
    pub value: f64,
    /// The unit of the value.
    pub unit: Unit,
}

impl Number {
    /// Makes a number in ns; `name` is its name in JSON.
    pub fn ns(name: &'static str, value: Ns) -> Self {
        Self { name, value: value as f64, unit: Unit::Ns }
    }

    /// Makes a number that counts things; `name` is its name in JSON.
    pub fn count(name: &'static str, value: u64) -> Self {
        Self { name, value: value as f64, unit: Unit::Count }
    }

    /// Makes a number that is a share, where 1 is the whole; `name` is its name in JSON.
    pub fn ratio(name: &'static str, value: f64) -> Self {
        Self { name, value, unit: Unit::Ratio }
    }
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The id of the rule that made the finding.
    pub rule: &'static str,
    /// What helps, as the rule advises.
    pub advice: &'static str,
    /// How much the finding matters.
    pub severity: Severity,
    /// The time, ns, that the finding's sentence states with its share; `None` if `what` alone is the
    /// sentence.
    pub time: Option<Ns>,
    /// What was found, as the last part or all of the finding's sentence, such as "the GPU waits for data
    /// loading".
    pub what: String,
    /// The names that are given as the reason, which [`title`](Self::title) appends; empty if none are given.
    pub because: String,
    /// The time that could be saved at most, all devices added up, ns; 0 also if it is not known or other
    /// findings count it.
    pub headroom: Ns,
    /// How the headroom was computed, or why it is 0.
    pub basis: &'static str,
    /// The time that the finding is about, as a share of the devices' time in the part without edges, where 1
    /// is all; more where times of parallel work are added up, 0 for growth of memory.
    pub share: f64,
    /// The numbers behind the finding.
    pub numbers: Vec<Number>,
    /// Names, usually of slices or operators, that explain the finding, each with its share (0 to 1) of the
    /// time looked at; empty if the rule gives none.
    pub seen: Vec<(String, f64)>,
    /// At most five locations at which the finding shows, usually the longest first; empty if the rule gives
    /// none.
    pub at: Vec<Location>,
    /// The name of the view that shows more on the finding.
    pub view: &'static str,
    /// The caveats of the rule, and any of this finding alone, in words for users.
    pub caveats: Vec<String>,
}

impl Finding {
    /// The finding in one sentence, followed by the names in `because`.
    pub fn title(&self) -> String {
        let names = if self.because.is_empty() { String::new() } else { format!(": {}", self.because) };
        self.sentence() + &names
    }

    /// The finding in one sentence: `what`, after the share and the time if `time` is not `None`.
    pub fn sentence(&self) -> String {
        let what = &self.what;
        match self.time {
            Some(ns) => format!("{:.1} % of the time ({}) {what}", self.share * 100.0, fmt::duration(ns)),
            None => what.clone(),
        }
    }

    /// Up to three names of `seen`, each with its share in percent, separated by commas; empty without names.
    pub(crate) fn seen_names(&self) -> String {
        let names = self.seen.iter().take(3).map(|(name, share)| format!("{name} {:.0} %", share * 100.0));
        names.collect::<Vec<_>>().join(", ")
    }

    /// `what` as a heading: without `the` at its start, and with a capital letter.
    pub fn heading(&self) -> String {
        let what = self.what.strip_prefix("the ").unwrap_or(&self.what);
        let mut chars = what.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    }
}

/// A rule that could not judge a part, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstained {
    /// The id of the rule that abstains.
    pub rule: &'static str,
    /// Why the rule abstains, in words for users.
    pub why: String,
}

/// What a rule reports about a part of a trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The rule has nothing to report.
    Nothing,
    /// The rule found what it looks for.
    Found(Box<Finding>),
    /// The rule cannot judge the part; the text says why, in words for users.
    Abstained(String),
}
