//! Owns the terminal: entering and leaving it, reading keys, writing frames, signals, hang-ups,
//! panics, and the loop over them all. The only module that names crossterm.
//! Must not know the application's state, commands or screens.
//!
//! Threads, all of which talk over one bounded channel of the application's messages:
//!
//! | thread    | does                                                    | ends the program with      |
//! |-----------|---------------------------------------------------------|----------------------------|
//! | UI        | [`run`]: takes messages, updates, draws into a buffer   | its own code, 101 on panic |
//! | `screen`  | writes frames, one at a time ([`screen`])               | 129 on a write error       |
//! | `input`   | reads keys ([`input`])                                  | -                          |
//! | `signals` | owns every signal ([`signals`])                         | the same signal; HUP: 129  |
//! | `hangup`  | watches the terminal ([`hangup`])                       | 129                        |
//!
//! Nobody ever waits for the terminal without a limit: [`guard`] writes on a description of its
//! own that does not block. The order at the start is: [`Guard::open`], [`panic::install`],
//! [`signals::watch`], [`hangup::watch`], [`Screen::enter`], [`input::read`], [`run`].

pub mod caps;
pub mod guard;
pub mod hangup;
pub mod input;
pub mod pace;
pub mod panic;
pub mod pulse;
pub mod screen;
pub mod signals;
mod tty;

use std::io;
use std::ops::ControlFlow;

use crossbeam_channel::{Receiver, RecvTimeoutError};

pub use guard::Guard;
use pace::FramePermit;
pub use screen::Screen;
pub use tty::OpenError;

use crate::app::key::Key;

/// The most messages that are taken before a frame gets its chance.
const BATCH: usize = 1024;

/// Everything that the terminal's threads report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed or repeats.
    Key(Key),
    /// Text was pasted while bracketed paste was on. Not to be trusted: it may hold anything.
    Paste(String),
    /// The size to draw is now this many columns and lines; sent by the loop, always the newest.
    Resize(u16, u16),
    /// Nothing happened that the application must know; only wakes the loop, which then looks at the screen's marks.
    Wake,
    /// A thread other than the UI's panicked: its name, the panic's text and source location, on one line.
    WorkerPanicked(String),
    /// The keyboard can no longer be read, and why.
    KeyboardLost(String),
}

/// The application that the loop drives.
pub trait App {
    /// All that can happen to it.
    type Message: From<Event>;
    /// Takes in one message. It asks `screen` for a frame where something visible changed, and breaks to end the loop.
    fn update(&mut self, message: Self::Message, screen: &mut Screen) -> ControlFlow<()>;
    /// Draws the state as it is; changes nothing.
    fn draw(&self, frame: &mut ratatui::Frame<'_>);
}

/// Blocks for a message, takes what else is queued, updates, and draws once if a frame was asked for
/// and the terminal has taken the last one. Never ticks: idle, it neither wakes nor writes.
pub fn run<A: App>(app: &mut A, messages: &Receiver<A::Message>, screen: &mut Screen) -> io::Result<()> {
    loop {
        if let Some((width, height)) = screen.refresh()?
            && app.update(Event::Resize(width, height).into(), screen).is_break()
        {
            return Ok(());
        }
        let permit = if screen.is_draw_due() { screen.permit() } else { FramePermit::WhenWritten };
        let first = match permit {
            FramePermit::Now => {
                screen.draw(|frame| app.draw(frame))?;
                continue;
            }
            FramePermit::WhenWritten => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            FramePermit::After(wait) => messages.recv_timeout(wait),
        };
        screen.end_round();
        let first = match first {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        for message in std::iter::once(first).chain(messages.try_iter().take(BATCH)) {
            if app.update(message, screen).is_break() {
                return Ok(());
            }
        }
    }
}
