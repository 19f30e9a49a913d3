//! Theme files: the colours of all meanings, in TOML. Some are part of the program; users can write others.
//!
//! A file has in `[tokens]`, for the name of each token ([`Token::key`]), its colour, its shade (both
//! `#rrggbb`), and one of the sixteen colours of terminals. `base` names a theme from which the rest is
//! taken, `background` the background that it is for, `colors` the most colours that are used (`true`, `256`,
//! `16` or `none`).

use std::collections::BTreeMap;
use std::fmt;

use ratatui::style::Color;
use serde::Deserialize;

use super::terminal::{Background, Depth};
use super::token::Token;

/// The built-in themes: name and text of the theme file.
const BUILT_IN: [(&str, &str); 6] = [
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("16", include_str!("../../../assets/themes/16.toml")),
    ("mono", include_str!("../../../assets/themes/mono.toml")),
    ("color-blind", include_str!("../../../assets/themes/color-blind.toml")),
    ("color-blind-light", include_str!("../../../assets/themes/color-blind-light.toml")),
];

/// A token's colour and shade (both `#rrggbb`), and the name of its colour for terminals with sixteen
/// colours.
type Entry = (String, String, String);

/// A theme file as it is written, before its base and the defaults complete it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    base: Option<String>,
    background: Option<String>,
    colors: Option<String>,
    #[serde(default)]
    tokens: BTreeMap<String, Entry>,
}

/// A theme as a file defines it: the colours of all tokens, and what terminals they are for.
#[derive(Clone, Debug)]
pub struct ThemeFile {
    /// The background that the theme is for.
    pub background: Background,
    /// The most colours that the theme uses.
    pub depth: Depth,
    pub(super) colors: BTreeMap<String, Entry>,
}

/// Why a text is no theme, in one line, which may also say what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTheme(String);

impl fmt::Display for NoTheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ThemeFile {
    /// The names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The built-in theme of this name; none if there is none.
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(own, _)| *own == name)?;
        // A test parses all of them.
        Self::parse(text).ok()
    }

    /// The built-in theme `dark` or `light`, by the background.
    pub fn for_background(background: Background) -> Self {
        let name = match background {
            Background::Dark => "dark",
            Background::Light => "light",
        };
        // Without colours everything is shown in the default one.
        let none = || Self { background, depth: Depth::True, colors: BTreeMap::new() };
        Self::built_in(name).unwrap_or_else(none)
    }

    /// Reads the text of a theme file, completed from its base if it names one.
    ///
    /// # Errors
    /// When the text is no TOML, has an unknown key or value, or leaves a token without a colour.
    pub fn parse(text: &str) -> Result<Self, NoTheme> {
        let written: Written = toml::from_str(text).map_err(|why| {
            let line = why.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
            NoTheme(format!("line {line}: {}", why.message().replace('\n', " ")))
        })?;
        let base = written.base.as_deref().map(|name| {
            let names = || Self::names().collect::<Vec<_>>().join(", ");
            Self::built_in(name).ok_or_else(|| {
                NoTheme(format!("base = \"{name}\" is no built-in theme; there are {}", names()))
            })
        });
        let base = base.transpose()?;
        let background = match written.background.as_deref() {
            Some("dark") => Background::Dark,
            Some("light") => Background::Light,
            Some(other) => return Err(NoTheme(format!("background = \"{other}\": must be dark or light"))),
            None => base.as_ref().map_or(Background::Dark, |base| base.background),
        };
        let depth = match written.colors.as_deref() {
            Some("true") => Depth::True,
            Some("256") => Depth::Indexed256,
            Some("16") => Depth::Ansi16,
            Some("none") => Depth::Mono,
            Some(other) => {
                return Err(NoTheme(format!("colors = \"{other}\": must be one of true, 256, 16 or none")));
            }
            None => base.as_ref().map_or(Depth::True, |base| base.depth),
        };
        let mut colors = base.map_or_else(BTreeMap::new, |base| base.colors);
        for (token, entry) in written.tokens {
            check(&token, &entry)?;
            colors.insert(token, entry);
        }
        let missing: Vec<&str> =
            Token::ALL.iter().map(|token| token.key()).filter(|key| !colors.contains_key(*key)).collect();
        if let Some(first) = missing.first() {
            return Err(NoTheme(format!(
                "no colour for {first}; base = \"dark\" would take missing colours from that theme"
            )));
        }
        Ok(Self { background, depth, colors })
    }
}

/// Checks that the token exists and that its three colours can be read.
fn check(token: &str, (color, shade, named): &Entry) -> Result<(), NoTheme> {
    if !Token::ALL.iter().any(|known| known.key() == token) {
        let known: Vec<&str> = Token::ALL.iter().map(|known| known.key()).collect();
        return Err(NoTheme(format!("{token} is no token; there are {}", known.join(", "))));
    }
    let is_hex = |text: &str| {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    for text in [color, shade] {
        if !is_hex(text) {
            return Err(NoTheme(format!("{token}: {text} is no colour such as #5f87d7")));
        }
    }
    if named.parse::<Color>().is_err() {
        return Err(NoTheme(format!("{token}: {named} is none of the sixteen colours, such as lightblue")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_names_every_token_and_nothing_else() {
        for name in ThemeFile::names() {
            let theme = ThemeFile::built_in(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(theme.colors.len(), Token::ALL.len(), "{name}");
        }
    }

    #[test]
    fn what_stands_side_by_side_differs_in_sixteen_colours() {
        let distinct = [
            Token::Kernel,
            Token::Dataloader,
            Token::Communication,
            Token::Copy,
            Token::Operator,
            Token::Sync,
        ];
        for name in ThemeFile::names() {
            let theme = ThemeFile::built_in(name).unwrap_or_else(|| panic!("{name}"));
            let named = |token: Token| theme.colors[token.key()].2.clone();
            for (at, one) in distinct.iter().enumerate() {
                for other in &distinct[at + 1..] {
                    assert_ne!(named(*one), named(*other), "{name}: {one:?} and {other:?}");
                }
            }
            for hues in [&Token::HUES[..6], &Token::HEAT[..]] {
                let mut all: Vec<String> = hues.iter().map(|&hue| named(hue)).collect();
                all.sort();
                all.dedup();
                assert_eq!(all.len(), hues.len(), "{name}");
            }
        }
    }

    #[test]
    fn a_file_takes_the_rest_from_its_base() {
        let text = "base = \"light\"\n[tokens]\nkernel = [\"#010203\", \"#040506\", \"red\"]\n";
        let theme = ThemeFile::parse(text).expect("a theme");
        assert_eq!(theme.background, Background::Light);
        assert_eq!(theme.colors["kernel"].0, "#010203");
        assert_eq!(theme.colors["copy"], ThemeFile::for_background(Background::Light).colors["copy"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let why = |text: &str| ThemeFile::parse(text).expect_err("no theme").to_string();
        assert!(why("[tokens]\nkernel = 5\n").starts_with("line 2: "));
        assert!(why("colour = 1").starts_with("line 1: unknown field `colour`"));
        let no_base = "base = \"lite\" is no built-in theme; there are dark, light, 16";
        assert!(why("base = \"lite\"").starts_with(no_base));
        assert!(why("background = \"grey\"").contains("dark or light"));
        assert!(why("colors = \"8\"").contains("true, 256, 16 or none"));
        assert!(why("").starts_with("no colour for text"));
        let one = |entry: &str| why(&format!("base = \"dark\"\n[tokens]\n{entry}"));
        assert!(one("kernels = [\"#000000\", \"#000000\", \"red\"]").starts_with("kernels is no token"));
        assert!(one("kernel = [\"#00000\", \"#000000\", \"red\"]").contains("#00000 is no colour"));
        assert!(one("kernel = [\"#000000\", \"#000000\", \"orange\"]").contains("none of the sixteen"));
    }
}
