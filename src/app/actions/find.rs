//! Starting a search for events by name, moving between the events found, and listing them.
//!
//! Must not know how names are matched or events are found.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_insight::analysis::Table;
use proftui_insight::analysis::search::{Query, ReadSoFar, table};

use super::select::select_first;
use crate::app::finding::search::{Asked, LISTED, SearchFound, SearchJob, Wanted};
use crate::app::pane::overlay::{Candidate, Prompt};
use crate::app::pane::panes::{Pane, Region};
use crate::app::state::State;
use crate::app::view::direction::Direction;

impl State {
    /// Goes to the next or previous event that the last search found, going around at both ends. Says which
    /// of them it is, or that there is none.
    pub fn move_to_hit(&mut self, direction: Direction) {
        let Some(search) = self.finding.search() else {
            return self.say("nothing to go to: there is no search, or it has not ended");
        };
        let hits = &search.hits;
        if hits.is_empty() {
            return self.say("the search found no event");
        }
        let (selected, cursor) = (self.selected.slice(), self.timeline.cursor());
        let (at, is_around) = search.next(&self.session.trace, selected, cursor, direction);
        let message = format!(
            "{} of {} for \"{}\", {} in all{}",
            at + 1,
            hits.len(),
            search.asked.pattern,
            fmt::duration(search.total),
            if is_around { ", continued at the other end" } else { "" }
        );
        let target = hits.get(at);
        if let Some(target) = target {
            self.jump(target);
        }
        self.say(message);
    }

    /// Starts the search that is typed or chosen in the search prompt, and goes to the next event found; an
    /// empty text clears the search instead. Says why if there is nothing to search for.
    pub(crate) fn accept_search(&mut self, prompt: &Prompt) {
        if prompt.text.is_empty() {
            self.clear_search();
            return self.say("search cleared");
        }
        let query = match Query::parse(&prompt.text) {
            Ok(query) => query,
            Err(why) => return self.say(why.to_string()),
        };
        // While the names are still being found, what is typed stands for all of them.
        let is_finding = self.jobs.names.current().is_some();
        let wanted = match prompt.candidates.get(prompt.chosen).filter(|_| !is_finding) {
            Some(Candidate { value: Some(name), .. }) => {
                Wanted::Name(self.session.trace.strings.bytes(StrId::from_index(*name)).into())
            }
            // The search itself says why a term or a table finds nothing.
            None if !is_finding && query.terms.is_empty() && !query.is_table() => {
                return self.say(format!("no event matches \"{}\"", prompt.text));
            }
            _ => Wanted::Like(query.words.clone()),
        };
        self.jobs.names.forget();
        if query.is_of_gaps() {
            return match table(&self.session.trace, &self.session.texts, &query, LISTED) {
                Ok(table) => self.list_found(table),
                Err(why) => self.say(why.to_string()),
            };
        }
        let has_table = query.is_table() || self.panes.shown() == Pane::Found;
        self.start_search(Asked { pattern: prompt.text.clone(), wanted, query }, has_table, true);
    }

    /// Shows a table of what was found in the pane, which then has the focus; says so if it has no rows.
    fn list_found(&mut self, table: Table) {
        if table.rows.is_empty() {
            return self.say(table.notes.join(" "));
        }
        self.summaries.keep_found(table, Arc::clone(&self.session.short_names), self.source.is_snapshot());
        self.panes.show(Pane::Found);
        self.panes.focus(Region::Pane);
        self.scroll_to_focus();
    }

    /// Lists what the last search found, as it asked for; says so if there is no search.
    pub(crate) fn list_hits(&mut self) {
        if self.summaries.found().is_some() {
            self.panes.show(Pane::Found);
            self.panes.focus(Region::Pane);
            return self.scroll_to_focus();
        }
        match self.finding.search().map(|search| search.asked.clone()) {
            Some(asked) => self.start_search(asked, true, false),
            None => self.say("nothing to list: there is no search, or it has not ended"),
        }
    }

    /// Searches for all events that have the name of the selected event, and goes to the next one; says so if
    /// no event is selected.
    pub(crate) fn search_for_selected(&mut self) {
        let Some(id) = self.selected.slice() else { return self.say(select_first(&self.keys)) };
        let trace = &self.session.trace;
        let name = trace.strings.bytes(trace.slices.name[id]).into();
        let text = trace.name(id).to_string();
        self.search_for_name(&text, name, true);
    }

    /// Clears the last search and the list of what it found, and cancels the one that is under way.
    pub(crate) fn clear_search(&mut self) {
        self.jobs.search.forget();
        self.finding.clear();
        self.summaries.forget_found();
    }

    /// Searches for the events with a name, and goes to the next one found if `is_to_move`. Messages name the
    /// search by `text`.
    pub(crate) fn search_for_name(&mut self, text: &str, name: Arc<[u8]>, is_to_move: bool) {
        let asked = Asked { pattern: text.into(), wanted: Wanted::Name(name), query: Query::default() };
        self.start_search(asked, self.panes.shown() == Pane::Found, is_to_move);
    }

    /// Searches for what is asked; if `has_table`, lists what is found, else goes to the next event found if
    /// `is_to_move`.
    pub(crate) fn start_search(&mut self, asked: Asked, has_table: bool, is_to_move: bool) {
        let (session, read) = (Arc::clone(&self.session), ReadSoFar::default());
        if let Some(found) = self.jobs.search.start(SearchJob { session, asked, has_table, read, is_to_move })
        {
            self.take_search(found);
        }
    }

    /// Keeps what a search found, and goes to the next event found if the search asked for that, or lists the
    /// table that it asked for. If the search failed, only says why.
    pub(crate) fn take_search(&mut self, mut found: SearchFound) {
        let table = found.table.take();
        let kept = self.finding.take(found);
        if kept.is_ok() {
            self.summaries.forget_found();
        }
        match (kept, table) {
            (Ok(_), Some(table)) => self.list_found(*table),
            (Ok(true), None) => self.move_to_hit(Direction::Forward),
            (Ok(false), None) => {}
            (Err(why), _) => self.say(why.to_string()),
        }
    }

    /// Says how far the search has come, if it is reading events from the files again.
    pub(crate) fn say_search_progress(&mut self) {
        let so_far = self.jobs.search.current().and_then(|job| job.read.get());
        let Some((read, all)) = so_far else { return };
        let percent = read * 100 / all.max(1);
        self.say(format!("searching arguments: {percent} % of {} read", fmt::counted(all, "event")));
    }

    /// Switches to the next way to show the events that the last search did not find (shown, dimmed, hidden),
    /// and says which. Says so if there is no search.
    pub(crate) fn next_others(&mut self) {
        match self.finding.next_others() {
            Some(others) => self.say(format!("events that were not found are {}", others.title())),
            None => self.say("after a search, this dims or hides the events not found"),
        }
    }
}
