//! The options that say how a screen looks: colours, background, characters, and the file of settings.
//! `open`, `render` and `config` share them.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::app::view::color::ColorBy;
use crate::ui::theme::Depth;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct LookArgs {
    /// File of settings; proftui config prints one (default: `proftui/config.toml` in `$XDG_CONFIG_HOME`, or
    /// in `~/.config`)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Number of colours that the screen uses (default: as the file of settings states, or auto)
    #[arg(long, value_enum, value_name = "COLORS")]
    pub(crate) color: Option<ColorChoice>,
    /// Theme of colours: auto (by the terminal's background), dark, light, 16, mono, color-blind,
    /// color-blind-light, or the path of a theme file (default: as the file of settings states,
    /// or auto)
    #[arg(long, value_name = "THEME")]
    pub(crate) theme: Option<String>,
    /// What the colours of events mean: category, name, duration, stream, step or cause (default: as the file
    /// of settings states, or category)
    #[arg(long, value_name = "MEANING", value_parser = color_by)]
    pub(crate) color_by: Option<ColorBy>,
    /// Draw the screen with ASCII characters only
    #[arg(long)]
    pub(crate) ascii: bool,
}

/// The error for a name that no meaning of colours has; its text lists the names that there are.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("possible values: {}", ColorBy::ALL.map(|(_, name, _)| name).join(", "))]
pub(crate) struct NoMeaning;

/// The meaning of colours with this name, such as `category`; an error if none has it.
pub(crate) fn color_by(name: &str) -> Result<ColorBy, NoMeaning> {
    ColorBy::parse(name).ok_or(NoMeaning)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// As many colours as TERM, COLORTERM and STY suggest, none if `NO_COLOR` is set or CLICOLOR is 0;
    /// proftui render takes all 24-bit colours, except for text
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
    /// The number of colours that the choice names; `None` for `auto`, where the caller decides.
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
