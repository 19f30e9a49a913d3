//! The options of `proftui open`.

use std::path::PathBuf;

use super::look::LookArgs;
use super::select::SelectArgs;

#[derive(Debug, clap::Args)]
pub(super) struct OpenArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// Open at a location, such as 12.5ms..14ms@gpu0; findings and tables state locations (default: the whole trace)
    #[arg(long, value_name = "LOCATION")]
    pub(super) at: Option<String>,
    #[command(flatten)]
    pub(super) look: LookArgs,
    /// Report clicks and the wheel of the mouse to the explorer; the terminal then selects text only with Shift
    #[arg(long)]
    pub(super) mouse: bool,
    /// File that keeps marks, which are read from it, and written to it whenever one is set or removed (default: none)
    #[arg(long, value_name = "FILE")]
    pub(super) session: Option<PathBuf>,
    /// Draw less, in sixteen colours, as over a link that is measured to be slow
    #[arg(long)]
    pub(super) thin: bool,
}
