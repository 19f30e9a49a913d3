//! The interface between the explorer and whoever runs it: messages go in, effects come out.
//!
//! Must not know who sends a message or how an effect is carried out.

use std::sync::Weak;

use proftui_trace::import::TraceFiles;

use super::jobs::{Ended, Job, Kind};
use crate::app::input::key::Key;
use crate::app::input::mouse::Mouse;
use crate::app::marking::keeping::Kept;
use crate::app::session::Session;
use crate::app::session::loading::{LoadError, LoadProgress};
use crate::app::session::traces::Traces;

/// A message to the explorer: everything that can happen to it.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed, or repeats while it is held.
    Key(Key),
    /// The left button went down or up, the mouse moved with that button down, or the wheel moved.
    Mouse(Mouse),
    /// What became of a file that was to be written or edited, in one line for the footer.
    Exported(String),
    /// Text was pasted; it may hold any characters, also control characters.
    Paste(String),
    /// The screen has this many columns and lines now.
    Resize(u16, u16),
    /// A thread of the terminal woke the loop that draws; the explorer ignores this message.
    Wake,
    /// The keyboard can no longer be read, for this reason.
    KeyboardLost(String),
    /// A thread other than the one that draws panicked: its name, the panic's text and source location, on
    /// one line.
    WorkerPanicked(String),
    /// The traces to choose from, and which of them is loaded next.
    Traces(Traces),
    /// The progress of the load, sent from time to time while a trace is loaded.
    Progress(LoadProgress),
    /// The estimated cost of loading a large file, in one line; sent before the trace is loaded.
    Preflight(String),
    /// What an earlier session kept of the trace that is being loaded, empty if it kept nothing; comes before
    /// the trace, and only if this session is to be kept, too.
    Earlier(Box<Kept>),
    /// A snapshot: the part of the trace that has been read so far.
    Snapshot(Box<Session>),
    /// Loading is done: with the trace, or with the reason why there is none.
    Loaded(Box<Result<Session, LoadError>>),
    /// A file of this session has changed on disk since it was loaded, or is gone.
    FilesChanged(Weak<Session>),
    /// A job that [`Effect::Run`] asked for has ended, with or without a result.
    Done(Box<Ended>),
    /// A job of this kind has outlasted [`Kind::patience`] and still runs.
    IsSlow(Kind),
}

/// What [`Effect::Export`] writes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// A picture of the screen, in the format that the ending of the path states: `.txt`, `.ansi`, `.svg` or
    /// `.html`.
    Screen,
    /// This text, unchanged.
    Text(String),
}

/// An effect: what the explorer asks of whoever runs it, after a message.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Draw the screen: something visible changed.
    Draw,
    /// Draw the whole screen again, every cell, as the terminal may show something else.
    Redraw,
    /// Search again for the traces that the user named, and load one of them, usually the one shown. Answered
    /// by [`Msg::Loaded`] at the end.
    Load,
    /// Load these files; answered by [`Msg::Loaded`] at the end.
    OpenTrace(Box<TraceFiles>),
    /// Check from time to time the files from which this session reads events again; answered by
    /// [`Msg::FilesChanged`] once a file has changed or is gone.
    WatchFiles(Weak<Session>),
    /// Run a job on another thread; answered by [`Msg::Done`].
    Run(Box<Job>),
    /// Switch bracketed paste on (true) or off: the terminal then marks pasted text.
    MarkPaste(bool),
    /// Have the terminal report what the mouse does (true), or not.
    Mouse(bool),
    /// Draw in the next theme; answered by [`Msg::Exported`] with the theme's name.
    NextTheme,
    /// Write a file at this path, which is as the user typed it; a file that exists is not replaced. Answered
    /// by [`Msg::Exported`].
    Export(String, Exported),
    /// Write this text to the file that keeps the session's marks, if there is one. Answered by
    /// [`Msg::Exported`] only if the file cannot be written.
    KeepMarks(String),
    /// Write this text to what keeps this session for the next time, or remove that if the text is empty. No
    /// message answers.
    KeepSession(String),
    /// Put a text on the clipboard of the user's terminal.
    Copy(String),
    /// Open the file at this path, as a trace names it, at this line in the user's editor. Answered by
    /// [`Msg::Exported`] if that is not possible.
    Edit(String, String),
    /// Suspend the program and give the terminal to the shell.
    Suspend,
    /// End the program with success.
    Quit,
    /// End the program with an error, for this reason.
    Fail(String),
}
