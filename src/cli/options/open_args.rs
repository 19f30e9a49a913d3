//! The options of `proftui open`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::ui::theme::Detail;

use super::look::LookArgs;
use super::select::SelectArgs;

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Open a small trace that is built into the program: four steps of a training, made by a script, not
    /// recorded
    #[arg(long, conflicts_with = "paths")]
    pub(crate) demo: bool,
    /// Open at a location, such as 12.5ms..14ms@gpu0; findings and tables state locations (default: the whole
    /// trace)
    #[arg(long, value_name = "LOCATION")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Report clicks, drags and the wheel of the mouse to the explorer; the terminal then usually selects
    /// text only with Shift
    #[arg(long)]
    pub(crate) mouse: bool,
    /// Open the trace that was opened last
    #[arg(long, conflicts_with_all = ["paths", "demo"])]
    pub(crate) last: bool,
    /// File for marks, and nothing else is kept: they are read from it at the start, and usually written to
    /// it whenever one is set or removed (default: none)
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Keep nothing of this session, and restore nothing of an earlier one
    ///
    /// By default marks, pins, folds and the view are kept in the cache folder, and are there again when a
    /// file with the same content is opened.
    #[arg(long, conflicts_with_all = ["session", "last"])]
    pub(crate) no_session: bool,
    /// When to draw less, in sixteen colours at most; --thin alone means always (default: as the file of
    /// settings states, or auto)
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always"
    )]
    pub(crate) thin: Option<ThinChoice>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThinChoice {
    /// While the link to the terminal is measured to be slow
    #[default]
    Auto,
    /// Always, however fast the link to the terminal is
    Always,
    /// Never, however slow the link to the terminal is
    Never,
}

impl ThinChoice {
    /// The detail at which frames are usually drawn; `None` for `auto`, where the measured speed of the link
    /// decides.
    pub(crate) fn detail(self) -> Option<Detail> {
        match self {
            Self::Auto => None,
            Self::Always => Some(Detail::Thin),
            Self::Never => Some(Detail::Full),
        }
    }
}
