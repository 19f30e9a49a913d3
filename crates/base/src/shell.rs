//! Command lines for people and agents to copy: each one that the program prints with a word from outside,
//! such as a path, is made here.
//!
//! A shell takes each word back as it was given, whatever characters it has, and the line is safe to show.
//! Must not know what commands do.

use std::fmt::{self, Display, Formatter};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::text::SafeText;

/// A command line for people to copy, with words quoted for the shell; it stands on one line and is safe to
/// show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine(String);

impl CommandLine {
    /// Begins a command line with `words`, such as `proftui open --at`, which are not quoted.
    pub fn new(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// Adds a word after a space, quoted for the shell if needed.
    #[must_use]
    pub fn word(self, word: &str) -> Self {
        self.quoted(word.as_bytes())
    }

    /// Adds words, each as [`Self::word`] does.
    #[must_use]
    pub fn words<'a>(self, words: impl IntoIterator<Item = &'a str>) -> Self {
        words.into_iter().fold(self, Self::word)
    }

    /// Adds a path as one word, quoted for the shell if needed, with `./` before it where a command could
    /// take the path for an option.
    #[must_use]
    pub fn path(self, path: &Path) -> Self {
        let bytes = path.as_os_str().as_bytes();
        if bytes.starts_with(b"-") && bytes != b"-" {
            self.quoted(&[b"./", bytes].concat())
        } else {
            self.quoted(bytes)
        }
    }

    /// Adds paths, each as [`Self::path`] does.
    #[must_use]
    pub fn paths<'a>(self, paths: impl IntoIterator<Item = &'a Path>) -> Self {
        paths.into_iter().fold(self, Self::path)
    }

    fn quoted(mut self, word: &[u8]) -> Self {
        self.0.push(' ');
        self.0.push_str(&quoted(word));
        self
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True for a text that is known to need no quotes in a shell.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain)
}

/// Quotes a word, if needed, such that bash and zsh take it unchanged and it is safe to show.
fn quoted(word: &[u8]) -> String {
    let text = std::str::from_utf8(word).ok().filter(|text| SafeText::new(text).as_str() == *text);
    match text {
        Some(text) if is_plain(text) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        // Three octal digits are the only escape of which every shell with `$'…'` knows the end.
        None => {
            let byte = |&byte: &u8| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(byte)),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\{byte:03o}"),
            };
            format!("$'{}'", word.iter().map(byte).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_takes_the_words_back() {
        let words: [&[u8]; 14] = [
            b"log/a.json",
            b"my log/it's",
            b"",
            b"a;touch x # `id` $(id) \"q\" \\ !x ~ *",
            "häufig/日本".as_bytes(),
            b"line\nbreak\ttab",
            b"\x1b]52;c;x\x07",
            b"not \xff utf-8 'quoted' \\ back",
            "right\u{202e}left".as_bytes(),
            b"7\x017",
            b"--option",
            b"$'x'",
            b"a=b",
            b"=ls",
        ];
        for shell in ["bash", "zsh"]
            .into_iter()
            .filter(|shell| Command::new(shell).arg("-c").arg(":").status().is_ok())
        {
            for word in words {
                let line = CommandLine::new("printf %s").quoted(word).to_string();
                assert_eq!(SafeText::new(&line).as_str(), line, "safe to show, and one line");
                let out = Command::new(shell).arg("-c").arg(&line).output().expect("a shell");
                assert_eq!(out.stdout, word, "{shell}: {line}");
            }
        }
    }

    #[test]
    fn a_path_is_no_option() {
        let line = |path: &[u8]| CommandLine::new("cat").path(Path::new(OsStr::from_bytes(path))).to_string();
        assert_eq!(line(b"-rf"), "cat ./-rf");
        assert_eq!(line(b"-"), "cat -");
        assert_eq!(line(b"log/a b.json"), "cat 'log/a b.json'");
        assert_eq!(
            CommandLine::new("x").words(["a", "b c"]).paths([Path::new("p")]).to_string(),
            "x a 'b c' p"
        );
    }
}
