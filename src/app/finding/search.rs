//! Searching events: matches the distinct names fuzzily, then finds the events that have the names searched
//! for and meet the terms.
//!
//! Must not know the state or the screen.

use std::sync::Arc;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::cancel;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::import::VisitError;
use proftui_trace::index::Hits;
use proftui_trace::model::{SliceId, Trace};

use super::matching::{Filter, ReadSoFar, meets_arguments};
use super::query::{Field, Query, QueryError, Term};
use crate::app::run::Run;
use crate::app::session::Session;
use crate::app::view::direction::Direction;

/// Names that score below this share of the best name's score do not match.
const NEAR_BEST: f64 = 0.7;

/// A search that is done, with its results.
#[derive(Debug)]
pub struct Search {
    /// The text that the user typed, or the name that was searched for.
    pub pattern: String,
    /// The events found, ordered by start.
    pub hits: Hits,
    /// The summed time of the events found, ns.
    pub total: Ns,
    /// The names that the search was for.
    wanted: Wanted,
    /// For each name, by its number in the trace's strings: true if the search is for events with it.
    names: Column<StrId, bool>,
    /// The conditions that the events had to meet beside their names.
    terms: Vec<Term>,
}

/// How events are shown that the search did not find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    /// Drawn as without a search.
    #[default]
    Shown,
    /// Drawn in grey, except for the selected event and linked events.
    Dimmed,
    /// Left out of the timeline, except that the selected event and linked events may be marked.
    Hidden,
}

impl Others {
    /// The next way to show the events that a search did not find: shown, dimmed, hidden, then shown again.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Shown => Self::Dimmed,
            Self::Dimmed => Self::Hidden,
            Self::Hidden => Self::Shown,
        }
    }

    /// The way in one word, for a message: `shown`, `dimmed` or `hidden`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Dimmed => "dimmed",
            Self::Hidden => "hidden",
        }
    }
}

/// A name that matches the typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The name's number in the trace's strings.
    pub name: StrId,
    /// The score of the match; larger is better.
    pub score: i64,
    /// How many slices have the name and, as far as known, meet the search's terms.
    pub count: u64,
}

/// How many bytes of a name, from its start, are compared with the pattern.
const MATCHED: usize = 512;

/// Estimated time to compare a name with a pattern, ns.
const PER_NAME: u64 = 1_000;
/// Estimated time to look at a slice, and to add its time up, ns.
const PER_SUM: u64 = 4;
/// Estimated time to look at a slice, and to sort it if it is found, ns.
const PER_SLICE: u64 = 20;

/// The job of finding what the search prompt shows for the typed text: the names that match, and the number
/// of events.
#[derive(Clone, Debug)]
pub struct NamesJob {
    pub(crate) session: Arc<Session>,
    pub(crate) text: String,
}

/// The result of a [`NamesJob`].
#[derive(Debug)]
pub struct NamesFound {
    pub(crate) job: NamesJob,
    /// The names that match the typed words and have events that may meet the terms, best first; empty if no
    /// words are typed.
    pub(crate) names: Vec<NameMatch>,
    /// The number of events that meet what is typed, and their summed time, ns; none on an error, and if
    /// events would have to be read again.
    pub(crate) sums: Option<(u64, Ns)>,
    /// Why the typed text cannot be searched for; none if it can.
    pub(crate) error: Option<QueryError>,
}

impl Run for NamesJob {
    type Done = NamesFound;

    fn cost(&self) -> u64 {
        let trace = &self.session.trace;
        let names = PER_NAME * self.session.name_counts.len() as u64;
        if self.text.is_empty() { 0 } else { names + trace.slices.len() as u64 * PER_SUM }
    }

    fn run(self) -> NamesFound {
        let query = match Query::parse(&self.text) {
            Ok(query) => query,
            Err(error) => return NamesFound { job: self, names: Vec::new(), sums: None, error: Some(error) },
        };
        let session = &self.session;
        let mut names = match_names(session, &query.words);
        let mask = if query.words.is_empty() {
            vec![!query.terms.is_empty(); session.trace.strings.len()].into()
        } else {
            mask(session, names.iter().map(|found| found.name))
        };
        let found = Filter::new(session, mask, &query.terms).find();
        let slices = &session.trace.slices;
        let total = found.iter().fold(0, |sum: Ns, &id| sum.saturating_add(slices.dur[id]));
        if !query.terms.is_empty() {
            let mut counts: FxHashMap<StrId, u64> = FxHashMap::default();
            found.iter().for_each(|&id| *counts.entry(slices.name[id]).or_default() += 1);
            names
                .iter_mut()
                .for_each(|name| name.count = counts.get(&name.name).copied().unwrap_or_default());
            names.retain(|name| name.count > 0);
        }
        let sums = (!query.needs_arguments()).then_some((found.len() as u64, total));
        NamesFound { job: self, names, sums, error: None }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.text == other.text
    }
}

/// For each name, by its number, whether it is one of `names`.
fn mask(session: &Session, names: impl Iterator<Item = StrId>) -> Column<StrId, bool> {
    let mut mask: Column<StrId, bool> = vec![false; session.trace.strings.len()].into();
    names.for_each(|name| mask[name] = true);
    mask
}

/// The names that a search is for.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// This name alone.
    Name(Arc<[u8]>),
    /// All names that match these words fuzzily; any name if they are empty.
    Like(String),
}

/// The job of finding the events that have some names and meet some terms.
#[derive(Clone, Debug)]
pub struct SearchJob {
    pub(crate) session: Arc<Session>,
    /// The text that the user typed, or the name that is searched for.
    pub(crate) pattern: String,
    pub(crate) wanted: Wanted,
    /// The conditions that an event has to meet beside its name.
    pub(crate) terms: Vec<Term>,
    /// The progress of reading events again, if a term is on arguments.
    pub(crate) read: ReadSoFar,
    /// True if the explorer is to go to the next event found once the search is done.
    pub(crate) is_to_move: bool,
}

/// The result of a [`SearchJob`].
#[derive(Debug)]
pub struct SearchFound {
    pub(crate) job: SearchJob,
    /// What was found, or why a file could not be read again.
    pub(crate) search: Result<Search, VisitError>,
}

impl Run for SearchJob {
    type Done = SearchFound;

    fn cost(&self) -> u64 {
        if self.terms.iter().any(|term| matches!(term.field, Field::Argument { .. })) {
            return u64::MAX;
        }
        let names = if matches!(self.wanted, Wanted::Like(_)) { self.session.name_counts.len() } else { 0 };
        PER_SLICE * self.session.trace.slices.len() as u64 + PER_NAME * names as u64
    }

    /// Finds the events; reads events again from the trace's files if a term is on arguments.
    fn run(self) -> SearchFound {
        let (session, trace) = (&self.session, &self.session.trace);
        let names = match &self.wanted {
            Wanted::Name(name) => mask(session, trace.strings.find(name).into_iter()),
            Wanted::Like(words) if words.is_empty() => vec![true; trace.strings.len()].into(),
            Wanted::Like(words) => {
                mask(session, match_names(session, words).into_iter().map(|found| found.name))
            }
        };
        let found = Filter::new(session, names.clone(), &self.terms).find();
        let found = meets_arguments(session, found, &self.terms, &self.read);
        let search = found.map(|ids| {
            let total = ids.iter().fold(0, |sum: Ns, &id| sum.saturating_add(trace.slices.dur[id]));
            let (pattern, wanted, terms) = (self.pattern.clone(), self.wanted.clone(), self.terms.clone());
            Search { pattern, hits: Hits::of(trace, ids), total, wanted, names, terms }
        });
        SearchFound { job: self, search }
    }

    fn is_same(&self, _: &Self) -> bool {
        false
    }
}

/// The names of slices that match `pattern` fuzzily and score near the best match, best first; none for an
/// empty pattern.
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
            let name = StrId::from_index(name);
            let bytes = strings.bytes(name);
            let text = SafeText::from_bytes(&bytes[..bytes.len().min(MATCHED)]);
            let score = matcher.fuzzy_match(text.as_str(), pattern)?;
            // A name that contains the typed text as a whole scores above names with the same letters apart.
            let is_whole = text.as_str().to_lowercase().contains(&lower);
            Some(NameMatch { name, score: if is_whole { score * 2 } else { score }, count: count.into() })
        })
        .collect();
    found.sort_by_key(|found| (std::cmp::Reverse(found.score), std::cmp::Reverse(found.count), found.name));
    let best = found.first().map_or(0, |found| found.score) as f64;
    found.retain(|found| found.score as f64 >= best * NEAR_BEST);
    found
}

impl Search {
    /// What the search was for: the text that names it in messages, the names and the terms.
    pub(crate) fn into_wanted(self) -> (String, Wanted, Vec<Term>) {
        (self.pattern, self.wanted, self.terms)
    }

    /// The index in `hits` of the next or previous event found, and whether the move wraps around; `hits`
    /// must not be empty.
    pub(crate) fn next(
        &self,
        trace: &Trace,
        selected: Option<SliceId>,
        cursor: Ns,
        direction: Direction,
    ) -> (usize, bool) {
        let selected = selected.filter(|&id| self.has(trace, id));
        let here = selected.map_or((cursor, SliceId::new(0)), |id| (trace.slices.start[id], id));
        let (rank, len) = (self.hits.rank(trace, here.0, here.1), self.hits.len().max(1));
        let at = match direction {
            Direction::Forward => rank + usize::from(selected.is_some()),
            Direction::Back => rank.checked_sub(1).unwrap_or(len - 1),
        };
        let is_around = at >= len || direction == Direction::Back && rank == 0;
        (at % len, is_around)
    }

    /// True when the search found this event.
    pub fn has(&self, trace: &Trace, id: SliceId) -> bool {
        self.names.get(trace.slices.name[id]).copied().unwrap_or_default()
            && (self.terms.is_empty() || self.hits.has(trace, id))
    }
}
