//! What a rule is: its words, and the function that looks at a part of a trace.
//!
//! Must not know any rule.

use crate::analysis::ledger::Cause;

use super::context::Context;
use super::finding::Outcome;

/// A rule, which looks for one kind of finding, with the texts that explain it to users.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The id of the rule in JSON and options.
    pub id: &'static str,
    /// What the rule reports, and on what condition, in words for users.
    pub definition: &'static str,
    /// What the definition is based on, in words for users.
    pub source: &'static str,
    /// Texts for users on the limits of the rule, such as what it reports although it is no fault.
    pub caveats: &'static [&'static str],
    /// What users can do about such a finding.
    pub advice: &'static str,
    /// How the rule looks at a part of a trace.
    pub(super) look: Look,
}

/// How a rule looks at a part of a trace.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// The rule reports the time that is charged to one cause, if its share is at least 5 %.
    Idle {
        /// The cause whose time is reported.
        cause: Cause,
        /// The pattern of the finding's title, in which `X` stands for the reason.
        title: &'static str,
        /// What the GPU does, in the words of the finding, such as "waits for data loading".
        says: &'static str,
        /// What the host does, in a trace or part without devices; empty if the cause is none there.
        host: &'static str,
    },
    /// The rule calls this function, which looks at the part.
    Work(fn(&Context<'_>, &Rule) -> Outcome),
}
