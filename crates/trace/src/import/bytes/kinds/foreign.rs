//! A kind of file that is not read, and the facts of a file by which it is recognised.

use std::path::Path;

use crate::import::bytes::inflate::Container;

/// A kind of file that is not read.
pub(in crate::import) struct Foreign {
    /// What the file is, as the message names it: "a zip archive".
    pub(super) what: &'static str,
    pub(super) advice: Advice,
    /// True when a file's first bytes or name fit this kind.
    pub(super) is: fn(&Head<'_>) -> bool,
}

/// What the user can do with a file that is not read. In the texts `FILE` stands for the file.
pub(super) enum Advice {
    /// How to convert the file to a format that is read.
    Convert(&'static str),
    /// How to get the trace, usually from inside the file, or what is read instead.
    Unpack(&'static str),
    /// What to do instead of converting the file to a format that is read.
    Instead(&'static str),
}

/// The first bytes of a file, inflated, and the file's name.
pub(in crate::import) struct Head<'a> {
    pub(in crate::import) bytes: &'a [u8],
    /// The file's name in lower case, without the ending .gz, .zst or .zstd.
    pub(super) name: String,
}

impl<'a> Head<'a> {
    pub(in crate::import) fn new(bytes: &'a [u8], path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending));
        Self { bytes, name: plain.unwrap_or(&name).to_owned() }
    }

    /// True when the file begins with one of `magics`.
    pub(super) fn begins(&self, magics: &[&[u8]]) -> bool {
        magics.iter().any(|magic| self.bytes.starts_with(magic))
    }

    /// True when `text` is among the first bytes.
    pub(super) fn has(&self, text: &str) -> bool {
        memchr::memmem::find(self.bytes, text.as_bytes()).is_some()
    }

    /// True when `name` ends in one of `endings`, which are in lower case.
    pub(super) fn named(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.name.ends_with(ending))
    }

    /// The first bytes, from behind a byte order mark (UTF-8) and white space on.
    pub(in crate::import) fn text(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes).trim_ascii_start()
    }
}

impl Foreign {
    /// What the file is and what to do with it, as the end of a sentence; states its compression `container`,
    /// too.
    pub(in crate::import) fn describe(&self, container: Option<Container>) -> String {
        let (inside, first) = match container {
            Some(Container::Gzip) => (" (in gzip)", "gunzip it, then "),
            Some(Container::Zstd) => (" (in zstd)", "unzstd it, then "),
            None => ("", ""),
        };
        let what = self.what;
        match self.advice {
            Advice::Convert(how) => {
                format!("{what}{inside}, which proftui does not read: {first}convert it with {how}")
            }
            Advice::Unpack(how) => format!("{what}{inside}: {how}"),
            Advice::Instead(how) => {
                // With a command for the file, `how` begins with that.
                let first = if how.contains("FILE") { first } else { "" };
                format!("{what}{inside}, which proftui does not read: {first}{how}")
            }
        }
    }
}
