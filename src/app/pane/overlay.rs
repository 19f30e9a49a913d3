//! Overlays, which cover a part of the screen: the help, prompts with candidates, lists to choose from.
//!
//! Must not know how an overlay is drawn, nor where candidates come from.

use proftui_base::dispose::Disposed;
use proftui_base::text::SafeText;
use proftui_trace::model::SliceId;

use super::group_choice::GroupChoice;
use crate::app::view::color::ColorBy;

/// From this number of items on, a list is usually freed on another thread.
const DISPOSED_ITEMS: usize = 1_000;

/// What covers a part of the screen: the help, a prompt or a list.
#[derive(Debug)]
pub enum Overlay {
    /// The help: the commands, with their keys.
    Help(Help),
    /// A line that the user types, in some prompts with candidates to choose from.
    Prompt(Prompt),
    /// A list to choose from: of events, traces, marks, or lanes that summaries can cover.
    List(List),
}

/// The most columns of the help with its frame.
pub const HELP_WIDTH: u16 = 104;

/// The state of the help, which lists the commands: what it says of what has the focus, the scroll position,
/// and the words typed to filter it.
#[derive(Debug, Default)]
pub struct Help {
    /// How far the help is scrolled: the index, from 0, of the line to be shown first, if enough follow it.
    pub top: usize,
    /// The sentences on what had the focus when the help was opened, in lines.
    pub of_focus: Vec<SafeText<'static>>,
    /// The terms of a search, each as one types it, in lines.
    pub of_search: Vec<SafeText<'static>>,
    /// The ids of the commands that applied when the help was opened.
    pub here: Vec<&'static str>,
    /// What the colours of events meant then.
    pub color_by: ColorBy,
    /// The words typed in the help, which then lists only the commands that match all of them.
    pub typed: String,
}

/// The number of bytes from which a typed line is full; characters typed into a full line are dropped.
const TYPED: usize = 1000;

impl Help {
    /// Appends a typed character and scrolls to the first line, unless the typed line is full.
    pub(crate) fn push(&mut self, typed: char) {
        if self.typed.len() < TYPED {
            self.typed.push(typed);
            self.top = 0;
        }
    }
}

/// The purpose of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Running a command, found by its title, its id or its other words.
    Palette,
    /// Searching events by words of names and by fields.
    Search,
    /// Going to a time or step.
    Time,
    /// Setting a mark, with a text, which may be empty.
    Mark,
    /// Filtering the top-level rows of a summary by the typed text.
    Filter,
    /// Showing only the lanes that match the typed words.
    Lanes,
    /// Writing a picture of the screen, or the table of the pane, to a file.
    Export,
    /// Writing to a file, in full, what the command that copies would copy.
    CopyTo,
    /// Writing the marks to a file.
    SaveMarks,
}

impl PromptKind {
    /// The text before the typed line, such as `/`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Palette => ":",
            Self::Search => "/",
            Self::Time => "go to ",
            Self::Mark => "mark: ",
            Self::Filter => "filter rows: ",
            Self::Lanes => "filter lanes: ",
            Self::Export => "export to: ",
            Self::CopyTo => "copy to: ",
            Self::SaveMarks => "save marks to: ",
        }
    }

    /// One line, of at most 74 characters, that explains what may be typed.
    pub fn help(self) -> &'static str {
        match self {
            Self::Palette => "type to find a command",
            Self::Search => "words of a name, cat: dur>1ms step: phase: line: grid>9 arg:key=x by: not",
            Self::Mark => "type a name for the mark at the cursor, or nothing for a number",
            Self::Filter => "type text to filter outer rows",
            Self::Lanes => "type words, also with not, to filter lanes by name, process or device",
            Self::Export => "a file: .svg .html .ansi .txt of the screen, .csv .md .json of the table",
            Self::CopyTo => "type a file's name to write what the copy command would copy, in full",
            Self::SaveMarks => "type the name of a file; open TRACE --session FILE sets its marks again",
            Self::Time => "type a time (12.5ms), a distance from the cursor (+3us) or a step (#12)",
        }
    }
}

/// A prompt: the typed line and its candidates.
#[derive(Debug)]
pub struct Prompt {
    /// What the typed line is used for.
    pub kind: PromptKind,
    /// The typed line so far.
    pub text: String,
    /// The candidates found last, in the order shown; empty in a prompt without candidates.
    pub candidates: Vec<Candidate>,
    /// The chosen candidate, an index into `candidates`; 0 if there are none.
    pub chosen: usize,
    /// What the search says about the typed line, such as how many events it would find; empty in other
    /// prompts.
    pub status: String,
    /// True if the present text is yet to be looked at, for candidates or as a filter.
    pub(crate) is_stale: bool,
}

impl Prompt {
    /// Appends a typed character, goes back to the first candidate, and notes that the line is to be looked
    /// at again, for candidates or as a filter; does nothing if the line is full.
    pub(crate) fn push(&mut self, typed: char) {
        if self.text.len() < TYPED {
            self.text.push(typed);
            self.chosen = 0;
            self.is_stale = true;
        }
    }

    /// Replaces the candidates; the choice keeps its index, or goes to the last candidate if there are fewer.
    pub(crate) fn offer(&mut self, candidates: Vec<Candidate>) {
        self.candidates = candidates;
        self.chosen = self.chosen.min(self.candidates.len().saturating_sub(1));
    }
}

/// A candidate of a prompt: a command, an event name, or all matching names or events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The candidate's text: a command's title, an event name, or words that stand for all names or events.
    pub title: SafeText<'static>,
    /// A note at the right of the text, such as a command's keys or a number of events; may be empty.
    pub note: SafeText<'static>,
    /// The command's index in the command table, or the name's number in the trace's strings; `None` stands
    /// for all matching names or events.
    pub value: Option<usize>,
}

/// A list to choose from: of events, traces, marks, or lanes that summaries can cover.
#[derive(Debug)]
pub struct List {
    /// The heading of the list.
    pub title: SafeText<'static>,
    /// The items, top to bottom.
    pub items: Disposed<Vec<ListItem>>,
    /// The chosen item, an index into `items`.
    pub chosen: usize,
}

/// One item of a list: an event, a trace, a choice of lanes that summaries can cover, or a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// The item's text, such as the name of an event or process, or the text of a mark.
    pub title: SafeText<'static>,
    /// What else distinguishes the item, such as an event's duration and lane, a trace's length, or a
    /// process's number of events.
    pub note: SafeText<'static>,
    /// What accepting the item goes to, opens or chooses.
    pub target: Target,
}

/// What accepting an item of a list goes to, opens or chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The event to go to.
    Event(SliceId),
    /// The trace to open, by its index in [`Traces::all`](crate::app::session::traces::Traces::all).
    Trace(usize),
    /// The lanes that summaries are to cover: all, or those of a worker, process or device, or one lane.
    Group(GroupChoice),
    /// The mark to return to, by its index in `Marks::list`.
    Mark(usize),
}

impl Overlay {
    /// An overlay with a list, the first item of which is chosen.
    pub fn list(title: SafeText<'static>, items: Vec<ListItem>) -> Self {
        Self::list_at(title, items, 0)
    }

    /// An overlay with a list, in which the item with the index `chosen` is chosen.
    pub(crate) fn list_at(title: SafeText<'static>, items: Vec<ListItem>, chosen: usize) -> Self {
        let is_large = items.len() >= DISPOSED_ITEMS;
        Self::List(List { title, items: Disposed::new(items, is_large), chosen })
    }

    /// An overlay with a prompt in which nothing has been typed.
    pub fn prompt(kind: PromptKind) -> Self {
        Self::Prompt(Prompt {
            kind,
            text: String::new(),
            candidates: Vec::new(),
            chosen: 0,
            status: String::new(),
            is_stale: kind == PromptKind::Palette,
        })
    }
}
