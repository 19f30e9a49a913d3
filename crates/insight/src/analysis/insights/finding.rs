//! What a rule reports: a finding with its numbers and locations, or the reason why it cannot know.
//!
//! Must not know any rule.

use crate::analysis::part::location::Location;
use proftui_base::fmt;
use proftui_base::time::Ns;

/// How much a finding matters, by its share of the time of the part without edges. The rules `not_recorded`,
/// `memory_growth` and `allocator_retries` set it in other ways, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A share of 5 % to 10 %: good to know.
    Note,
    /// A share of 10 % to 20 %: worth mending.
    Warning,
    /// A share of 20 % and more: it limits the run.
    Critical,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: &'static [Self] = &[Self::Note, Self::Warning, Self::Critical];

    /// The name of the severity in JSON and tables.
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
    /// The key of the number in JSON.
    pub name: &'static str,
    /// The value, in `unit`.
    pub value: f64,
    /// The unit of the value.
    pub unit: Unit,
}

impl Number {
    /// Makes a number in ns; `name` is its key in JSON.
    pub fn ns(name: &'static str, value: Ns) -> Self {
        Self { name, value: value as f64, unit: Unit::Ns }
    }

    /// Makes a number that counts things; `name` is its key in JSON.
    pub fn count(name: &'static str, value: u64) -> Self {
        Self { name, value: value as f64, unit: Unit::Count }
    }

    /// Makes a number that is a share, 0 to 1; `name` is its key in JSON.
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
    /// The time that the finding is about, ns, which its sentence states before `what`; `None` where `what`
    /// states the time, or the finding is about no time.
    pub time: Option<Ns>,
    /// What was found, as a part of a sentence: "the GPU waits for data loading".
    pub what: String,
    /// The names that are given as the reason, which follow `what` after a colon; empty if none are given.
    pub because: String,
    /// The time that could be saved at most, all devices added up, ns; 0 where other findings count that
    /// time, or where it is not known.
    pub headroom: Ns,
    /// How the headroom was computed, or why it is 0.
    pub basis: &'static str,
    /// The time that the finding is about as a share of the part without its edges, 0 to 1; more where times
    /// of work that ran at once are added up. 0 for a finding about memory alone.
    pub share: f64,
    /// Further numbers that the finding states.
    pub numbers: Vec<Number>,
    /// Names of slices or operators in the finding's time, each with its share (0 to 1) of that time, the
    /// largest first; empty for a rule that names none.
    pub seen: Vec<(String, f64)>,
    /// Locations at which the finding shows, the longest or worst first; empty where none is known.
    pub at: Vec<Location>,
    /// The name of the view that shows the finding's numbers.
    pub view: &'static str,
    /// Texts on what could make the finding wrong.
    pub caveats: Vec<String>,
}

impl Finding {
    /// The finding in one sentence, followed by the names in `because`.
    pub fn title(&self) -> String {
        let names = if self.because.is_empty() { String::new() } else { format!(": {}", self.because) };
        self.sentence() + &names
    }

    /// The finding in one sentence: the share and the time, if `time` is known, and `what`.
    pub fn sentence(&self) -> String {
        let what = &self.what;
        match self.time {
            Some(ns) => format!("{:.1} % of the time ({}) {what}", self.share * 100.0, fmt::duration(ns)),
            None => what.clone(),
        }
    }

    /// The first three names of `seen`, each with its share in percent, separated by commas; empty without
    /// names.
    pub fn seen_names(&self) -> String {
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
    /// What is not known, or why it is not, in words for users.
    pub why: String,
}

/// What a rule reports about a part of a trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The rule has nothing to report.
    Nothing,
    /// The rule found what it looks for.
    Found(Box<Finding>),
    /// The rule cannot judge, since something that it needs is not known; the text states that to users.
    Abstained(String),
}
