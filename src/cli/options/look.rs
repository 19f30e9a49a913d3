//! The options that say how a screen looks: colours, background, characters, and the file of settings.
//! `open`, `render` and `config` share them.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::app::view::color::ColorBy;
use crate::ui::theme::Depth;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct LookArgs {
    /// File of settings (default: `proftui/config.toml` in `~/.config`; proftui config prints one)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Number of colours that the screen uses (default: auto)
    #[arg(long, value_enum, value_name = "COLORS")]
    pub(crate) color: Option<ColorChoice>,
    /// Colours: auto, dark, light, 16, mono, color-blind, color-blind-light, or a theme file (default: auto,
    /// by the terminal's background)
    #[arg(long, value_name = "THEME")]
    pub(crate) theme: Option<String>,
    /// What the colours of events mean (default: category)
    #[arg(long, value_name = "MEANING", value_parser = color_by)]
    pub(crate) color_by: Option<ColorBy>,
    /// Draw the screen with ASCII characters only
    #[arg(long)]
    pub(crate) ascii: bool,
}

/// No meaning of colours has the name.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("possible values: {}", ColorBy::ALL.map(|(_, name, _)| name).join(", "))]
pub(crate) struct NoMeaning;

/// Reads the name of a meaning of colours.
pub(crate) fn color_by(name: &str) -> Result<ColorBy, NoMeaning> {
    ColorBy::parse(name).ok_or(NoMeaning)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
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
    pub(crate) fn depth(self) -> Option<Depth> {
        match self {
            Self::Auto => None,
            Self::True => Some(Depth::True),
            Self::Indexed => Some(Depth::Indexed256),
            Self::Ansi => Some(Depth::Ansi16),
            Self::Never => Some(Depth::Mono),
        }
    }
}
