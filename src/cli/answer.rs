//! `proftui answer`: prints in a few lines where the time of a trace went, for the end of a capture. A hidden
//! command.
//!
//! A process of its own: whatever it takes, and however it ends, the capture ends as the program did.

use std::path::PathBuf;

use crate::capture::supervisor::answer::COMMAND as NAME;
use proftui_insight::analysis::insights::insights;
use proftui_insight::analysis::views::answer::answer;
use proftui_insight::analysis::views::outside::without_start_up;
use proftui_insight::analysis::{Arguments, Scope};
use proftui_insight::report;
use proftui_trace::import::{self, Progress, Request};

use crate::cli::output::streams::{Failure, print};

/// The name of the hidden subcommand that prints where the time of a trace went.
pub(super) const COMMAND: &str = NAME;

#[derive(Debug, clap::Args)]
pub(super) struct AnswerArgs {
    /// Path of the trace
    trace: PathBuf,
}

pub(super) fn run(args: &AnswerArgs) -> Result<(), Failure> {
    let loaded = import::load(&Request::new([args.trace.clone()]), &Progress::default())?;
    if let Some(part) = loaded.trace.partial_title() {
        // Numbers of a part would look like those of the whole.
        return Err(Failure(part));
    }
    // What limits the run is in the words of `proftui insights`.
    let scope = without_start_up(&loaded.trace, &Scope::default());
    let found = insights(&loaded.trace, &scope, &Arguments::default());
    let verdict = (!found.devices.is_empty()).then(|| found.verdict());
    let lines = report::answer::lines(&answer(&loaded.trace));
    verdict.iter().chain(&lines).try_for_each(|line| print(&format!("{line}\n")))
}
