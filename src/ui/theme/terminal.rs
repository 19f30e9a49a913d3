//! What a theme has to suit: the colours that a terminal shows, and its background.

/// How many colours a terminal shows, or a theme uses at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// No colours: only attributes, such as bold, dim, underline and reverse.
    Mono,
    /// The sixteen colours of the terminal's own palette.
    Ansi16,
    /// The 256 colours of xterm.
    Indexed256,
    /// 24-bit colours.
    True,
}

/// The terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// A dark background; also assumed if the background is unknown.
    Dark,
    /// A light background.
    Light,
}
