//! What a rule reports: a finding with its numbers and locations, or the reason why it cannot know.
//!
//! Must not know any rule.

use crate::analysis::part::location::Location;
use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::GroupId;

use super::when::When;

/// How much a finding matters, usually by its share of the time of the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know: usually a share of 5 % to below 10 %.
    #[default]
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
    /// What helps, chosen by what was found.
    pub advice: String,
    /// How much the finding matters.
    pub severity: Severity,
    /// The finding in at most [`TITLE`] columns, its subject first, such as `data loading: read_shard`.
    pub title: String,
    /// The time that the finding is about, ns; `None` if it is about no time, such as one about memory.
    pub time: Option<Ns>,
    /// What was found, as it follows the share of the time, such as "the GPU waits for data loading".
    pub what: String,
    /// More on what was found, as it follows `what`; empty if there is none.
    pub detail: String,
    /// The names that are given as the reason; empty if none are given.
    pub because: String,
    /// The time that mending it would save at most, all devices added up, ns; 0 also if it is not known or
    /// other findings count it.
    pub saves: Ns,
    /// How `saves` was computed, or why it is 0.
    pub basis: &'static str,
    /// The time that would likely be saved, by a replay of the run without it, ns; `None` if it is not known.
    pub likely: Option<Ns>,
    /// The time that the finding is about, as a share of the devices' time in the run, where 1 is all; more
    /// where times of parallel work are added up, 0 for growth of memory.
    pub share: f64,
    /// When the finding shows; `None` where that has no meaning.
    pub when: Option<When>,
    /// True if the cost comes once, at the start of the run.
    pub once: bool,
    /// The device that the finding is about, where several are used and it is about one.
    pub device: Option<GroupId>,
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
    /// The finding in one sentence: its share and time, what was found, when, and the reason.
    pub fn sentence(&self) -> String {
        let names = if self.because.is_empty() { String::new() } else { format!(": {}", self.because) };
        self.statement() + &names
    }

    /// [`sentence`](Self::sentence) without the reason.
    pub fn statement(&self) -> String {
        let Self { what, detail, .. } = self;
        let when = self.when.as_ref().map_or(String::new(), When::phrase);
        let when = if when.is_empty() { when } else { format!(", {when}") };
        match self.time {
            Some(ns) => format!("{:.1} % ({}) {what}{detail}{when}", self.share * 100.0, fmt::duration(ns)),
            None => format!("{what}{detail}{when}"),
        }
    }

    /// Up to three names of `seen`, each with its share in percent, separated by commas; empty without names.
    pub(crate) fn seen_names(&self) -> String {
        let names = self.seen.iter().take(3).map(|(name, share)| format!("{name} {:.0} %", share * 100.0));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The most columns of a finding's title.
pub const TITLE: usize = 44;

/// A title made of a pattern in which `X` stands for a name, such as `data loading: X`; the name is cut in
/// its middle so that the title has at most [`TITLE`] columns, and is left out with `: ` before it if it is
/// empty.
pub fn title(pattern: &str, name: &str) -> String {
    let Some((before, after)) = pattern.split_once('X') else { return cut(pattern) };
    if name.is_empty() {
        let before = before.strip_suffix(": ").unwrap_or(before);
        return cut(format!("{before}{after}").trim_start());
    }
    let room = TITLE.saturating_sub(before.chars().count() + after.chars().count());
    let name = SafeText::new(name).elide_middle(room).to_string();
    format!("{before}{name}{after}")
}

fn cut(text: &str) -> String {
    SafeText::new(text).elide_end(TITLE).to_string()
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
    /// The rule found what it looks for; a second finding is of costs that come once.
    Found(Vec<Finding>),
    /// The rule cannot judge the part; the text says why, in words for users.
    Abstained(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_its_subject_first_and_few_columns() {
        assert_eq!(title("data loading: X", "read_shard"), "data loading: read_shard");
        assert_eq!(title("data loading: X", ""), "data loading");
        assert_eq!(title("X computes on the CPU", "aten::nonzero"), "aten::nonzero computes on the CPU");
        let long =
            title("synchronization: X", "void at::native::vectorized_elementwise_kernel<4, at::native>");
        assert!(long.starts_with("synchronization: void at") && long.chars().count() <= TITLE, "{long}");
        assert!(long.contains('…'), "{long}");
    }
}
