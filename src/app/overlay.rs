//! What lies over the screen: help, prompts with candidates, lists to choose from.

use crate::base::text::SafeText;
use crate::model::SliceId;

/// What lies over the screen.
#[derive(Debug)]
pub enum Overlay {
    /// The keys; `0` is the first line shown.
    Help(usize),
    /// A line being typed.
    Prompt(Prompt),
    /// Links to choose from.
    List(List),
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
    /// The candidate chosen.
    pub chosen: usize,
}

/// One thing that a typed line could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is shown.
    pub title: SafeText<'static>,
    /// What is shown beside it, dim.
    pub note: SafeText<'static>,
    /// A command's place in the table, or a name's number; `None` takes all candidates at once.
    pub value: Option<usize>,
}

/// Things to choose from.
#[derive(Debug)]
pub struct List {
    /// What they are.
    pub title: SafeText<'static>,
    /// The things.
    pub choices: Vec<Choice>,
    /// The one chosen.
    pub chosen: usize,
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub title: SafeText<'static>,
    /// What tells it from the others.
    pub note: SafeText<'static>,
    /// Where it leads.
    pub target: SliceId,
}

impl Overlay {
    /// A list.
    pub fn list(title: SafeText<'static>, choices: Vec<Choice>) -> Self {
        Self::List(List { title, choices, chosen: 0 })
    }

    /// An empty prompt.
    pub fn prompt(kind: PromptKind) -> Self {
        Self::Prompt(Prompt { kind, text: String::new(), candidates: Vec::new(), chosen: 0 })
    }
}
