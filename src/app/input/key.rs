//! The keys of the keyboard, and their names: as the command table writes them, and as the screen shows them.
//! Must not know which library reads the keyboard, nor what any key does.

use std::fmt;

/// One key press, whatever library reads the keyboard. Shift is part of the character (`W`, not Shift and
/// `w`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the other names say all")]
pub enum Key {
    /// A printable character, a space included.
    Char(char),
    /// Control and a character; letters from A to Z are in lower case.
    Ctrl(char),
    /// Alt (or Esc sent first) and a character.
    Alt(char),
    Enter,
    Esc,
    Tab,
    /// Shift and Tab.
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// A function key, `F(1)` is F1.
    F(u8),
}

/// Keys with fixed names: the key, the names that [`Key::parse`] accepts, the label in ASCII and the label in
/// UTF-8.
const NAMED: &[(Key, &[&str], &str, &str)] = &[
    (Key::Char(' '), &["space"], "Space", "Space"),
    (Key::Enter, &["enter", "return"], "Enter", "Enter"),
    (Key::Esc, &["esc", "escape"], "Esc", "Esc"),
    (Key::Tab, &["tab"], "Tab", "Tab"),
    (Key::BackTab, &["backtab", "shift-tab"], "Shift-Tab", "Shift-Tab"),
    (Key::Backspace, &["backspace"], "Backspace", "Backspace"),
    (Key::Delete, &["delete", "del"], "Del", "Del"),
    (Key::Up, &["up"], "Up", "↑"),
    (Key::Down, &["down"], "Down", "↓"),
    (Key::Left, &["left"], "Left", "←"),
    (Key::Right, &["right"], "Right", "→"),
    (Key::Home, &["home"], "Home", "Home"),
    (Key::End, &["end"], "End", "End"),
    (Key::PageUp, &["pageup", "pgup"], "PgUp", "PgUp"),
    (Key::PageDown, &["pagedown", "pgdn"], "PgDn", "PgDn"),
];

impl Key {
    /// Parses the name of a key, such as `w`, `space`, `ctrl-c`, `alt-x` or `f5`; none if `text` names no
    /// key.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(only) = single(text) {
            return (!only.is_control()).then_some(Self::Char(only));
        }
        let lower = text.to_ascii_lowercase();
        if let Some((key, ..)) = NAMED.iter().find(|(_, names, ..)| names.contains(&lower.as_str())) {
            return Some(*key);
        }
        if lower.starts_with("ctrl-") {
            return chord(&text[5..]).map(|c| Self::Ctrl(c.to_ascii_lowercase()));
        }
        if lower.starts_with("alt-") {
            return chord(&text[4..]).map(Self::Alt);
        }
        let number = lower.strip_prefix('f')?.parse::<u8>().ok()?;
        (1..=24).contains(&number).then_some(Self::F(number))
    }

    /// Parses a text of typed keys such as `jj<enter>/gemm<esc>`, in which `<>` enclose names. Fails with the
    /// first part that is no key.
    pub fn script(text: &str) -> Result<Vec<Self>, &str> {
        let (mut keys, mut rest) = (Vec::new(), text);
        while let Some(first) = rest.chars().next() {
            // At least one character is between the brackets.
            let end = if first == '<' { rest.char_indices().skip(2).find(|(_, c)| *c == '>') } else { None };
            let (typed, after) = rest.split_at(end.map_or(first.len_utf8(), |(at, _)| at + 1));
            let name = if end.is_some() { &typed[1..typed.len() - 1] } else { typed };
            keys.push(Self::parse(name).ok_or(typed)?);
            rest = after;
        }
        Ok(keys)
    }

    /// The key's label on the screen, such as `Ctrl-C` or `Space`. An arrow key has an arrow such as `←` if
    /// `utf8` is true, else a word such as `Left`.
    pub fn label(self, utf8: bool) -> String {
        if let Some((_, _, ascii, unicode)) = NAMED.iter().find(|(key, ..)| *key == self) {
            return (if utf8 { *unicode } else { *ascii }).to_owned();
        }
        match self {
            Self::Ctrl(c) => format!("Ctrl-{}", chord_label(c, true)),
            Self::Alt(c) => format!("Alt-{}", chord_label(c, false)),
            Self::F(number) => format!("F{number}"),
            Self::Char(c) => c.to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label(true))
    }
}

/// The text's character, if it has exactly one; else none.
fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Parses what follows `ctrl-` or `alt-` in the name of a key: a printable character or `space`; none for
/// anything else.
fn chord(text: &str) -> Option<char> {
    if text.eq_ignore_ascii_case("space") {
        return Some(' ');
    }
    single(text).filter(|c| !c.is_control())
}

/// The label of the character in a Ctrl or Alt key: `Space` for a blank, else the character, in upper case if
/// `upper` is true.
fn chord_label(c: char, upper: bool) -> String {
    match c {
        ' ' => "Space".to_owned(),
        c if upper => c.to_uppercase().collect(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parses_what_tables_write() {
        for (text, key) in [
            ("w", Key::Char('w')),
            ("W", Key::Char('W')),
            ("?", Key::Char('?')),
            ("-", Key::Char('-')),
            ("é", Key::Char('é')),
            ("f", Key::Char('f')),
            ("space", Key::Char(' ')),
            (" ", Key::Char(' ')),
            ("Enter", Key::Enter),
            ("ctrl-c", Key::Ctrl('c')),
            ("Ctrl-C", Key::Ctrl('c')),
            ("ctrl--", Key::Ctrl('-')),
            ("ctrl-space", Key::Ctrl(' ')),
            ("alt-X", Key::Alt('X')),
            ("left", Key::Left),
            ("shift-tab", Key::BackTab),
            ("pgup", Key::PageUp),
            ("f12", Key::F(12)),
        ] {
            assert_eq!(Key::parse(text), Some(key), "{text}");
        }
        for text in ["", "ctrl-", "ctrl-ab", "f0", "f99", "foo", "\u{1b}", "alt-\u{7}", "ctrl-é1"] {
            assert_eq!(Key::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn scripts_have_characters_and_names() {
        let keys = Key::script("j<enter>/a b<<><ctrl-c>").expect("keys");
        let typed = ['/', 'a', ' ', 'b', '<'].map(Key::Char);
        assert_eq!(keys[..2], [Key::Char('j'), Key::Enter]);
        assert_eq!(keys[2..7], typed);
        assert_eq!(keys[7..], [Key::Ctrl('c')]);
        assert_eq!(Key::script("dur<5"), Ok("dur<5".chars().map(Key::Char).collect()));
        assert_eq!(Key::script("j<entr>"), Err("<entr>"));
    }

    #[test]
    fn every_name_is_read_back_and_labels_are_ascii_on_demand() {
        for (key, names, ..) in super::NAMED {
            for name in *names {
                assert_eq!(Key::parse(name), Some(*key));
            }
            assert!(key.label(false).is_ascii());
        }
        assert_eq!(Key::Ctrl('c').to_string(), "Ctrl-C");
        assert_eq!(Key::Left.to_string(), "←");
        assert_eq!(Key::Left.label(false), "Left");
        assert_eq!(Key::Char(' ').to_string(), "Space");
        assert_eq!(Key::Alt('x').to_string(), "Alt-x");
        assert_eq!(Key::F(5).to_string(), "F5");
    }
}
