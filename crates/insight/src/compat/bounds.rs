//! Bounds of what other tools' layouts print, so that the text grows no faster than the trace.
//!
//! The tools themselves have none: each row is padded to the longest name, indented by its depth, and has the
//! whole name of the event around it. Must not know a tool.

use rustc_hash::FxHashMap;

use crate::analysis::Value;
use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::Trace;

/// The widest column of names, in characters. Longer names are printed whole and shift the rest of their
/// rows.
pub(super) const NAME_WIDTH: usize = 1_000;
/// The most levels by which a row is indented. Deeper rows are indented by this many levels, too.
pub(super) const LEVELS: usize = 200;

/// The greatest width, in columns of the terminal, of a text that may stand in many rows; a wider text loses
/// its middle.
pub(super) const TEXT_WIDTH: usize = 1_000;

/// Makes cells of names that may stand in many rows, shortened to [`TEXT_WIDTH`].
pub(super) struct Names<'a> {
    trace: &'a Trace,
    /// The texts of the names asked for so far, shortened.
    known: FxHashMap<StrId, SafeText<'static>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Self { trace, known: FxHashMap::default() }
    }

    /// The name as a cell, at most [`TEXT_WIDTH`] wide; `fallback` where the name is empty.
    pub(super) fn cell(&mut self, name: StrId, fallback: &str) -> Value {
        let text = || self.trace.string_or(name, fallback).elide_middle(TEXT_WIDTH).into_owned();
        Value::Text(self.known.entry(name).or_insert_with(text).clone())
    }
}

/// Appends a text, and then blanks until `width` characters are appended; a longer text is appended whole.
pub(super) fn pad(out: &mut String, text: &str, width: usize) {
    out.push_str(text);
    let blanks = width.saturating_sub(text.chars().count());
    out.extend(std::iter::repeat_n(' ', blanks));
}

/// The width in characters of a column for these names: that of the longest, but at most [`NAME_WIDTH`]; 0
/// without names.
pub(super) fn name_width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or_default().min(NAME_WIDTH)
}

/// States how many of the names are longer than [`NAME_WIDTH`]; `None` if none is.
pub(super) fn long_names<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let long = names.filter(|name| name.chars().count() > NAME_WIDTH).count() as u64;
    (long > 0).then(|| {
        format!(
            "{} with a name longer than {NAME_WIDTH} characters: columns may not line up.",
            fmt::counted(long, "row")
        )
    })
}

/// States how many of the rows with these depths are deeper than [`LEVELS`]; `None` if none is.
pub(super) fn deep_rows(depths: impl Iterator<Item = usize>) -> Option<String> {
    let deep = depths.filter(|&depth| depth > LEVELS).count() as u64;
    (deep > 0).then(|| {
        format!(
            "{} deeper than {LEVELS} levels: indented by {LEVELS} levels only.",
            fmt::counted(deep, "row")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_a_bound() {
        let long = "\u{6b65}".repeat(NAME_WIDTH + 1);
        assert_eq!(name_width(["a", "\u{6b65}\u{9aa4}"].into_iter()), 2);
        assert_eq!(name_width(["a", long.as_str()].into_iter()), NAME_WIDTH);
        assert_eq!(long_names(["a", &long[3..]].into_iter()), None);
        assert!(
            long_names(["a", long.as_str()].into_iter()).is_some_and(|text| text.starts_with("1 row with "))
        );
        let mut out = String::new();
        pad(&mut out, "\u{6b65}", 3);
        pad(&mut out, &long, 70_000);
        assert_eq!(out.chars().count(), 70_003);
    }

    #[test]
    fn deep_rows_are_counted() {
        assert_eq!(deep_rows(0..=LEVELS), None);
        assert!(deep_rows(0..LEVELS + 4).is_some_and(|text| text.starts_with("3 rows deeper")));
    }
}
