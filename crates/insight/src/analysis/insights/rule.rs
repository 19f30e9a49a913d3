//! What a rule is: its words, and the function that looks at a part of a trace.
//!
//! Must not know any rule.

use crate::analysis::ledger::Cause;

use super::context::Context;
use super::finding::Outcome;

/// A rule: how it looks for one kind of finding, and what users are to know of it.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The id of the rule in JSON and options.
    pub id: &'static str,
    /// What the rule reports, and when.
    pub definition: &'static str,
    /// Where the definition is from.
    pub source: &'static str,
    /// What the rule may report although it is no fault, and what makes its figures wrong.
    pub caveats: &'static [&'static str],
    /// What could be done.
    pub advice: &'static str,
    /// How it looks at a part of a trace.
    pub(super) look: Look,
}

/// How a rule looks at a part of a trace.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// Reports the idle time of a cause.
    Idle {
        /// The cause of idle time that is reported.
        cause: Cause,
        /// The sentence after "The GPU", such as "waits for data loading".
        says: &'static str,
    },
    /// Looks at what else it needs, such as the device's work, by a function of its own.
    Work(fn(&Context<'_>, &Rule) -> Outcome),
}
