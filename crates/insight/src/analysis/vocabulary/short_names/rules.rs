//! The rules for shortening names of kernels, from `assets/short-names.toml`.
//!
//! Must not know how they are applied.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Words, and what is shown for each.
pub(super) type Words = FxHashMap<String, String>;

/// The rules; the file says what each list is for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    pub(super) namespaces: Vec<String>,
    pub(super) nameless: Vec<String>,
    pub(super) wrappers: Vec<String>,
    pub(super) reductions: Vec<String>,
    pub(super) foreach: Vec<String>,
    pub(super) between: Vec<String>,
    pub(super) prefixes: Vec<String>,
    pub(super) suffixes: Vec<String>,
    pub(super) libraries: Vec<String>,
    pub(super) floats: Words,
    pub(super) others: Words,
    pub(super) shown: Words,
    pub(super) operators: Words,
    pub(super) letters: Words,
    pub(super) kinds: Words,
    pub(super) words: Parts,
    pub(super) scheme: Vec<Scheme>,
}

/// Words of known parts of names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    pub(super) layouts: Vec<String>,
    pub(super) chips: Vec<String>,
    pub(super) algorithms: Vec<String>,
    pub(super) tiles: Vec<String>,
}

/// A scheme by which kernels are named by words between `_`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Scheme {
    pub(super) names: Vec<String>,
    pub(super) show: Vec<Show>,
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) before: String,
    #[serde(default)]
    pub(super) after: String,
    pub(super) kind_word: Option<usize>,
    pub(super) type_word: Option<usize>,
    #[serde(default)]
    pub(super) drop: Vec<String>,
}

/// A part of a name that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Show {
    Kind,
    Type,
    Tile,
    Layout,
    Chip,
    Align,
    Algorithm,
    Rest,
}

const FILE: &str = include_str!("../../../../assets/short-names.toml");

// The file is a part of the program; a test checks that it can be read, so the default is never used.
pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| toml::from_str(FILE).unwrap_or_default());

/// True if `words` has this word.
pub(super) fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_can_be_read() {
        let read: Result<Rules, _> = toml::from_str(FILE);
        assert!(
            read.is_ok_and(|rules| !rules.scheme.is_empty()),
            "{:?}",
            toml::from_str::<Rules>(FILE).err()
        );
    }
}
