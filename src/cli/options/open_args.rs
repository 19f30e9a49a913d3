//! The options of `proftui open`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::ui::theme::Detail;

use super::look::LookArgs;
use super::select::SelectArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Open a small trace that is inside the program: four steps of training, written by a script
    #[arg(long, conflicts_with = "paths")]
    pub(crate) demo: bool,
    /// Open at a location, such as 12.5ms..14ms@gpu0; findings and tables state locations (default: the whole
    /// trace)
    #[arg(long, value_name = "LOCATION")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Report clicks and the wheel of the mouse to the explorer; the terminal then selects text only with
    /// Shift
    #[arg(long)]
    pub(crate) mouse: bool,
    /// File that keeps marks, which are read from it, and written to it whenever one is set or removed
    /// (default: none)
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Whether less is drawn, in sixteen colours: auto over a link that is measured to be slow (default:
    /// auto; --thin alone: always)
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
    /// While frames take long to arrive
    #[default]
    Auto,
    /// However fast the link is
    Always,
    /// However slow the link is
    Never,
}

impl ThinChoice {
    /// The detail of every frame; `None` for `auto`, where the link decides.
    pub(crate) fn detail(self) -> Option<Detail> {
        match self {
            Self::Auto => None,
            Self::Always => Some(Detail::Thin),
            Self::Never => Some(Detail::Full),
        }
    }
}
