//! Finding events by name: fuzzy, over the distinct names, then over the events that bear them.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;

use crate::base::intern::StrId;
use crate::base::text::SafeText;
use crate::index::Hits;
use crate::model::Trace;

use super::session::Session;

/// Names with at least this part of the best score match too.
const NEAR_BEST: f64 = 0.7;

/// A search that was made.
#[derive(Debug)]
pub struct Search {
    /// What was typed.
    pub pattern: String,
    /// The events found.
    pub hits: Hits,
    /// Whether each name is one of those searched.
    wanted: Vec<bool>,
}

/// A name that matches what is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The name.
    pub name: StrId,
    /// How well it fits; larger is better.
    pub score: i64,
    /// How many slices bear it.
    pub count: u64,
}

/// Names are matched by their first bytes; what makes a C++ name long stands behind what makes it known.
const MATCHED: usize = 512;

/// The names that match `pattern`, best first, then most frequent.
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
            // What was typed, standing there letter for letter, beats the same letters strewn about.
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
    /// The events that bear one of `names`.
    pub fn new(trace: &Trace, pattern: &str, names: &[StrId]) -> Self {
        let mut wanted = vec![false; trace.strings.len()];
        names.iter().for_each(|&name| wanted[name as usize] = true);
        Self { pattern: pattern.into(), hits: Hits::find(trace, &wanted), wanted }
    }

    /// The same search in a trace that has grown; names keep their numbers there.
    pub fn again(trace: &Trace, search: Self) -> Self {
        let mut wanted = search.wanted;
        wanted.resize(trace.strings.len().max(wanted.len()), false);
        Self { pattern: search.pattern, hits: Hits::find(trace, &wanted), wanted }
    }

    /// True when events of this name were searched.
    pub fn is_wanted(&self, name: StrId) -> bool {
        self.wanted.get(name as usize).copied().unwrap_or_default()
    }
}
