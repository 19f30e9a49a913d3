//! Why a query cannot be read or answered.
//!
//! Must not know how it is read.

use rustc_hash::FxHashSet;

use proftui_trace::import::VisitError;

use crate::analysis::part::titles::list;

/// Why what was typed is no query, or asks for what the trace does not have; as text, one line for the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum QueryError {
    /// No field has the name; `advice` names the nearest one, or all.
    #[error("no field \"{name}\"{advice}")]
    NoField {
        /// The name that was typed.
        name: String,
        /// What to type instead, beginning with a sign.
        advice: String,
    },
    /// Nothing stands after a field's sign.
    #[error("{name}: a value is missing, as in {example}")]
    NoValue {
        /// The field.
        name: &'static str,
        /// The field with a value.
        example: &'static str,
    },
    /// A field is compared in a way that it does not have.
    #[error("{name} has no {sign}: type it as in {example}")]
    NoSign {
        /// The field.
        name: &'static str,
        /// What was typed behind the name, such as `>` or `.x`.
        sign: String,
        /// The field with a value.
        example: &'static str,
    },
    /// The value of a field is of the wrong kind.
    #[error("\"{text}\" is no {what}, as in {example}, or too large")]
    NoNumber {
        /// The value that was typed.
        text: String,
        /// What it should be, such as `time in ns, us, ms or s`.
        what: &'static str,
        /// The field with a value.
        example: &'static str,
    },
    /// The value of a field is none of those that there are.
    #[error("\"{text}\" is no {what}; there are {known}")]
    NoChoice {
        /// The value that was typed.
        text: String,
        /// What it should be, such as `phase`.
        what: &'static str,
        /// All values, joined by commas.
        known: String,
    },
    /// A value of a field that has no range of steps.
    #[error("\"{0}\" is no step, as in step:12 or step:12..15")]
    NoStep(String),
    /// Why a regular expression is refused, in one line.
    #[error("re: {0}")]
    NoRegex(String),
    /// `not` stands before something that is no condition.
    #[error("not cannot stand before {0}")]
    NotACondition(&'static str),
    /// The trace has nothing of the value.
    #[error("no {what} \"{text}\" in the trace; it has {known}")]
    NotThere {
        /// What was asked for, such as `category`.
        what: &'static str,
        /// The value that was typed.
        text: String,
        /// What the trace has instead, joined by commas; `none` if it has nothing of that kind.
        known: String,
    },
    /// Two parts of a query do not go together.
    #[error("{one} does not go with {other}")]
    NotTogether {
        /// One part, such as `cause:`.
        one: &'static str,
        /// The other part.
        other: &'static str,
    },
}

/// Why a query has no answer; as text, one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query asks for what the trace does not have.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The files cannot be read again for the arguments of events.
    #[error("cannot search the arguments: {0}")]
    Arguments(#[from] VisitError),
}

/// The error where the trace has nothing that a term asks for.
pub(super) fn not_there(what: &'static str, text: &str, known: impl Iterator<Item = String>) -> QueryError {
    let mut known: Vec<String> = known.filter(|name| !name.is_empty()).collect();
    let mut seen = FxHashSet::default();
    known.retain(|name| seen.insert(name.clone()));
    let known = if known.is_empty() { "none".to_owned() } else { list(&known) };
    QueryError::NotThere { what, text: text.to_owned(), known }
}
