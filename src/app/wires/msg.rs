//! The interface between the explorer and whoever runs it: messages go in, effects come out.
//!
//! Must not know who sends a message or how an effect is carried out.

use std::sync::Weak;

use proftui_trace::import::TraceFiles;

use super::jobs::{Ended, Job, Kind};
use crate::app::input::key::Key;
use crate::app::input::mouse::Mouse;
use crate::app::session::Session;
use crate::app::session::loading::{LoadError, LoadProgress};
use crate::app::session::traces::Traces;

/// A message to the explorer: everything that can happen to it.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// The mouse did something.
    Mouse(Mouse),
    /// A file that [`Effect::Export`] asked for was written, or why not; in one line.
    Exported(String),
    /// Text was pasted; it may hold anything.
    Paste(String),
    /// The screen has this many columns and lines now.
    Resize(u16, u16),
    /// No content: a thread of the terminal wakes the loop.
    Wake,
    /// The keyboard can no longer be read, for this reason.
    KeyboardLost(String),
    /// A thread panicked: its name, the panic's text and source location, on one line.
    WorkerPanicked(String),
    /// The traces to choose from and the one that is loaded; sent before it is loaded.
    Traces(Traces),
    /// The progress of the load, sent from time to time.
    Progress(LoadProgress),
    /// The estimated cost of loading one file, in one line; sent before the file is read.
    Preflight(String),
    /// A snapshot: the part of the trace that has been read so far.
    Snapshot(Box<Session>),
    /// Loading is done, with the whole trace or the reason why there is none.
    Loaded(Box<Result<Session, LoadError>>),
    /// A file of this session has changed on disk since it was loaded.
    FilesChanged(Weak<Session>),
    /// A job that [`Effect::Run`] asked for has ended.
    Done(Box<Ended>),
    /// A job of this kind has outlasted [`Kind::patience`] and still runs; sent again from time to time if
    /// [`Kind::has_progress`].
    IsSlow(Kind),
}

/// What is written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// A picture of the screen, of the kind that the ending of the path states.
    Screen,
    /// A text, as it is.
    Text(String),
}

/// An effect: what the explorer asks of whoever runs it, after a message.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Draw the screen: something visible changed.
    Draw,
    /// Draw the whole screen again, every cell, as the terminal may show something else.
    Redraw,
    /// Load the trace shown again, after its directory was read again; answered by [`Msg::Traces`],
    /// [`Msg::Preflight`], [`Msg::Progress`], [`Msg::Snapshot`] and at the end [`Msg::Loaded`].
    Load,
    /// Load these files instead of the trace shown; answered like [`Effect::Load`].
    OpenTrace(Box<TraceFiles>),
    /// Check the files of this session from time to time, as long as the session exists; answered by
    /// [`Msg::FilesChanged`] when one changes.
    WatchFiles(Weak<Session>),
    /// Run a job on another thread; answered by [`Msg::Done`], preceded by [`Msg::IsSlow`] if it takes long.
    /// The explorer asks for the next job of a kind only after the answer.
    Run(Box<Job>),
    /// Switch bracketed paste on (true) or off: the terminal then marks pasted text.
    MarkPaste(bool),
    /// Have the terminal report what the mouse does (true), or not.
    Mouse(bool),
    /// Write a file, at the path as the user typed it; answered by [`Msg::Exported`].
    Export(String, Exported),
    /// Write the marks to the file of the session, which has this text then.
    KeepMarks(String),
    /// Put a text on the clipboard of the user's terminal.
    Copy(String),
    /// Suspend the program and give the terminal to the shell.
    Suspend,
    /// End the program with success.
    Quit,
    /// End the program with an error, for this reason.
    Fail(String),
}
