//! What a rule reports: a finding with its numbers and locations, or the reason why it cannot know.
//!
//! Must not know any rule.

use crate::analysis::part::location::Location;
use proftui_base::fmt;
use proftui_base::time::Ns;

/// How much a finding matters, by its share of the part less the edges. Rules about missing records and about
/// memory set it otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// 5 % of the time and more: good to know.
    Note,
    /// 10 % of the time and more: worth mending.
    Warning,
    /// 20 % of the time and more: what limits the run.
    Critical,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: &'static [Self] = &[Self::Note, Self::Warning, Self::Critical];

    /// The severity in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// What a number of a finding is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Time, ns.
    Ns,
    /// Things.
    Count,
    /// Memory, bytes.
    Bytes,
    /// A part of a whole, or of another number.
    Ratio,
}

impl Unit {
    /// All units.
    pub const ALL: &'static [Self] = &[Self::Ns, Self::Count, Self::Bytes, Self::Ratio];

    /// The unit in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
        }
    }
}

/// A number of a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// What the number counts, as its key in JSON.
    pub name: &'static str,
    /// The number itself, in `unit`.
    pub value: f64,
    /// The unit of the number.
    pub unit: Unit,
}

impl Number {
    /// Makes a number that is a time, ns.
    pub fn ns(name: &'static str, value: Ns) -> Self {
        Self { name, value: value as f64, unit: Unit::Ns }
    }

    /// Makes a number that is a count.
    pub fn count(name: &'static str, value: u64) -> Self {
        Self { name, value: value as f64, unit: Unit::Count }
    }

    /// Makes a number that is a share, 0 to 1.
    pub fn ratio(name: &'static str, value: f64) -> Self {
        Self { name, value, unit: Unit::Ratio }
    }
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The id of the rule.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The time that it is about, ns; `None` where `what` states the time, or the finding is about no time.
    pub time: Option<Ns>,
    /// What is found, as a part of a sentence: "the GPU waits for data loading".
    pub what: String,
    /// The names that are given as the reason, to follow `what` after a colon; empty for none.
    pub because: String,
    /// The time that the finding would save at most, ns, all devices added up; 0 where other findings own it,
    /// or it is not known.
    pub headroom: Ns,
    /// How the headroom was computed, or why it is 0.
    pub basis: &'static str,
    /// What the finding is about as a share of the part less the edges, 0 to 1; more where it adds up work
    /// that ran at the same time.
    pub share: f64,
    /// The numbers of the finding.
    pub numbers: Vec<Number>,
    /// Names that were seen in the finding's time, with their shares of that time, 0 to 1; the largest first.
    pub seen: Vec<(String, f64)>,
    /// Where the finding shows most, the longest first; empty where that is not known.
    pub at: Vec<Location>,
    /// The view that prints the finding's numbers.
    pub view: &'static str,
    /// What could make the finding wrong.
    pub caveats: Vec<String>,
}

impl Finding {
    /// The finding in one sentence, with the names.
    pub fn title(&self) -> String {
        let names = if self.because.is_empty() { String::new() } else { format!(": {}", self.because) };
        self.sentence() + &names
    }

    /// The finding in one sentence, without the names that are given as the reason.
    pub fn sentence(&self) -> String {
        let what = &self.what;
        match self.time {
            Some(ns) => format!("{:.1} % of the time ({}) {what}", self.share * 100.0, fmt::duration(ns)),
            None => what.clone(),
        }
    }

    /// The three names with the largest shares of those that were seen, with the shares, as one text.
    pub fn seen_names(&self) -> String {
        let names = self.seen.iter().take(3).map(|(name, share)| format!("{name} {:.0} %", share * 100.0));
        names.collect::<Vec<_>>().join(", ")
    }

    /// What is found, as a heading: without `the` at its start, and with a capital letter.
    pub fn heading(&self) -> String {
        let what = self.what.strip_prefix("the ").unwrap_or(&self.what);
        let mut chars = what.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    }
}

/// A rule that abstains, since what it needs is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstained {
    /// The id of the rule.
    pub rule: &'static str,
    /// What is not known, or why, in words for users.
    pub why: String,
}

/// What a rule reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The rule has nothing to report.
    Nothing,
    /// The rule reports this.
    Found(Box<Finding>),
    /// The rule abstains, since what it needs is not known; the text says what, or why, for users.
    Abstained(String),
}
