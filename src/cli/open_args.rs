//! The options of `proftui open`: what is loaded, and how the screen looks.

use clap::ValueEnum;

use crate::ui::theme::Depth;

use super::select::SelectArgs;

#[derive(Debug, clap::Args)]
pub(super) struct OpenArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// How many colours to use
    #[arg(long, value_enum, default_value_t)]
    pub(super) color: ColorChoice,
    /// What lies behind the text; found out from the environment by default
    #[arg(long, value_enum, default_value_t)]
    pub(super) theme: ThemeChoice,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub(super) ascii: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// As many as the terminal is likely to show; none when `NO_COLOR` is set
    #[default]
    Auto,
    /// 24 bits
    True,
    /// The 256 of xterm
    #[value(name = "256")]
    Indexed,
    /// The terminal's own sixteen
    #[value(name = "16")]
    Ansi,
    /// None
    Never,
}

impl ColorChoice {
    /// The number of colours that was asked for; `None` where the environment decides.
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
    /// Dark unless the environment says light
    #[default]
    Auto,
    /// For a dark background
    Dark,
    /// For a light background
    Light,
}
