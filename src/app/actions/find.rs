//! Starting a search for events by name, and moving between the events found.
//!
//! Must not know how names are matched or events are found.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_insight::analysis::part::location::Location;
use proftui_insight::analysis::search::{Query, ReadSoFar, Term, table};
use proftui_insight::analysis::table::LOCATION;
use proftui_insight::analysis::{Table, TableRow, Value};
use proftui_insight::report::text::value;
use proftui_trace::model::Trace;

use super::select::select_first;
use crate::app::finding::search::{LISTED, SearchFound, SearchJob, Wanted};
use crate::app::pane::overlay::{Candidate, ListItem, Overlay, Prompt, Target};
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
            search.pattern,
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
            None if !is_finding => return self.say(format!("no event matches \"{}\"", prompt.text)),
            _ => Wanted::Like(query.words.clone()),
        };
        self.jobs.names.forget();
        if query.is_of_gaps() {
            return match table(&self.session.trace, &self.session.texts, &query, LISTED) {
                Ok(table) => self.list_found(&table),
                Err(why) => self.say(why.to_string()),
            };
        }
        let terms = query.terms.clone();
        self.start_search(&prompt.text, wanted, terms, query.is_table().then_some(query), true);
    }

    /// Lists the rows of a table of what was found; the enter key goes to the event or gap of a row.
    fn list_found(&mut self, table: &Table) {
        let trace = &self.session.trace;
        let items: Vec<ListItem> = table.rows.iter().map(|row| row_item(trace, table, row)).collect();
        let notes = table.notes.join(" ");
        if items.is_empty() {
            return self.say(notes);
        }
        let title = format!("{} {notes}", table.headline);
        self.dialog.open(Overlay::list(SafeText::new(title.trim_end()).into_owned(), items));
    }

    /// Searches for all events that have the name of the selected event, and goes to the next one; says so if
    /// no event is selected.
    pub(crate) fn search_for_selected(&mut self) {
        let Some(id) = self.selected.slice() else { return self.say(select_first(&self.keys)) };
        let trace = &self.session.trace;
        let name = trace.strings.bytes(trace.slices.name[id]).into();
        let text = trace.name(id).to_string();
        self.search_for(&text, Wanted::Name(name), Vec::new(), true);
    }

    /// Clears the last search, and cancels the one that is under way.
    pub(crate) fn clear_search(&mut self) {
        self.jobs.search.forget();
        self.finding.clear();
    }

    /// Searches for the events that have a `wanted` name and meet all `terms`, and goes to the next one found
    /// if `is_to_move`. Messages name the search by `pattern`.
    pub(crate) fn search_for(&mut self, pattern: &str, wanted: Wanted, terms: Vec<Term>, is_to_move: bool) {
        self.start_search(pattern, wanted, terms, None, is_to_move);
    }

    /// Searches as [`Self::search_for`], and lists the table of the query `table`, if one is given.
    fn start_search(
        &mut self,
        pattern: &str,
        wanted: Wanted,
        terms: Vec<Term>,
        table: Option<Query>,
        is_to_move: bool,
    ) {
        let (session, read) = (Arc::clone(&self.session), ReadSoFar::default());
        let job = SearchJob { session, pattern: pattern.into(), wanted, terms, table, read, is_to_move };
        if let Some(found) = self.jobs.search.start(job) {
            self.take_search(found);
        }
    }

    /// Keeps what a search found, and goes to the next event found if the search asked for that, or lists the
    /// table that it asked for. If the search failed, only says why.
    pub(crate) fn take_search(&mut self, mut found: SearchFound) {
        let table = found.table.take();
        match (self.finding.take(found), table) {
            (Ok(_), Some(table)) => self.list_found(&table),
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

/// The item of a list for a row of a table of what was found.
fn row_item(trace: &Trace, table: &Table, row: &TableRow) -> ListItem {
    let named = ["name", "cause"].into_iter().find_map(|id| table.column(id)).unwrap_or_default();
    let at = table.column(LOCATION);
    let location = at.and_then(|at| match &row.cells[at] {
        Value::Text(text) => Location::parse(text.as_str(), trace).ok(),
        _ => None,
    });
    let target = row.longest.map(Target::Event).or(location.map(Target::Location));
    let others = table.columns.iter().zip(&row.cells).enumerate();
    let others =
        others.filter(|&(column, (_, cell))| column != named && Some(column) != at && *cell != Value::Empty);
    let note = others.map(|(_, (column, cell))| match cell {
        Value::Text(text) => text.to_string(),
        cell => format!("{} {}", column.title.to_lowercase(), value(cell)),
    });
    let title = match &row.cells[named] {
        Value::Count(number) => format!("{} {number}", table.columns[named].title.to_lowercase()),
        cell => value(cell).to_string(),
    };
    ListItem {
        title: SafeText::from(title),
        note: SafeText::new(&note.collect::<Vec<_>>().join(" · ")).into_owned(),
        target: target.unwrap_or(Target::Nothing),
    }
}
