//! What lies over the screen: help, prompts with candidates, lists to choose from.

use crate::base::text::SafeText;
use crate::model::SliceId;

/// What lies over the screen.
#[derive(Debug)]
pub enum Overlay {
    /// The help.
    Help(Help),
    /// A line being typed.
    Prompt(Prompt),
    /// Links to choose from.
    List(List),
}

/// The help, a list of all keys.
#[derive(Debug)]
pub struct Help {
    /// The first line shown, from 0.
    pub top: usize,
    /// How many lines there are.
    pub len: usize,
}

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A command, by its title.
    Palette,
    /// A name to search.
    Search,
    /// A time to go to.
    Time,
    /// Part of the rows of a summary.
    Filter,
}

impl PromptKind {
    /// What stands before the typed text.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Palette => ":",
            Self::Search => "/",
            Self::Time => "go to ",
            Self::Filter => "rows like ",
        }
    }

    /// What may be typed.
    pub fn help(self) -> &'static str {
        match self {
            Self::Palette => "type part of a command",
            Self::Search => {
                "type part of an event's name; the first line takes all names shown, or choose one"
            }
            Self::Filter => "type part of a name; only rows like it are shown",
            Self::Time => "a time from the trace's start (12.5ms), from the cursor (+3us), or a step (#12)",
        }
    }
}

/// A line being typed, and what it stands for so far.
#[derive(Debug)]
pub struct Prompt {
    /// What it is for.
    pub kind: PromptKind,
    /// What was typed.
    pub text: String,
    /// What it could mean, best first.
    pub candidates: Vec<Candidate>,
    /// The candidate chosen, an index into `candidates`.
    pub chosen: usize,
    /// True when the text has changed since the candidates were found.
    pub(super) is_stale: bool,
}

impl Prompt {
    /// Appends a character, up to a length that nobody types.
    pub(super) fn push(&mut self, typed: char) {
        if self.text.len() < 1000 {
            self.text.push(typed);
            self.chosen = 0;
            self.is_stale = true;
        }
    }
}

/// One thing that a typed line could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is shown.
    pub title: SafeText<'static>,
    /// What is shown beside it, dim.
    pub note: SafeText<'static>,
    /// A command's number in the table of commands, or a name's number in the trace's strings; `None` stands for all candidates.
    pub value: Option<usize>,
}

/// Things to choose from.
#[derive(Debug)]
pub struct List {
    /// What they are.
    pub title: SafeText<'static>,
    /// The things.
    pub items: Vec<ListItem>,
    /// The one chosen.
    pub chosen: usize,
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// Its name.
    pub title: SafeText<'static>,
    /// What tells it from the others.
    pub note: SafeText<'static>,
    /// Where it leads.
    pub target: SliceId,
}

impl Overlay {
    /// A list.
    pub fn list(title: SafeText<'static>, items: Vec<ListItem>) -> Self {
        Self::List(List { title, items, chosen: 0 })
    }

    /// An empty prompt.
    pub fn prompt(kind: PromptKind) -> Self {
        Self::Prompt(Prompt {
            kind,
            text: String::new(),
            candidates: Vec::new(),
            chosen: 0,
            is_stale: kind == PromptKind::Palette,
        })
    }
}
