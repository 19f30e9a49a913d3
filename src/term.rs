//! Owns the terminal: entering and leaving it, reading keys, writing frames, signals, hang-ups,
//! panics, and the loop that ties them together. The only module that names crossterm.
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

use crossbeam_channel::{Receiver, RecvTimeoutError};

pub use guard::Guard;
pub use input::Input;
use pace::Turn;
pub use screen::Screen;
pub use tty::OpenError;

/// The most messages that are taken before a frame gets its chance.
const BATCH: usize = 1024;

/// What the terminal's threads send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A person did something.
    Input(Input),
    /// Nothing happened that the application must know: the loop should look around.
    Wake,
    /// A thread other than the UI's died; its job failed. Name, text and place, on one line.
    WorkerPanicked(String),
    /// The keyboard can no longer be read, and why.
    InputLost(String),
}

/// What an update asks of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing visible changed.
    Idle,
    /// The screen is to be drawn again.
    Draw,
    /// All of it is to be drawn, whatever the terminal shows.
    Redraw,
    /// The program is to end.
    Quit,
}

/// What the loop drives.
pub trait App {
    /// All that can happen to it.
    type Message: From<Event>;
    /// Takes in one message.
    fn update(&mut self, message: Self::Message) -> Step;
    /// Draws the state as it is; changes nothing.
    fn draw(&self, frame: &mut ratatui::Frame<'_>);
    /// Text for the clipboard of the person's terminal, once.
    fn take_clip(&mut self) -> Option<String> {
        None
    }
}

/// Blocks for a message, takes what else is queued, updates, and draws once if something changed
/// and the terminal has taken the last frame. Never ticks: idle, it neither wakes nor writes.
pub fn run<A: App>(app: &mut A, messages: &Receiver<A::Message>, screen: &mut Screen) -> io::Result<()> {
    let mut dirty = true;
    loop {
        if let Some((width, height)) = screen.refresh()? {
            let resized = Event::Input(Input::Resize(width, height));
            if app.update(resized.into()) == Step::Quit {
                return Ok(());
            }
        }
        dirty |= screen.is_fresh();
        let turn = if dirty { screen.may_draw() } else { Turn::Busy };
        let first = match turn {
            Turn::Now => {
                if let Some(text) = app.take_clip() {
                    screen.copy(&text);
                }
                screen.draw(|frame| app.draw(frame))?;
                dirty = false;
                continue;
            }
            Turn::Busy => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Turn::Later(wait) => messages.recv_timeout(wait),
        };
        screen.turn();
        let first = match first {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        for message in std::iter::once(first).chain(messages.try_iter().take(BATCH)) {
            match app.update(message) {
                Step::Idle => {}
                Step::Draw => dirty = true,
                Step::Redraw => screen.mark_stale(),
                Step::Quit => return Ok(()),
            }
        }
    }
}
