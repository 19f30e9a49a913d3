//! The candidates of a prompt: the commands or event names that match the typed line fuzzily.
//!
//! May use the command table, which the palette searches.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use crate::base::fmt;
use crate::base::text::SafeText;

use super::command::{self, Command, When};
use super::overlay::{Candidate, PromptKind};
use super::search;
use super::session::Session;
use super::state::State;

/// The most candidates that a prompt offers.
const CANDIDATES: usize = 50;

/// If the typed line of the open prompt has changed: finds the prompt's candidates again, or filters the table again.
pub(super) fn refresh(state: &mut State) {
    let session = std::sync::Arc::clone(&state.session);
    let Some(prompt) = state.prompt_mut().filter(|prompt| prompt.is_stale) else { return };
    prompt.is_stale = false;
    prompt.candidates = match prompt.kind {
        PromptKind::Palette => commands(&prompt.text),
        PromptKind::Search => names(&session, &prompt.text),
        PromptKind::Time => Vec::new(),
        PromptKind::Filter => {
            let text = prompt.text.clone();
            return state.filter_table(&text);
        }
    };
    prompt.chosen = prompt.chosen.min(prompt.candidates.len().saturating_sub(1));
}

/// The commands whose title or id matches `text` fuzzily, best match first, at most [`CANDIDATES`]; for an empty text the first
/// ones of the command table. Without commands that apply only in prompts, lists and the help.
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
    let candidates = found.into_iter().map(|(_, at, command)| Candidate {
        title: SafeText::new(command.title).into_owned(),
        note: SafeText::from(command.key_labels(false).join(" ")),
        value: Some(at),
    });
    candidates.take(CANDIDATES).collect()
}

/// The candidates of the search prompt: the event names that match `text`, best first; before them, if there are several, one
/// candidate that stands for all matching names.
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
    SafeText::from(fmt::counted(n, "event"))
}
