//! Overlays, which cover a part of the screen: the help, prompts with candidates, lists to choose from.
//!
//! Must not know how an overlay is drawn, nor where candidates come from.

use proftui_base::dispose::Disposed;
use proftui_base::text::SafeText;
use proftui_trace::model::SliceId;

use super::group_choice::GroupChoice;

/// From this number of items on, a list is freed on a new thread, not on the one that drops it.
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

/// The help, which lists the commands with their keys: how far it is scrolled, and what was typed to find a
/// command.
#[derive(Debug, Default)]
pub struct Help {
    /// The index, from 0, of the line that is shown first, unless too few lines follow it to fill the screen.
    pub top: usize,
    /// The words typed in the help: it lists only commands whose title, id, keys and other words contain all
    /// of them.
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
    /// Showing only the rows of a summary that match the typed text.
    Filter,
    /// Showing only the lanes that match the typed words.
    Lanes,
    /// Writing a picture of the screen, or the table of the pane, to a file.
    Export,
    /// Writing to a file what the command that copies would copy.
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
            Self::Palette => "type part of a command's name",
            Self::Search => "words, re: dur>100us cat: lane: stream: step: arg:key=value, also with not",
            Self::Mark => "type what to remember of the time at the cursor, or nothing",
            Self::Filter => "type part of a text in the rows to show only rows that match",
            Self::Lanes => "type words, also with not, to filter lanes by their names",
            Self::Export => "a file: .svg .html .ansi .txt of the screen, .csv .md .json of the table",
            Self::CopyTo => "type the name of a file for what the command that copies would copy",
            Self::SaveMarks => "type the name of a file; open --session FILE reads it again",
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
    /// The candidates found last, for the typed line or, while a job runs, for an earlier one: best first,
    /// after the one that stands for all, if any; in the palette, if nothing is typed, all commands in the
    /// order of the command table. Empty in a prompt without candidates, and if nothing matches.
    pub candidates: Vec<Candidate>,
    /// The chosen candidate, an index into `candidates`; 0 if there are none.
    pub chosen: usize,
    /// In the prompt that searches: how many events the typed line would find and their total time, that
    /// files are read to know it, or what is wrong with the line. Empty before the first result, for an empty
    /// line, and in other prompts.
    pub status: String,
    /// True if candidates are to be found, or rows or lanes filtered, for the present text and session; false
    /// once that has begun.
    pub(crate) is_stale: bool,
}

impl Prompt {
    /// Appends a typed character, goes back to the first candidate, and notes that the candidates are to be
    /// found again; does nothing if the line is full.
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

/// A candidate of a prompt: a command, an event name, all matching event names, or all events that meet the
/// typed fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The candidate's text: a command's title, an event name, or words that stand for all names or events.
    pub title: SafeText<'static>,
    /// A note at the right of the text: the keys of a command, or the number of events with the name or
    /// names; may be empty.
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

/// One item of a list: an event, a trace, what summaries can cover (all, a worker, process, device or lane),
/// or a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// The name of the event, of the trace's first file, or of the worker, process or device; the name of a
    /// lane after `the focused lane: `; `all` for all lanes; the text of the mark.
    pub title: SafeText<'static>,
    /// What distinguishes the item. Of an event its queue delay or relation to the selected event or gap, its
    /// duration and its lane; of a trace its length and date, as far as known; of all lanes and of a worker
    /// the numbers of processes and devices, of a process or device those of threads or streams and of
    /// events, of a lane that of events; of a mark its time since the trace's start.
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
