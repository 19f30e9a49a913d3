//! Guesses the terminal's capabilities (colours, UTF-8, background) from environment variables alone.
//! Must not touch the terminal; reads the process's environment only in `process_env`.

use std::collections::BTreeMap;

pub use crate::ui::theme::{Background, Depth};

/// Environment variables by name.
pub type Env = BTreeMap<String, String>;

/// The capabilities of the terminal, as guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// How many colours are used: as many as the user asked for, also by environment variables, else as many
    /// as the terminal is guessed to show.
    pub depth: Depth,
    /// True when the locale is UTF-8: then the terminal is taken to show characters beyond ASCII.
    pub utf8: bool,
    /// Whether the terminal's background is dark or light.
    pub background: Background,
    /// True when the terminal can probably insert, delete and erase characters, and insert and delete lines.
    pub can_edit: bool,
}

impl Caps {
    /// Guesses the capabilities from the environment; `flag` is the number of colours that the user asked
    /// for. The error says why the terminal can show no screen.
    pub fn detect(flag: Option<Depth>, env: &Env) -> Result<Self, &'static str> {
        match refusal(env) {
            Some(reason) => Err(reason),
            None => Ok(Self {
                depth: depth(flag, env),
                utf8: utf8(env),
                background: background(env),
                can_edit: !is_early(env),
            }),
        }
    }
}

/// Reads the process's environment, without variables that are not UTF-8.
pub fn process_env() -> Env {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Why the terminal that `TERM` names can show no screen; `None` if it is taken to show one.
pub fn refusal(env: &Env) -> Option<&'static str> {
    match var(env, "TERM") {
        None => {
            Some("TERM is not set or empty; set it to the type of your terminal, e.g. TERM=xterm-256color")
        }
        Some("dumb") => {
            Some("TERM=dumb has no full-screen mode; if your terminal has one, set e.g. TERM=xterm-256color")
        }
        Some(_) => None,
    }
}

/// True if `TERM` names a DEC terminal older than the VT220.
fn is_early(env: &Env) -> bool {
    let term = var(env, "TERM").unwrap_or_default();
    ["vt52", "vt1"].iter().any(|early| term.starts_with(early))
}

/// The number of colours to use: `flag` if given, else by `NO_COLOR` and `CLICOLOR`, else by `COLORTERM`,
/// `STY` (set by GNU screen) and `TERM`.
pub fn depth(flag: Option<Depth>, env: &Env) -> Depth {
    if let Some(depth) = flag {
        return depth;
    }
    if var(env, "NO_COLOR").is_some() || var(env, "CLICOLOR") == Some("0") {
        return Depth::Mono;
    }
    let term = var(env, "TERM").unwrap_or_default();
    let direct = matches!(var(env, "COLORTERM"), Some("truecolor" | "24bit"));
    // GNU screen hands the outer terminal's COLORTERM on but does not know 24 bits.
    if (direct && var(env, "STY").is_none()) || term.ends_with("-direct") {
        return Depth::True;
    }
    if matches!(term, "linux" | "ansi" | "xterm-color" | "vt525") {
        return Depth::Ansi16;
    }
    if term.starts_with("vt") {
        return Depth::Mono;
    }
    Depth::Indexed256
}

/// True when the locale is UTF-8: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty decides.
pub fn utf8(env: &Env) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| var(env, name));
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// The background by the last field of `COLORFGBG`, such as `15;0`; dark if it is unknown.
pub fn background(env: &Env) -> Background {
    let last = var(env, "COLORFGBG").and_then(|colours| colours.rsplit(';').next());
    match last.and_then(|number| number.trim().parse::<u8>().ok()) {
        Some(7 | 9..=15) => Background::Light,
        _ => Background::Dark,
    }
}

/// The value of the variable `name`; `None` if it is not set or empty.
fn var<'a>(env: &'a Env, name: &str) -> Option<&'a str> {
    env.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn depth_goes_by_rank() {
        let cases: &[(&[(&str, &str)], Depth)] = &[
            (&[("TERM", "xterm-256color")], Depth::Indexed256),
            (&[("TERM", "xterm")], Depth::Indexed256),
            (&[("TERM", "linux")], Depth::Ansi16),
            (&[("TERM", "vt100")], Depth::Mono),
            (&[("TERM", "vt220")], Depth::Mono),
            (&[("TERM", "vt525")], Depth::Ansi16),
            (&[("TERM", "xterm-color")], Depth::Ansi16),
            (&[("TERM", "xterm-direct")], Depth::True),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor")], Depth::True),
            (&[("TERM", "linux"), ("COLORTERM", "24bit")], Depth::True),
            (&[("TERM", "xterm"), ("COLORTERM", "yes")], Depth::Indexed256),
            (&[("TERM", "screen"), ("COLORTERM", "truecolor"), ("STY", "1.a")], Depth::Indexed256),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")], Depth::Mono),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], Depth::Indexed256),
            (&[("TERM", "xterm"), ("CLICOLOR", "0")], Depth::Mono),
            (&[("TERM", "xterm"), ("CLICOLOR", "1")], Depth::Indexed256),
        ];
        for (pairs, expected) in cases {
            assert_eq!(depth(None, &env(pairs)), *expected, "{pairs:?}");
            assert_eq!(depth(Some(Depth::Ansi16), &env(pairs)), Depth::Ansi16, "{pairs:?}");
        }
    }

    #[test]
    fn a_terminal_that_cannot_is_refused() {
        assert!(refusal(&env(&[])).is_some());
        assert!(refusal(&env(&[("TERM", "")])).is_some());
        assert!(Caps::detect(None, &env(&[("TERM", "dumb")])).is_err());
        let can_edit = |term| Caps::detect(None, &env(&[("TERM", term)])).map(|caps| caps.can_edit);
        assert_eq!(can_edit("tmux"), Ok(true));
        assert_eq!(can_edit("vt220"), Ok(true));
        assert_eq!(can_edit("vt102"), Ok(false));
    }

    #[test]
    fn the_first_locale_that_is_set_counts() {
        assert!(utf8(&env(&[("LANG", "en_US.UTF-8")])));
        assert!(utf8(&env(&[("LANG", "C"), ("LC_ALL", "C.utf8")])));
        assert!(utf8(&env(&[("LC_ALL", ""), ("LANG", "de_DE.utf-8")])));
        assert!(!utf8(&env(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")])));
        assert!(!utf8(&env(&[("LC_CTYPE", "POSIX"), ("LANG", "en_US.UTF-8")])));
        assert!(!utf8(&env(&[])));
    }

    #[test]
    fn the_background_is_dark_unless_stated() {
        for (text, expected) in [
            ("15;0", Background::Dark),
            ("0;15", Background::Light),
            ("0;default;7", Background::Light),
            ("7;8", Background::Dark),
            ("0;default", Background::Dark),
            ("", Background::Dark),
        ] {
            assert_eq!(background(&env(&[("COLORFGBG", text)])), expected, "{text}");
        }
        assert_eq!(background(&env(&[])), Background::Dark);
    }
}
