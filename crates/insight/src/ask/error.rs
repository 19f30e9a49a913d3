//! Why a request has no answer. Must not know how the text is shown.

use proftui_trace::import::VisitError;

/// Why a request about a trace has no answer; as text, one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No view has the name or alias.
    #[error("there is no view {name}")]
    NoView {
        /// The name that was asked for.
        name: String,
    },
    /// No worker of the traces has the rank.
    #[error("no rank {rank}, only {known}")]
    NoRank {
        /// The rank asked for; in traces without ranks, the index of a process.
        rank: usize,
        /// The names of the workers, joined by commas; of many, the first and how many more there are.
        known: String,
    },
    /// No lane of the workers asked for has a wanted text in its title, which includes that of its process or
    /// device.
    #[error("no lane in what is asked for has \"{texts}\" in its title; the trace has the lanes {known}")]
    NoLane {
        /// The texts asked for in titles of lanes, joined by `" or "`.
        texts: String,
        /// The titles of the trace's lanes that are not empty, joined by commas; of many, the first and how
        /// many more there are.
        known: String,
    },
    /// The trace has steps, but the workers with lanes in the part have none with the numbers asked for.
    #[error("no step {wanted} in what is loaded and asked for: its first step is {first}, its last {last}")]
    NoStep {
        /// The numbers asked for: `3`, `3:5` (3 and 4) or `3:` (all from 3).
        wanted: String,
        /// The number of the step that starts first in the trace.
        first: u64,
        /// The number of the step that starts last in the trace.
        last: u64,
    },
    /// Steps were asked for by number, but the trace has none.
    #[error("the loaded trace has no steps")]
    NoSteps,
    /// The steps after the warm-up were asked for, but the workers with lanes in the part have no steps.
    #[error("no steps in what is loaded and asked for")]
    NoWarmUp,
    /// The range of time asked for begins after the end of the trace.
    #[error("the part begins {from} after the start, but {what} ends at {end}")]
    NoTime {
        /// The start of the range, after the start of what is loaded.
        from: String,
        /// `the trace`, or `what is loaded` of it.
        what: &'static str,
        /// The end of what is loaded, after its start.
        end: String,
    },
    /// The files cannot be read again for the arguments of events.
    #[error(transparent)]
    Arguments(#[from] VisitError),
    /// The only view asked for lacks the column by which its rows are to be sorted.
    #[error("the view {view} has no column {column} here; it has {known}")]
    NoColumn {
        /// The name of the view.
        view: String,
        /// The id of the column asked for.
        column: String,
        /// The ids of the columns of a table of the view, joined by commas.
        known: String,
    },
    /// The only view asked for lacks the column `size`, by which its rows are to be filtered.
    #[error("the view {view} has no column size; the view allocations has one")]
    NoSize {
        /// The name of the view.
        view: String,
    },
    /// A column is to be compared, but there is only one trace or rank.
    #[error("there is only one trace or rank to compare")]
    OnlyOne,
    /// A column is to be compared, but the only view asked for has none that can stand side by side.
    #[error("cannot compare columns of the view {view}: it lists the traces' rows below each other")]
    NotCompared {
        /// The name of the view.
        view: String,
    },
    /// The only view asked for lacks the column that is to be compared, or that column has no numbers.
    #[error("the view {view} has no column {column} of numbers; it has {known}")]
    NoNumbers {
        /// The name of the view.
        view: String,
        /// The id of the column asked for.
        column: String,
        /// The ids of the number columns in the view's first table, joined by commas.
        known: String,
    },
}
