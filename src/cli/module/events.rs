//! `proftui events`: prints the events of a trace as PyTorch lists them, one line of JSON each, for the
//! Python module. A hidden command.

use std::io::Write;
use std::path::PathBuf;

use proftui_insight::compat::torch;
use proftui_trace::import::{self, Progress, Request};

use crate::cli::output::streams::{Failure, print_by};

/// The name of the hidden subcommand that lists the events of a trace.
pub(in crate::cli) const COMMAND: &str = "events";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct EventsArgs {
    /// Path of the trace
    trace: PathBuf,
}

pub(in crate::cli) fn run(args: &EventsArgs) -> Result<(), Failure> {
    let loaded = import::load(&Request::new([args.trace.clone()]), &Progress::default())?;
    if let Some(part) = loaded.trace.partial_title() {
        // Times of a part would look like those of the whole.
        return Err(Failure(part));
    }
    let events = torch::list(&loaded.trace, &loaded.texts).map_err(|error| Failure(error.to_string()))?;
    print_by(|out| {
        for event in &events {
            serde_json::to_writer(&mut *out, event)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}
