//! The candidates of a prompt: the commands or event names that match the typed line fuzzily.
//!
//! May use the command table, which the palette searches.

use std::sync::Arc;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::search::NameMatch;

use super::command::{self, Command, When};
use super::session::Session;
use super::state::State;
use crate::app::finding::search::{NamesFound, NamesJob};
use crate::app::finding::typed::{Typed, no_command};
use crate::app::input::bindings::Keys;
use crate::app::pane::overlay::{Candidate, PromptKind};

/// The score of a command of which what is typed is another word, more than that of any other.
const ALIAS: i64 = i64::MAX;

/// The most commands or event names that a prompt offers for a typed text.
const CANDIDATES: usize = 50;

/// Brings the candidates of the open prompt, or the rows or lanes that it filters, up to date with the typed
/// line.
pub(super) fn refresh(state: &mut State) {
    if state.dialog.prompt().is_none_or(|prompt| prompt.kind != PromptKind::Search) {
        state.jobs.names.forget();
    }
    let (session, keys) = (Arc::clone(&state.session), Arc::clone(&state.keys));
    let Some(prompt) = state.dialog.prompt_mut().filter(|prompt| prompt.is_stale) else { return };
    prompt.is_stale = false;
    let text = prompt.text.clone();
    match prompt.kind {
        PromptKind::Palette => {
            let typed = Typed::of(&text);
            let found = if typed.is_some() { Vec::new() } else { commands(&text, &keys) };
            prompt.status = match typed {
                Some(typed) => typed.title(),
                None if found.is_empty() => no_command(&text),
                None => String::new(),
            };
            prompt.offer(found);
        }
        PromptKind::Time
        | PromptKind::Mark
        | PromptKind::Export
        | PromptKind::CopyTo
        | PromptKind::SaveMarks => prompt.offer(Vec::new()),
        PromptKind::Filter => state.filter_table(&text),
        PromptKind::Lanes => state.filter_lanes(&text),
        PromptKind::Search => {
            if let Some(found) = state.jobs.names.start(NamesJob { session, text }) {
                take_names(state, found);
            }
        }
    }
}

/// Offers in the open prompt the event names that a job found, and updates the prompt's status.
pub(super) fn take_names(state: &mut State, found: NamesFound) {
    if let Some(prompt) = state.dialog.prompt_mut() {
        let NamesFound { job, names, found, error } = found;
        prompt.status = match (&error, found) {
            (Some(why), _) => why.to_string(),
            (None, _) if job.text.trim().is_empty() => String::new(),
            (None, Some(found)) => {
                format!("{}, {}", fmt::counted(found.count as u64, found.what), fmt::duration(found.total))
            }
            (None, None) => "arguments are looked at once the search starts".into(),
        };
        let has_some = error.is_none() && found.is_none_or(|found| found.count > 0);
        let what = has_some.then(|| found.map_or("event", |found| found.what));
        prompt.offer(self::names(&job.session, &job.text, names, what));
    }
}

/// The palette's commands that match `text`, best match first, at most [`CANDIDATES`]; for an empty text all,
/// in the order of the command table.
fn commands(text: &str, keys: &Keys) -> Vec<Candidate> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut found: Vec<(i64, usize, &Command)> = command::all()
        .enumerate()
        .filter(|(_, command)| !matches!(command.when, When::Prompt | When::List | When::Help))
        .filter_map(|(at, command)| {
            let score = |of: &str| matcher.fuzzy_match(of, text);
            let score = score(command.title).max(score(command.id)).max(also(command, text));
            Some((if text.is_empty() { 0 } else { score? }, at, command))
        })
        .collect();
    found.sort_by_key(|&(score, at, _)| (std::cmp::Reverse(score), at));
    let candidates = found.into_iter().map(|(_, at, command)| Candidate {
        title: SafeText::new(command.title).into_owned(),
        note: SafeText::from(command.key_labels(keys, false).join(" ")),
        value: Some(at),
    });
    candidates.take(if text.is_empty() { usize::MAX } else { CANDIDATES }).collect()
}

/// The candidates of the search prompt: at most [`CANDIDATES`] of the names `found` and, where useful, one
/// for all events that match. `what` may meet `text`, as a word in the singular; none if nothing does.
fn names(session: &Session, text: &str, found: Vec<NameMatch>, what: Option<&str>) -> Vec<Candidate> {
    let total: u64 = found.iter().map(|found| found.count).sum();
    let mut candidates = Vec::new();
    if let Some(what) = what.filter(|_| found.is_empty() && !text.trim().is_empty()) {
        let title = SafeText::from(format!("all {what}s that meet the typed text"));
        candidates.push(Candidate { title, note: SafeText::default(), value: None });
    }
    if found.len() > 1 {
        let title = SafeText::from(format!("all {} names like \"{text}\"", found.len()));
        candidates.push(Candidate { title, note: events(total), value: None });
    }
    candidates.extend(found.into_iter().take(CANDIDATES).map(|found| Candidate {
        title: session.trace.strings.text(found.name).into_owned(),
        note: events(found.count),
        value: Some(found.name.index()),
    }));
    candidates
}

/// The score of a command by the first of its other words (`Command::also`) that is what is typed, or else
/// begins so; none if no word does.
fn also(command: &Command, text: &str) -> Option<i64> {
    let typed = text.trim().to_lowercase();
    let words = || command.also.split(' ');
    if typed.is_empty() || !words().any(|word| word.starts_with(&typed)) {
        return None;
    }
    Some(if words().any(|word| word == typed) { ALIAS } else { 20 * saturate::<i64>(typed.len()) })
}

fn events(n: u64) -> SafeText<'static> {
    SafeText::from(fmt::counted(n, "event"))
}
