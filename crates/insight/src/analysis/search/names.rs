//! The names of events that match typed words fuzzily.
//!
//! Must not know terms.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;

use proftui_base::cancel;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::Trace;

use crate::analysis::vocabulary::short_names::ShortNames;

/// Names that score below this share of the best name's score do not match.
const NEAR_BEST: f64 = 0.7;

/// How many bytes of a name, from its start, are compared with the words.
const MATCHED: usize = 512;

/// A name that matches the typed words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The name's number in the trace's strings.
    pub name: StrId,
    /// The score of the match; larger is better.
    pub score: i64,
    /// How many slices have the name and, as far as known, meet the search's terms.
    pub count: u64,
}

/// The number of slices per name, by the name's number in the trace's strings.
pub fn name_counts(trace: &Trace) -> Column<StrId, u32> {
    let mut counts: Column<StrId, u32> = vec![0; trace.strings.len()].into();
    for &name in &trace.slices.name {
        counts[name] += 1;
    }
    counts
}

/// The names of slices that match `words` fuzzily, or whose short names do, and score near the best match,
/// best first; none for no words. `counts` are the [`name_counts`] of the trace.
pub fn match_names(
    trace: &Trace,
    counts: &Column<StrId, u32>,
    short: &ShortNames,
    words: &str,
) -> Vec<NameMatch> {
    if words.is_empty() {
        return Vec::new();
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let lower = words.to_lowercase();
    let (strings, token) = (&trace.strings, cancel::current());
    let mut found: Vec<NameMatch> = counts
        .par_iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .filter_map(|(name, &count)| {
            token.check();
            let name = StrId::from_index(name);
            let bytes = strings.bytes(name);
            let text = SafeText::from_bytes(&bytes[..bytes.len().min(MATCHED)]);
            let score = |text: &str| {
                let score = matcher.fuzzy_match(text, words)?;
                // A name that contains the typed text as a whole scores above names with the same letters
                // apart.
                Some(if text.to_lowercase().contains(&lower) { score * 2 } else { score })
            };
            let of_short = short.get(name).and_then(|short| score(short.as_str()));
            let score = score(text.as_str()).max(of_short)?;
            Some(NameMatch { name, score, count: count.into() })
        })
        .collect();
    found.sort_by_key(|found| (std::cmp::Reverse(found.score), std::cmp::Reverse(found.count), found.name));
    let best = found.first().map_or(0, |found| found.score) as f64;
    found.retain(|found| found.score as f64 >= best * NEAR_BEST);
    found
}

/// For each name, by its number, whether it is one of `names`.
pub fn mask(trace: &Trace, names: impl Iterator<Item = StrId>) -> Column<StrId, bool> {
    let mut mask: Column<StrId, bool> = vec![false; trace.strings.len()].into();
    names.for_each(|name| mask[name] = true);
    mask
}

/// For each name, by its number, whether events of it match `words`, as [`match_names`] has it; true for all
/// if there are no words.
pub fn names_like(
    trace: &Trace,
    counts: &Column<StrId, u32>,
    short: &ShortNames,
    words: &str,
) -> Column<StrId, bool> {
    if words.is_empty() {
        return vec![true; trace.strings.len()].into();
    }
    mask(trace, match_names(trace, counts, short, words).into_iter().map(|found| found.name))
}
