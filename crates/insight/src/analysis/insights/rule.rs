//! What a rule is: its words, and the function that looks at a part of a trace.
//!
//! Must not know any rule.

use super::context::Context;
use super::finding::Outcome;

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its id in JSON and options.
    pub id: &'static str,
    /// What it reports, and when.
    pub definition: &'static str,
    /// Where the definition is from.
    pub source: &'static str,
    /// What is no fault although the rule may report it, or what makes its figures wrong.
    pub caveats: &'static [&'static str],
    /// What could be done.
    pub advice: &'static str,
    /// Looks at a part of a trace.
    pub(super) find: fn(&Context<'_>, &Rule) -> Outcome,
}
