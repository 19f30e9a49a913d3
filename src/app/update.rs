//! The one function that changes the state: a key or an event comes in, the state moves on.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use crate::base::fmt;
use crate::base::text::SafeText;

use super::command::{self, Command, When};
use super::growth::Loading;
use super::key::Key;
use super::overlay::{Candidate, Overlay, Prompt, PromptKind};
use super::search::{self, Search};
use super::select::Direction;
use super::state::{Session, State};
use super::{timefmt, view};

/// Most candidates shown for what was typed.
const CANDIDATES: usize = 50;

/// What happened to the person's side of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incident {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The screen has this many columns and lines now.
    Resize(u16, u16),
    /// Something to tell the person.
    Notice(String),
    /// Loading has come so far.
    Loading(Loading),
    /// The file is no longer what was loaded.
    Changed,
}

/// What the state asks of the loop after an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing visible changed.
    Same,
    /// Something visible changed.
    Changed,
    /// The screen is to be drawn anew, whatever stands there.
    Redraw,
    /// The person wants the file loaded again.
    Reload,
    /// The person wants the shell for a while.
    Suspend,
    /// The person leaves.
    Done,
}

/// Takes in one incident.
pub fn update(state: &mut State, incident: Incident) -> Outcome {
    match incident {
        Incident::Resize(width, height) => state.resize((width, height)),
        Incident::Notice(text) => state.say(text),
        Incident::Loading(loading) => {
            let is_same = state.loading.and_then(Loading::percent) == loading.percent();
            state.loading = Some(loading);
            if is_same && loading.total > 0 {
                return Outcome::Same;
            }
        }
        Incident::Changed => {
            state.has_changed = true;
            let key = command::key_of("app.reload");
            state.say(format!("the file has changed on disk since it was loaded; {key} loads it again"));
        }
        Incident::Paste(text) => {
            if !matches!(state.overlay, Some(Overlay::Prompt(_))) {
                return Outcome::Same;
            }
            text.chars().filter(|c| !c.is_control()).for_each(|c| type_char(state, c));
            state.refresh_candidates();
        }
        Incident::Key(key) => return press(state, key),
    }
    Outcome::Changed
}

/// Takes in one incident while the trace is still being loaded: whatever leaves the explorer leaves here too.
pub fn update_loading(incident: &Incident) -> Outcome {
    let Incident::Key(key) = incident else { return Outcome::Changed };
    let is = |id: &str| {
        command::all().any(|c| c.id == id && c.keys.iter().any(|name| Key::parse(name) == Some(*key)))
    };
    match () {
        () if is("app.quit") || is("app.quit-now") => Outcome::Done,
        () if is("app.suspend") => Outcome::Suspend,
        () if is("app.redraw") => Outcome::Redraw,
        () => Outcome::Same,
    }
}

fn press(state: &mut State, key: Key) -> Outcome {
    let had_message = state.message.take().is_some();
    match (command::find(state, key), key) {
        (Some(command), _) => run(state, command),
        (None, Key::Char(typed)) if matches!(state.overlay, Some(Overlay::Prompt(_))) => {
            type_char(state, typed);
            state.refresh_candidates();
        }
        _ if had_message => {}
        _ => return Outcome::Same,
    }
    state.wants.take().unwrap_or(Outcome::Changed)
}

/// Runs a command; where it moved the view, the place before can be gone back to.
fn run(state: &mut State, command: &Command) {
    let before = (state.place(), state.history.moves());
    (command.run)(state);
    state.refresh_table();
    // A command that ran another, or travelled, has told the history itself.
    if state.view != before.0.view && state.history.moves() == before.1 {
        state.history.leave(before.0, command.id);
    }
}

fn type_char(state: &mut State, typed: char) {
    if let Some(Overlay::Prompt(prompt)) = &mut state.overlay
        && prompt.text.len() < 1000
    {
        prompt.text.push(typed);
        prompt.chosen = 0;
    }
}

impl State {
    /// Works out anew what the typed line could mean.
    pub fn refresh_candidates(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        prompt.candidates = match prompt.kind {
            PromptKind::Palette => commands(&prompt.text),
            PromptKind::Search => names(&self.session, &prompt.text),
            PromptKind::Time => Vec::new(),
            PromptKind::Filter => {
                let text = prompt.text.clone();
                return self.filter_table(&text);
            }
        };
        prompt.chosen = prompt.chosen.min(prompt.candidates.len().saturating_sub(1));
    }

    /// Moves the choice of a prompt or list, or scrolls the help.
    pub fn choose(&mut self, by: isize) {
        let (chosen, len) = match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => (&mut prompt.chosen, prompt.candidates.len()),
            Some(Overlay::List(list)) => (&mut list.chosen, list.choices.len()),
            Some(Overlay::Help(line)) => (line, command::all().count() + 2 * command::Group::ALL.len()),
            None => return,
        };
        *chosen = chosen.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Does what the prompt's line or chosen candidate means.
    pub fn accept_prompt(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.overlay.take() else { return };
        match prompt.kind {
            PromptKind::Palette => {
                let at = prompt.candidates.get(prompt.chosen).and_then(|candidate| candidate.value);
                match at.and_then(|at| command::all().nth(at)) {
                    Some(command) => run(self, command),
                    None => self.say("no command of that name"),
                }
            }
            PromptKind::Search => self.accept_search(&prompt),
            // The rows were chosen while it was typed.
            PromptKind::Filter => {}
            PromptKind::Time => match timefmt::parse(&self.session.trace, self.cursor, &prompt.text) {
                Some(t) => self.go_to_time(t),
                None => self.say(format!("\"{}\" is no time; write 12.5ms, +3us or #12", prompt.text)),
            },
        }
    }

    fn accept_search(&mut self, prompt: &Prompt) {
        if prompt.text.is_empty() {
            self.search = None;
            return self.say("the search is cleared");
        }
        let chosen = prompt.candidates.get(prompt.chosen);
        let names: Vec<u32> = match chosen {
            None => return self.say(format!("nothing is named like \"{}\"", prompt.text)),
            Some(Candidate { value: Some(name), .. }) => vec![*name as u32],
            Some(_) => {
                search::match_names(&self.session, &prompt.text).iter().map(|found| found.name).collect()
            }
        };
        self.search = Some(Search::new(&self.session.trace, &prompt.text, &names));
        self.step_hit(Direction::Forth);
    }

    /// Goes to the chosen link of a list; Enter closes the help.
    pub fn accept_list(&mut self) {
        if let Some(Overlay::List(list)) = self.overlay.take()
            && let Some(choice) = list.choices.get(list.chosen)
        {
            self.jump(choice.target);
        }
    }

    /// Goes back or forth in the history of views.
    pub fn travel(&mut self, direction: Direction) {
        let here = self.place();
        let place = match direction {
            Direction::Back => self.history.back(here),
            Direction::Forth => self.history.forth(here),
        };
        let Some(place) = place else {
            return self.say(if direction == Direction::Back {
                "no view before this one"
            } else {
                "no view after this one"
            });
        };
        (self.view, self.cursor) = (place.view, place.cursor);
        if let Some(line) = place.line.and_then(|kind| self.lines.find(kind)) {
            self.focus = line;
        }
        self.select(place.selection);
        self.scroll_to_focus();
        self.keep_cursor();
    }

    /// Shows the next or previous recorded cycle of the worker whose lines have the focus.
    pub fn step_cycle(&mut self, direction: Direction) {
        let trace = &self.session.trace;
        let worker = self.worker();
        let name = trace.meta.workers.get(worker as usize).cloned().unwrap_or_default();
        let mut cycles = trace.cycles.iter().filter(|cycle| cycle.worker == worker);
        let all = cycles.clone().count();
        if all < 2 {
            return self.say("this process recorded one cycle; open a directory with more to see several");
        }
        let around = cycles.clone().find(|cycle| cycle.span.contains(self.cursor));
        let is_wide = around.is_some_and(|cycle| view::fit(cycle.span, trace.span).len() < self.view.len());
        let found = match direction {
            _ if is_wide => around,
            Direction::Forth => cycles.find(|cycle| cycle.span.start > self.cursor),
            Direction::Back => cycles.rfind(|cycle| cycle.span.end <= self.cursor),
        };
        let Some(cycle) = found else {
            return self.say("no further cycle in that direction");
        };
        let (span, number) = (cycle.span, cycle.number);
        self.view = view::fit(span, trace.span);
        self.cursor = span.start;
        self.keep_cursor();
        self.select_under_cursor();
        self.say(format!("cycle {number} (of {all}) of {name}, {}", fmt::duration(span.len())));
    }
}

/// The commands whose title is like `text`, best first; all of them for an empty text.
fn commands(text: &str) -> Vec<Candidate> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut found: Vec<(i64, usize, &Command)> = command::all()
        .enumerate()
        .filter(|(_, command)| !matches!(command.when, When::Prompt | When::Overlay))
        .filter_map(|(at, command)| {
            let score = matcher.fuzzy_match(command.title, text).max(matcher.fuzzy_match(command.id, text));
            Some((if text.is_empty() { 0 } else { score? }, at, command))
        })
        .collect();
    found.sort_by_key(|&(score, at, _)| (std::cmp::Reverse(score), at));
    let candidates = found.into_iter().map(|(_, at, command)| {
        let keys: Vec<String> = command.keys.iter().map(|key| command::label(key, false)).collect();
        Candidate {
            title: SafeText::new(command.title).into_owned(),
            note: SafeText::from(keys.join(" ")),
            value: Some(at),
        }
    });
    candidates.take(CANDIDATES).collect()
}

/// All matching names at once, then each by itself.
fn names(session: &Session, text: &str) -> Vec<Candidate> {
    let found = search::match_names(session, text);
    let total: u64 = found.iter().map(|found| found.count).sum();
    let mut candidates = Vec::new();
    if found.len() > 1 {
        let title = SafeText::from(format!("all {} names like \"{text}\"", found.len()));
        candidates.push(Candidate { title, note: events(total), value: None });
    }
    candidates.extend(found.into_iter().take(CANDIDATES).map(|found| Candidate {
        title: session.trace.strings.text(found.name).into_owned(),
        note: events(found.count),
        value: Some(found.name as usize),
    }));
    candidates
}

fn events(n: u64) -> SafeText<'static> {
    SafeText::from(format!("{} event{}", fmt::count(n), if n == 1 { "" } else { "s" }))
}
