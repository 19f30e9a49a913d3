//! The options of `proftui open`: what is loaded, and how the screen looks.

use clap::ValueEnum;

use crate::ui::theme::Depth;

use super::select::SelectArgs;

#[derive(Debug, clap::Args)]
pub(super) struct OpenArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// Open at a location, such as 12.5ms..14ms@gpu0; findings and tables state locations (default: the whole trace)
    #[arg(long, value_name = "LOCATION")]
    pub(super) at: Option<String>,
    /// Number of colours that the screen uses
    #[arg(long, value_enum, default_value_t)]
    pub(super) color: ColorChoice,
    /// Background of the terminal, for which readable colours are chosen
    #[arg(long, value_enum, default_value_t)]
    pub(super) theme: ThemeChoice,
    /// Draw the screen with ASCII characters only
    #[arg(long)]
    pub(super) ascii: bool,
    /// Draw less, in sixteen colours, as over a link that is measured to be slow
    #[arg(long)]
    pub(super) thin: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// As many colours as TERM and COLORTERM promise; none if `NO_COLOR` is set
    #[default]
    Auto,
    /// All 24-bit colours
    True,
    /// The 256 colours of xterm
    #[value(name = "256")]
    Indexed,
    /// The terminal's own sixteen colours
    #[value(name = "16")]
    Ansi,
    /// No colours
    Never,
}

impl ColorChoice {
    /// The number of colours that the user asked for; `None` for `auto`, where the environment decides.
    pub(super) fn depth(self) -> Option<Depth> {
        match self {
            Self::Auto => None,
            Self::True => Some(Depth::True),
            Self::Indexed => Some(Depth::Indexed256),
            Self::Ansi => Some(Depth::Ansi16),
            Self::Never => Some(Depth::Mono),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ThemeChoice {
    /// Dark, unless COLORFGBG states a light background
    #[default]
    Auto,
    /// Colours for a dark background
    Dark,
    /// Colours for a light background
    Light,
}
