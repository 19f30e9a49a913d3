//! Searching events: the jobs that find them, and the events that were found.
//!
//! Must not know the screen.

pub mod search;
pub mod typed;

use proftui_insight::analysis::search::SearchError;

use search::{Asked, Others, Search, SearchFound, SearchJob};

/// The last search, and how events are shown that the search did not find.
#[derive(Debug, Default)]
pub struct Finding {
    search: Option<Search>,
    others: Others,
}

impl Finding {
    /// The last completed search with the events it found; none while there is none.
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// How events are shown that the last search did not find.
    pub fn others(&self) -> Others {
        self.others
    }

    /// Forgets the search; all events are shown as without a search.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Replaces the last search by what a new one found; true if the explorer is to go to the next event
    /// found.
    ///
    /// # Errors
    /// When the search asked for what the trace does not have, or a file could not be read again; the last
    /// search stays then.
    pub(super) fn take(&mut self, found: SearchFound) -> Result<bool, SearchError> {
        self.search = Some(found.search?);
        Ok(found.job.is_to_move)
    }

    /// Takes what to search for again in another session: the `unfinished` search, or else the last one. None
    /// if there is neither.
    pub(super) fn again(&mut self, unfinished: Option<&SearchJob>) -> Option<Asked> {
        let finished = self.search.take().map(|search| search.asked);
        unfinished.map(|job| job.asked.clone()).or(finished)
    }

    /// Switches to the next way to show the events that the last search did not find, and returns it; none,
    /// without a change, if there is no search.
    pub(super) fn next_others(&mut self) -> Option<Others> {
        self.search.as_ref()?;
        self.others = self.others.next();
        Some(self.others)
    }
}
