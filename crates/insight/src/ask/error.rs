//! Why a request has no answer. Must not know how the text is shown.

use proftui_trace::import::VisitError;

/// Why a request about a trace has no answer; the text is one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No view has the name.
    #[error("there is no view {name}")]
    NoView {
        /// The name asked for.
        name: String,
    },
    /// No worker has the rank.
    #[error("no rank {rank}; the ranks are {known}")]
    NoRank {
        /// The rank asked for.
        rank: usize,
        /// The names of the workers that there are.
        known: String,
    },
    /// No lane has one of the texts in its title.
    #[error("no lane has \"{texts}\" in its title; the lanes are {known}")]
    NoLane {
        /// The texts asked for, joined by `" or "`.
        texts: String,
        /// The titles of the lanes that there are.
        known: String,
    },
    /// The trace has steps, but none with the numbers asked for.
    #[error("no step {wanted}: the trace has steps {first} to {last}")]
    NoStep {
        /// The numbers asked for: `3`, `3:5` or `3:`.
        wanted: String,
        /// The number of the first step that there is.
        first: u64,
        /// The number of the last step that there is.
        last: u64,
    },
    /// The trace has no steps.
    #[error("the trace has no steps")]
    NoSteps,
    /// The trace has no steps, of which a warm-up could be left out.
    #[error("the trace has no steps")]
    NoWarmUp,
    /// The arguments of events cannot be read again.
    #[error(transparent)]
    Arguments(#[from] VisitError),
    /// The view lacks the column by which it is to be sorted.
    #[error("the view {view} has no column {column}; it has {known}")]
    NoColumn {
        /// The name of the view.
        view: String,
        /// The column asked for.
        column: String,
        /// The columns that there are.
        known: String,
    },
    /// The view lacks the column `size`, by which its rows are to be filtered.
    #[error("the view {view} has no column size; the view allocations has one")]
    NoSize {
        /// The name of the view.
        view: String,
    },
    /// There is only one trace or rank, and a column is to be compared.
    #[error("there is only one trace or rank to compare")]
    OnlyOne,
    /// The view has no columns that are compared.
    #[error("the view {view} has rows per rank or trace, not columns to compare")]
    NotCompared {
        /// The name of the view.
        view: String,
    },
    /// The view lacks the column that is to be compared, or it has no numbers.
    #[error("the view {view} has no column {column} of numbers; it has {known}")]
    NoNumbers {
        /// The name of the view.
        view: String,
        /// The column asked for.
        column: String,
        /// The columns of numbers that there are.
        known: String,
    },
}
