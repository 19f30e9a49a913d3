//! Searching events by name: matches the distinct names fuzzily, then finds the events that have the names searched for.
//!
//! Must not know the state or the screen.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;

use crate::base::intern::StrId;
use crate::base::text::SafeText;
use crate::index::Hits;
use crate::model::Trace;

use super::session::Session;

/// Names that score below this share of the best name's score do not match.
const NEAR_BEST: f64 = 0.7;

/// A search with its results.
#[derive(Debug)]
pub struct Search {
    /// The pattern that the user typed.
    pub pattern: String,
    /// The events found, ordered by start.
    pub hits: Hits,
    /// For each name, by its number in the trace's strings: true if the search is for it.
    wanted: Vec<bool>,
}

/// A name that matches the typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The name's number in the trace's strings.
    pub name: StrId,
    /// The score of the match; larger is better.
    pub score: i64,
    /// How many slices have the name.
    pub count: u64,
}

/// How many bytes of a name, from its start, are compared with the pattern: enough to distinguish long C++ names.
const MATCHED: usize = 512;

/// The names that match `pattern` fuzzily, by score and then by number of slices, largest first; none for an empty pattern.
pub fn match_names(session: &Session, pattern: &str) -> Vec<NameMatch> {
    if pattern.is_empty() {
        return Vec::new();
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let lower = pattern.to_lowercase();
    let strings = &session.trace.strings;
    let mut found: Vec<NameMatch> = session
        .name_counts
        .par_iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .filter_map(|(name, &count)| {
            let bytes = strings.bytes(name as StrId);
            let text = SafeText::from_bytes(&bytes[..bytes.len().min(MATCHED)]);
            let score = matcher.fuzzy_match(text.as_str(), pattern)?;
            // A name that contains the typed text as a whole scores above names with the same letters apart.
            let is_whole = text.as_str().to_lowercase().contains(&lower);
            Some(NameMatch {
                name: name as StrId,
                score: if is_whole { score * 2 } else { score },
                count: count.into(),
            })
        })
        .collect();
    found.sort_by_key(|found| (std::cmp::Reverse(found.score), std::cmp::Reverse(found.count), found.name));
    let best = found.first().map_or(0, |found| found.score) as f64;
    found.retain(|found| found.score as f64 >= best * NEAR_BEST);
    found
}

impl Search {
    /// Finds the events that have one of `names`; `pattern` is the text that was typed.
    pub fn new(trace: &Trace, pattern: &str, names: &[StrId]) -> Self {
        let mut wanted = vec![false; trace.strings.len()];
        names.iter().for_each(|&name| wanted[name as usize] = true);
        Self { pattern: pattern.into(), hits: Hits::find(trace, &wanted), wanted }
    }

    /// Repeats a search in another trace, by the numbers of its names: these must be the same there, as they are in a larger
    /// snapshot.
    pub fn again(trace: &Trace, search: Self) -> Self {
        let mut wanted = search.wanted;
        wanted.resize(trace.strings.len().max(wanted.len()), false);
        Self { pattern: search.pattern, hits: Hits::find(trace, &wanted), wanted }
    }

    /// True when the search is for events with this name.
    pub fn is_wanted(&self, name: StrId) -> bool {
        self.wanted.get(name as usize).copied().unwrap_or_default()
    }
}
