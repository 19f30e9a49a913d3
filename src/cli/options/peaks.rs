//! The option that gives the peaks of devices.
//!
//! Must not know what is judged by them.

use std::path::PathBuf;

use proftui_insight::analysis::arguments::peaks;

use crate::cli::output::streams::Failure;

#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct PeaksArgs {
    /// Take what devices can achieve from this file first, in the form of assets/peaks.toml: rates in TFLOP/s
    /// by type, bandwidth in GB/s, cache in MB (default: the table in the program)
    #[arg(long, value_name = "FILE")]
    peaks: Option<PathBuf>,
}

impl PeaksArgs {
    /// Reads the file, if one is given.
    pub(in crate::cli) fn take(&self) -> Result<(), Failure> {
        let Some(path) = &self.peaks else { return Ok(()) };
        let shown = proftui_trace::import::shown(path);
        let text = std::fs::read_to_string(path).map_err(|error| Failure(format!("{shown}: {error}")))?;
        peaks::give(&text).map_err(|why| Failure(format!("{shown}: no file of peaks: {why}")))
    }
}
