//! The interface between the explorer and whoever runs it: messages go in, effects come out.
//!
//! Must not know who sends a message or how an effect is carried out.

use std::sync::Weak;

use super::jobs::{EventRead, ReadJob, Summary, SummaryJob};
use super::key::Key;
use super::loading::LoadProgress;
use super::session::Session;

/// A message to the explorer: everything that can happen to it.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted; it may hold anything.
    Paste(String),
    /// The screen has this many columns and lines now.
    Resize(u16, u16),
    /// Nothing happened: a thread of the terminal only wakes the loop.
    Wake,
    /// The keyboard can no longer be read, and why.
    KeyboardLost(String),
    /// A thread panicked: its name, the panic's text and source location, on one line.
    WorkerPanicked(String),
    /// Loading has come this far.
    Progress(LoadProgress),
    /// The cost of loading one file, in one line; comes before anything is read.
    Preflight(String),
    /// A snapshot: the part of the trace that has been read so far.
    Snapshot(Box<Session>),
    /// Loading is done, with the whole trace or the reason why there is none.
    Loaded(Box<Result<Session, String>>),
    /// A file of this session is no longer the one that was loaded.
    FilesChanged(Weak<Session>),
    /// A summary was made.
    Summarized(Box<Summary>),
    /// An event was read again.
    EventRead(Box<EventRead>),
    /// Reading an event has taken about a tenth of a second and goes on.
    ReadIsSlow,
}

/// An effect: what the explorer asks of whoever runs it, after a message.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Draw the screen: something visible changed.
    Draw,
    /// Draw every cell anew, whatever the terminal shows.
    Redraw,
    /// Load the files, the first time or again; answered by [`Msg::Preflight`], [`Msg::Progress`], [`Msg::Snapshot`] and at the
    /// end [`Msg::Loaded`].
    Load,
    /// Look at the files of this session now and then, as long as it is open; answered by [`Msg::FilesChanged`].
    WatchFiles(Weak<Session>),
    /// Make a summary; answered by [`Msg::Summarized`]. The next one is asked for after the answer.
    Summarize(SummaryJob),
    /// Read an event again; answered by [`Msg::EventRead`], before it by [`Msg::ReadIsSlow`] if that takes long. The next
    /// one is asked for after the answer.
    ReadEvent(ReadJob),
    /// Switch the terminal's marks around pasted text (bracketed paste) on or off.
    MarkPaste(bool),
    /// Put a text on the clipboard of the person's terminal.
    Copy(String),
    /// Suspend the program and give the terminal to the shell.
    Suspend,
    /// End the program with success.
    Quit,
    /// End the program with an error, for this reason.
    Fail(String),
}
