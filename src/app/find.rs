//! Starting a search for events by name, and moving between the events found.
//!
//! Must not know how names are matched or events are found.

use std::sync::Arc;

use super::overlay::{Candidate, Prompt};
use super::search::{SearchFound, SearchJob, Wanted};
use super::select::Direction;
use super::state::State;

impl State {
    /// Goes to the next or previous event that the last search found, counted from the selected one or else from the cursor; goes
    /// around at both ends.
    pub fn move_to_hit(&mut self, direction: Direction) {
        let Some(search) = &self.search else {
            return self.say("nothing to go to: search for a name first");
        };
        let hits = &search.hits;
        if hits.is_empty() {
            return self.say("the search found no event");
        }
        // The move starts from the selected event if the search found that event, else from the cursor.
        let slices = &self.session.trace.slices;
        let selected = self.selected_slice().filter(|&id| search.is_wanted(slices.name[id as usize]));
        let here = selected.map_or((self.cursor, 0), |id| (slices.start[id as usize], id));
        let rank = hits.rank(&self.session.trace, here.0, here.1);
        let is_on_hit = selected.is_some();
        let at = match direction {
            Direction::Forward => rank + usize::from(is_on_hit),
            Direction::Back => rank.checked_sub(1).unwrap_or(hits.len() - 1),
        };
        let is_around = at >= hits.len() || direction == Direction::Back && rank == 0;
        let at = at % hits.len();
        let message = format!(
            "{} of {} for \"{}\"{}",
            at + 1,
            hits.len(),
            search.pattern,
            if is_around { ", continued at the other end" } else { "" }
        );
        let target = hits.get(at);
        if let Some(target) = target {
            self.jump(target);
        }
        self.say(message);
    }

    /// Searches for the events with the name (or all names) of the prompt's chosen candidate, and goes to the next one from the
    /// cursor. An empty typed line clears the search.
    pub(super) fn accept_search(&mut self, prompt: &Prompt) {
        if prompt.text.is_empty() {
            self.clear_search();
            return self.say("search cleared");
        }
        // While the names are still being found, what is typed stands for all of them.
        let is_finding = self.jobs.names.current().is_some();
        let wanted = match prompt.candidates.get(prompt.chosen).filter(|_| !is_finding) {
            None if !is_finding => return self.say(format!("no event name matches \"{}\"", prompt.text)),
            Some(Candidate { value: Some(name), .. }) => Wanted::Name(*name as u32),
            _ => Wanted::Like,
        };
        self.jobs.names.forget();
        self.search_for(&prompt.text, wanted, true);
    }

    /// Clears the search, also one that is not done yet.
    pub(super) fn clear_search(&mut self) {
        self.jobs.search.forget();
        self.search = None;
    }

    /// Finds the events of some names; `pattern` is the text that was typed. If `is_to_move`, goes to the next one from the cursor.
    pub(super) fn search_for(&mut self, pattern: &str, wanted: Wanted, is_to_move: bool) {
        let session = Arc::clone(&self.session);
        let job = SearchJob { session, pattern: pattern.into(), wanted, is_to_move };
        if let Some(found) = self.jobs.search.start(job) {
            self.take_search(found);
        }
    }

    /// Shows the events that a search found.
    pub(super) fn take_search(&mut self, found: SearchFound) {
        self.search = Some(found.search);
        if found.job.is_to_move {
            self.move_to_hit(Direction::Forward);
        }
    }
}
