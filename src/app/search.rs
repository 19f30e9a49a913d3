//! Searching events by name: matches the distinct names fuzzily, then finds the events that have the names searched for.
//!
//! Must not know the state or the screen.

use std::sync::Arc;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;

use crate::base::cancel;
use crate::base::intern::StrId;
use crate::base::text::SafeText;
use crate::index::Hits;

use super::run::Run;
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

/// Estimated time to compare a name with a pattern, ns.
const PER_NAME: u64 = 1_000;
/// Estimated time to look at a slice, and to sort it if it is found, ns.
const PER_SLICE: u64 = 20;

/// The job of finding the names that match what is typed in the search prompt.
#[derive(Clone, Debug)]
pub struct NamesJob {
    pub(super) session: Arc<Session>,
    pub(super) text: String,
}

/// The result of a [`NamesJob`].
#[derive(Debug)]
pub struct NamesFound {
    pub(super) job: NamesJob,
    /// The names, best first.
    pub(super) names: Vec<NameMatch>,
}

impl Run for NamesJob {
    type Done = NamesFound;

    fn cost(&self) -> u64 {
        if self.text.is_empty() { 0 } else { PER_NAME * self.session.name_counts.len() as u64 }
    }

    fn run(self) -> NamesFound {
        let names = match_names(&self.session, &self.text);
        NamesFound { job: self, names }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.text == other.text
    }
}

/// The names that a search is for.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// One name.
    Name(StrId),
    /// All names that match the pattern fuzzily.
    Like,
    /// For each name, by its number in the trace's strings, whether it is wanted.
    Again(Vec<bool>),
}

/// The job of finding the events of some names.
#[derive(Clone, Debug)]
pub struct SearchJob {
    pub(super) session: Arc<Session>,
    /// The text that was typed.
    pub(super) pattern: String,
    pub(super) wanted: Wanted,
    /// True if the next event from the cursor is to be selected once they are found.
    pub(super) is_to_move: bool,
}

/// The result of a [`SearchJob`].
#[derive(Debug)]
pub struct SearchFound {
    pub(super) job: SearchJob,
    pub(super) search: Search,
}

impl Run for SearchJob {
    type Done = SearchFound;

    fn cost(&self) -> u64 {
        let names = if matches!(self.wanted, Wanted::Like) { self.session.name_counts.len() } else { 0 };
        PER_SLICE * self.session.trace.slices.len() as u64 + PER_NAME * names as u64
    }

    fn run(self) -> SearchFound {
        let trace = &self.session.trace;
        let these = |names: &mut dyn Iterator<Item = StrId>| {
            let mut wanted = vec![false; trace.strings.len()];
            names.for_each(|name| wanted[name as usize] = true);
            wanted
        };
        let wanted = match &self.wanted {
            Wanted::Name(name) => these(&mut std::iter::once(*name)),
            Wanted::Like => {
                these(&mut match_names(&self.session, &self.pattern).into_iter().map(|found| found.name))
            }
            Wanted::Again(wanted) => wanted.clone(),
        };
        let search = Search { pattern: self.pattern.clone(), hits: Hits::find(trace, &wanted), wanted };
        SearchFound { job: self, search }
    }

    fn is_same(&self, _: &Self) -> bool {
        false
    }
}

/// The names that match `pattern` fuzzily, by score and then by number of slices, largest first; none for an empty pattern.
pub fn match_names(session: &Session, pattern: &str) -> Vec<NameMatch> {
    if pattern.is_empty() {
        return Vec::new();
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let lower = pattern.to_lowercase();
    let (strings, token) = (&session.trace.strings, cancel::current());
    let mut found: Vec<NameMatch> = session
        .name_counts
        .par_iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .filter_map(|(name, &count)| {
            token.check();
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
    /// For each name, by its number in the trace's strings, whether the search is for it.
    pub(super) fn into_wanted(self) -> Vec<bool> {
        self.wanted
    }

    /// True when the search is for events with this name.
    pub fn is_wanted(&self, name: StrId) -> bool {
        self.wanted.get(name as usize).copied().unwrap_or_default()
    }
}
