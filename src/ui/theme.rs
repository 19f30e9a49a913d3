//! Colours by meaning: drawing code names a token, and the theme maps each token to a style that the terminal
//! can show.
//!
//! With `theme/file`, which reads theme files, the only file of `ui` that chooses colours.

mod file;
mod terminal;
mod token;

use proftui_base::saturate::saturate;
use ratatui::style::{Color, Modifier, Style};

pub use file::{NoTheme, ThemeFile};
pub use terminal::{Background, Depth};
pub use token::Token;

/// How much is drawn, the most first; less is for a slow link to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Everything.
    Full,
    /// For a slow link: at most sixteen colours, and less detail than [`Full`](Self::Full).
    Thin,
    /// For a slow link while keys repeat: as [`Thin`](Self::Thin), but only parts of the timeline.
    Rough,
}

/// How far a colour is from the background where it is faint, as a share of its own distance.
const FAINT: f32 = 0.45;

/// The styles of all tokens for one terminal.
#[derive(Clone, Debug)]
pub struct Theme {
    colors: Vec<Color>,
    /// The colours at the share [`FAINT`] of their distance from the background.
    faint: Vec<Color>,
    /// What [`Self::block`] returns for each token, in the order of [`Token::ALL`]: for even slices, then for
    /// odd ones.
    blocks: Vec<[Style; 2]>,
    partials: Vec<[Style; 2]>,
    file: ThemeFile,
    depth: Depth,
    /// True when characters beyond ASCII are drawn; else substitutes are.
    pub utf8: bool,
    /// How much is drawn with this theme.
    pub detail: Detail,
}

impl Theme {
    /// The theme of a file, in full detail, for a terminal with this number of colours and, if `utf8`, with
    /// characters beyond ASCII.
    pub fn of(file: &ThemeFile, depth: Depth, utf8: bool) -> Self {
        Self::with_detail(file, depth, utf8, Detail::Full)
    }

    fn with_detail(file: &ThemeFile, depth: Depth, utf8: bool, detail: Detail) -> Self {
        let depth = depth.min(file.depth);
        let pick = |token: &Token, is_shade: bool| {
            let entry = file.colors.get(token.key());
            entry.map_or(Color::Reset, |(rgb, shade, ansi)| {
                color(depth, if is_shade { shade } else { rgb }, ansi)
            })
        };
        let ground = if file.background == Background::Dark { 0.0 } else { 255.0 };
        let mix = |part: u8| saturate::<u8>((ground + (f32::from(part) - ground) * FAINT).round());
        let pick_faint = |token: &Token| {
            let entry = file.colors.get(token.key());
            entry.map_or(Color::Reset, |(rgb, _, ansi)| color_of(depth, rgb_of(rgb).map(mix), ansi))
        };
        let ink = match depth {
            Depth::Mono | Depth::Ansi16 => Color::Black,
            Depth::Indexed256 => Color::Indexed(16),
            Depth::True => Color::Rgb(0, 0, 0),
        };
        let partial = |color: Color| Style::new().fg(color);
        let block = |color: Color| match detail {
            _ if depth == Depth::Mono => Style::new().add_modifier(Modifier::REVERSED),
            Detail::Full => Style::new().fg(ink).bg(color),
            // Next to a partly filled cell of the same colour only one attribute changes.
            Detail::Thin | Detail::Rough => partial(color).add_modifier(Modifier::REVERSED),
        };
        let both = |token: &Token| [pick(token, false), pick(token, true)];
        Self {
            colors: Token::ALL.iter().map(|token| pick(token, false)).collect(),
            faint: Token::ALL.iter().map(pick_faint).collect(),
            blocks: Token::ALL.iter().map(|token| both(token).map(block)).collect(),
            partials: Token::ALL.iter().map(|token| both(token).map(partial)).collect(),
            file: file.clone(),
            depth,
            utf8,
            detail,
        }
    }

    /// The built-in theme for this background, in full detail, for a terminal with this number of colours
    /// and, if `utf8`, with characters beyond ASCII.
    pub fn new(depth: Depth, background: Background, utf8: bool) -> Self {
        Self::of(&ThemeFile::for_background(background), depth, utf8)
    }

    /// The background that the theme is for.
    pub fn background(&self) -> Background {
        self.file.background
    }

    /// This theme for a slow link, in [`Detail::Thin`]: with at most the terminal's own sixteen colours.
    #[must_use]
    pub fn thin(&self) -> Self {
        Self::with_detail(&self.file, self.depth.min(Depth::Ansi16), self.utf8, Detail::Thin)
    }

    /// This theme for each detail, in the order of [`Detail`].
    pub fn of_each_detail(&self) -> [Self; 3] {
        let thin = self.thin();
        [self.clone(), thin.clone(), Self { detail: Detail::Rough, ..thin }]
    }

    fn color(&self, token: Token) -> Color {
        self.colors[token as usize]
    }

    /// The style of text with the meaning `token`.
    pub fn text(&self, token: Token) -> Style {
        let style = Style::new().fg(self.color(token));
        match token {
            Token::Dim if self.depth == Depth::Mono => style.add_modifier(Modifier::DIM),
            Token::Title | Token::Warn | Token::Damage | Token::Match => style.add_modifier(Modifier::BOLD),
            _ => style,
        }
    }

    /// The style of text with the meaning `token` that is not what the reader looks at: its colour near that
    /// of the background.
    pub fn faint(&self, token: Token) -> Style {
        let style = Style::new().fg(self.faint[token as usize]);
        if self.has_shades() { style } else { style.add_modifier(Modifier::DIM) }
    }

    /// The style of a filled cell. `odd` slices may get the token's shade, so that adjacent slices differ.
    pub fn block(&self, token: Token, odd: bool) -> Style {
        self.blocks[token as usize][usize::from(odd)]
    }

    /// The style of a cell that a block character fills in part; `odd` as in [`Self::block`].
    pub fn partial(&self, token: Token, odd: bool) -> Style {
        self.partials[token as usize][usize::from(odd)]
    }

    /// The style of a cell that the selected event fills.
    pub fn selected(&self) -> Style {
        match self.depth {
            Depth::Mono => {
                Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED)
            }
            Depth::Ansi16 => {
                Style::new().fg(Color::Black).bg(self.color(Token::Selection)).add_modifier(Modifier::BOLD)
            }
            _ => {
                let ink = if self.background() == Background::Dark { (0x00, 16) } else { (0xff, 231) };
                let ink = self.rgb_or_index(ink.0, ink.0, ink.0, ink.1);
                Style::new().fg(ink).bg(self.color(Token::Selection)).add_modifier(Modifier::BOLD)
            }
        }
    }

    /// The style of the element with the focus, such as a line of a list or pane, the active tab or a label.
    pub fn chosen(&self) -> Style {
        let style = Style::new().fg(self.color(Token::Title)).add_modifier(Modifier::BOLD);
        if self.has_shades() {
            style.bg(self.color(Token::Focus))
        } else {
            style.add_modifier(Modifier::REVERSED)
        }
    }

    /// The style of a key that goes somewhere.
    pub fn link(&self) -> Style {
        Style::new().fg(self.color(Token::Link)).add_modifier(Modifier::UNDERLINED)
    }

    /// True when the terminal and the theme have colours, so that they can distinguish meanings.
    pub fn has_colors(&self) -> bool {
        self.depth > Depth::Mono
    }

    /// True when there are enough colours, at least 256, for shades to distinguish adjacent slices.
    pub fn has_shades(&self) -> bool {
        self.depth >= Depth::Indexed256
    }

    fn rgb_or_index(&self, r: u8, g: u8, b: u8, index: u8) -> Color {
        if self.depth == Depth::True { Color::Rgb(r, g, b) } else { Color::Indexed(index) }
    }
}

/// The parts of a colour `#rrggbb`: red, green, blue.
fn rgb_of(text: &str) -> [u8; 3] {
    let parts = text.strip_prefix('#').and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0x80_8080);
    let [_, r, g, b] = parts.to_be_bytes();
    [r, g, b]
}

/// The colour for a terminal with this number of colours: from `rgb` (`#rrggbb`) or, for sixteen colours,
/// from the name `ansi`; without colours the terminal's default.
fn color(depth: Depth, rgb: &str, ansi: &str) -> Color {
    color_of(depth, rgb_of(rgb), ansi)
}

fn color_of(depth: Depth, [r, g, b]: [u8; 3], ansi: &str) -> Color {
    match depth {
        Depth::Mono => Color::Reset,
        Depth::Ansi16 => ansi.parse().unwrap_or(Color::Reset),
        Depth::Indexed256 => Color::Indexed(nearest_index(r, g, b)),
        Depth::True => Color::Rgb(r, g, b),
    }
}

/// The index (16 to 255) of the colour in xterm's 6×6×6 cube or grey ramp that is nearest to the given one.
fn nearest_index(r: u8, g: u8, b: u8) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |v: u8| (0..6).min_by_key(|&i: &usize| LEVELS[i].abs_diff(v)).unwrap_or_default();
    let distance = |x: (u8, u8, u8)| {
        let d = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        d(x.0, r) + d(x.1, g) + d(x.2, b)
    };
    let (cr, cg, cb) = (level(r), level(g), level(b));
    let cube = (LEVELS[cr], LEVELS[cg], LEVELS[cb]);
    let mean = (u32::from(r) + u32::from(g) + u32::from(b)) / 3;
    let step = (mean.saturating_sub(3) / 10).min(23) as u8;
    let grey = 8 + 10 * step;
    if distance((grey, grey, grey)) < distance(cube) {
        232 + step
    } else {
        saturate::<u8>(16 + 36 * cr + 6 * cg + cb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_depth() {
        assert_eq!(color(Depth::Mono, "#ff0000", "red"), Color::Reset);
        assert_eq!(color(Depth::Ansi16, "#ff0000", "red"), Color::Red);
        assert_eq!(color(Depth::Indexed256, "#ff0000", "red"), Color::Indexed(196));
        assert_eq!(color(Depth::Indexed256, "#808080", "gray"), Color::Indexed(244));
        assert_eq!(color(Depth::True, "#ff0000", "red"), Color::Rgb(255, 0, 0));
    }
}
