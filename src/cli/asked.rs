//! Why a request has no answer, with the options of the command line that help.
//!
//! Must not know how answers are made.

use proftui_insight::ask::AskError;

use super::output::streams::Failure;

/// The text that states the options that print all rows, for a note about a table that was cut.
pub(super) const ALL_ROWS: &str = "--row-limit -1 prints all rows";
/// The text that states the options that print all frames, for a note about a flame that was cut.
pub(super) const ALL_FRAMES: &str = "--view flame --row-limit -1 prints all frames";

/// The failure of a command whose request has no answer: the reason, in some cases with the options that it
/// concerns.
pub(super) fn failure(why: AskError) -> Failure {
    let text = why.to_string();
    Failure(match why {
        AskError::NoSteps => format!("{text}; use --range with a time range"),
        AskError::NoWarmUp => format!("{text}: --steady needs them"),
        AskError::NoSize { view } => format!(
            "the view {view} has no column size for --min-size and --max-size; the view allocations of the \
             layout proftui has one"
        ),
        AskError::OnlyOne => {
            "--compare needs several traces or ranks; only one has what is asked for".to_owned()
        }
        AskError::NoTime { .. } => format!("--range: {text}"),
        AskError::NotCompared { .. } | AskError::NoNumbers { .. } => format!("--compare: {text}"),
        AskError::NoView { .. }
        | AskError::NoRank { .. }
        | AskError::NoLane { .. }
        | AskError::NoStep { .. }
        | AskError::NoColumn { .. }
        | AskError::Arguments(_) => text,
    })
}
