//! Searching events: the jobs that match names and find events, and what they found.
//!
//! Must not know the state or the screen, nor which events meet what is typed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_insight::analysis::Table;
use proftui_insight::analysis::search::{
    By, Filter, Found, NameMatch, Query, ReadSoFar, Rows, SearchError, arrange, find, found_gaps, mask,
    match_names, names_like, table_of,
};
use proftui_trace::index::Hits;
use proftui_trace::model::{SliceId, Trace};

use crate::app::run::Run;
use crate::app::session::Session;
use crate::app::view::direction::Direction;

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The text that the user typed, or the name that is searched for.
    pub pattern: String,
    /// The names that the search is for.
    pub(crate) wanted: Wanted,
    /// The conditions that an event has to meet beside its name, and how what is found is listed. Its words
    /// are not used.
    pub(crate) query: Query,
}

/// A search that is done, with its results.
#[derive(Debug)]
pub struct Search {
    /// What was searched for.
    pub asked: Asked,
    /// The events found, ordered by start.
    pub hits: Hits,
    /// The summed time of the events found, ns.
    pub total: Ns,
    /// For each name, by its number in the trace's strings: true if the search is for events with it.
    names: Column<StrId, bool>,
    /// True if `hits` has all events that meet the conditions.
    has_all: bool,
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
    /// What meets what is typed in all; none on an error, and if events would have to be read again.
    pub(crate) found: Option<Found>,
    /// Why the typed text cannot be searched for; none if it can.
    pub(crate) error: Option<SearchError>,
}

impl Run for NamesJob {
    type Done = NamesFound;

    fn cost(&self) -> u64 {
        let trace = &self.session.trace;
        let names = PER_NAME * self.session.name_counts.len() as u64;
        if self.text.is_empty() { 0 } else { names + trace.slices.len() as u64 * PER_SUM }
    }

    fn run(self) -> NamesFound {
        match self.find() {
            Ok((names, found)) => NamesFound { job: self, names, found, error: None },
            Err(error) => NamesFound { job: self, names: Vec::new(), found: None, error: Some(error) },
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.text == other.text
    }
}

impl NamesJob {
    /// The names that match, and what is found in all.
    fn find(&self) -> Result<(Vec<NameMatch>, Option<Found>), SearchError> {
        let query = Query::parse(&self.text)?;
        let Session { trace, name_counts: counts, short_names, .. } = &*self.session;
        if query.is_of_gaps() {
            return Ok((Vec::new(), Some(found_gaps(trace, &query)?)));
        }
        let mut names = match_names(trace, counts, short_names, &query.words);
        let wanted = if query.words.is_empty() {
            vec![!query.terms.is_empty() || query.is_table(); trace.strings.len()].into()
        } else {
            mask(trace, names.iter().map(|found| found.name))
        };
        let found = Filter::new(trace, None, wanted, &query.terms)?.find();
        if !query.terms.is_empty() {
            let mut counts: FxHashMap<StrId, u64> = FxHashMap::default();
            found.iter().for_each(|&id| *counts.entry(trace.slices.name[id]).or_default() += 1);
            names
                .iter_mut()
                .for_each(|name| name.count = counts.get(&name.name).copied().unwrap_or_default());
            names.retain(|name| name.count > 0);
        }
        let found = (!query.needs_files(trace)).then(|| Found::events(trace, &found));
        Ok((names, found))
    }
}

/// The names that a search is for.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// This name alone.
    Name(Arc<[u8]>),
    /// All names that match these words fuzzily; any name if they are empty.
    Like(String),
}

/// The job of finding the events that have some names and meet some terms.
#[derive(Clone, Debug)]
pub struct SearchJob {
    pub(crate) session: Arc<Session>,
    /// What is searched for.
    pub(crate) asked: Asked,
    /// True if a table of what is found is wanted, too.
    pub(crate) has_table: bool,
    /// The progress of reading events again, if a term is on arguments.
    pub(crate) read: ReadSoFar,
    /// True if the explorer is to go to the next event found once the search is done.
    pub(crate) is_to_move: bool,
}

/// The result of a [`SearchJob`].
#[derive(Debug)]
pub struct SearchFound {
    pub(crate) job: SearchJob,
    /// What was found, or why there is no answer.
    pub(crate) search: Result<Search, SearchError>,
    /// The table that was wanted.
    pub(crate) table: Option<Box<Table>>,
}

/// The most rows of a table that a search makes.
const ROWS: usize = 1_000;

/// How the table of a search is cut.
pub(crate) const LISTED: Rows = Rows { most: Some(ROWS), advice: "proftui query prints more" };

impl Run for SearchJob {
    type Done = SearchFound;

    fn cost(&self) -> u64 {
        let by_line = self.has_table && self.asked.query.by == Some(By::Line);
        if by_line || self.asked.query.needs_files(&self.session.trace) {
            return u64::MAX;
        }
        let names =
            if matches!(self.asked.wanted, Wanted::Like(_)) { self.session.name_counts.len() } else { 0 };
        PER_SLICE * self.session.trace.slices.len() as u64 + PER_NAME * names as u64
    }

    /// Finds the events; reads events again from the trace's files if a term is on arguments.
    fn run(self) -> SearchFound {
        let Session { trace, name_counts: counts, short_names, .. } = &*self.session;
        let names = match &self.asked.wanted {
            Wanted::Name(name) => mask(trace, trace.strings.find(name).into_iter()),
            Wanted::Like(words) => names_like(trace, counts, short_names, words),
        };
        let (search, table) = match self.find(names) {
            Ok((search, table)) => (Ok(search), table.map(Box::new)),
            Err(why) => (Err(why), None),
        };
        SearchFound { job: self, search, table }
    }

    fn is_same(&self, _: &Self) -> bool {
        false
    }
}

impl SearchJob {
    /// The events with names that are true in `names`, and the table of them, if one is wanted.
    fn find(&self, names: Column<StrId, bool>) -> Result<(Search, Option<Table>), SearchError> {
        let (trace, texts, query) = (&self.session.trace, &self.session.texts, &self.asked.query);
        let mut ids = find(trace, texts, names.clone(), &query.terms, &self.read)?;
        let table = self.has_table.then(|| table_of(trace, texts, query, ids.clone(), LISTED));
        // Only the first of the events may be wanted.
        let most = query.top.filter(|_| query.by.is_none());
        if most.is_some() {
            arrange(trace, &mut ids, query.order, most);
        }
        let total = Found::events(trace, &ids).total;
        let (asked, hits) = (self.asked.clone(), Hits::of(trace, ids));
        Ok((Search { asked, hits, total, names, has_all: most.is_none() }, table.transpose()?))
    }
}

impl Search {
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
            && (self.has_all && self.asked.query.terms.is_empty() || self.hits.has(trace, id))
    }
}
