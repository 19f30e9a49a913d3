//! Owns the terminal: entering and leaving it, reading keys, writing frames, signals, hang-ups,
//! panics, and the event loop of the UI thread.
//! Must not know the application's state, commands or screens.
//!
//! Threads; what they report to the UI thread goes over one bounded channel of the application's messages:
//!
//! | thread    | does                                                    | ends the program with      |
//! |-----------|---------------------------------------------------------|----------------------------|
//! | UI        | [`run`]: takes messages, updates, draws into a buffer   | its own code, 101 on panic |
//! | `screen`  | writes frames, one at a time ([`screen`])               | 129 on a write error       |
//! | `input`   | reads keys ([`input`])                                  | 0 on Ctrl-C                |
//! | `signals` | handles stops, continuing and resizes ([`signals`])     | -                          |
//! | `hangup`  | watches the terminal ([`hangup`])                       | 129                        |
//! | any       | is interrupted by a signal that ends the program        | the same signal; HUP: 129  |
//!
//! No thread waits for the terminal without a limit: [`guard`] writes to a file description of its
//! own that does not block. The order of calls at the start is: [`Guard::open`], [`panic::install`],
//! [`signals::watch`], [`hangup::watch`], [`Screen::enter`], [`input::read`], [`run`].

pub mod caps;
mod command;
mod emergency;
pub mod encode;
pub mod guard;
pub mod hangup;
pub mod input;
mod keys;
mod last;
mod link;
mod modes;
pub mod pace;
pub mod panic;
pub mod pulse;
mod repeat;
pub mod screen;
pub mod signals;
mod thread;
mod translate;
mod tty;

use std::io;
use std::ops::ControlFlow;

use crossbeam_channel::{Receiver, RecvTimeoutError};
use ratatui::buffer::Buffer;

pub use guard::Guard;
use pace::FramePermit;
pub use screen::Screen;
pub use tty::OpenError;

use crate::app::input::key::Key;
use crate::app::input::mouse::Mouse;
use crate::ui::theme::Detail;
use proftui_base::fault::{self, Point};

/// The most messages, beside the one that it waited for, that the loop handles before it checks whether to
/// draw a frame.
const BATCH: usize = 1024;

/// A message of this module to the application, such as a key or a new size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key other than Ctrl-C was pressed or repeats.
    Key(Key),
    /// The left button or the wheel of the mouse was used.
    Mouse(Mouse),
    /// Text was pasted; it must not be trusted.
    Paste(String),
    /// The size to draw is now this many columns and lines.
    Resize(u16, u16),
    /// Wakes the loop to check for a frame to draw; the application can ignore the event.
    Wake,
    /// A thread other than the UI's panicked: its name, the panic's text and source location, on one line.
    WorkerPanicked(String),
    /// The keyboard can no longer be read, for this reason.
    KeyboardLost(String),
}

/// The application that the loop drives.
pub trait App {
    /// The type of the messages that the application handles, among them the terminal's events.
    type Message: From<Event>;
    /// Handles one message. Requests a frame from `screen` if something visible changed; returns `Break` to
    /// end the loop.
    fn update(&mut self, message: Self::Message, screen: &mut Screen) -> ControlFlow<()>;
    /// Draws the application's present state into `buffer`, which is blank and as large as the screen;
    /// `detail` says how much to draw.
    fn draw(&self, buffer: &mut Buffer, detail: Detail);
}

/// Runs the event loop until `app` ends it or all senders of messages are gone. An error if frames can no
/// longer be written.
pub fn run<A: App>(app: &mut A, messages: &Receiver<A::Message>, screen: &mut Screen) -> io::Result<()> {
    loop {
        if let Some((width, height)) = screen.refresh()
            && app.update(Event::Resize(width, height).into(), screen).is_break()
        {
            return Ok(());
        }
        let first = match screen.permit() {
            FramePermit::Now => {
                fault::at(Point::Draw);
                screen.draw(|buffer, detail| app.draw(buffer, detail))?;
                continue;
            }
            FramePermit::WhenWritten => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            FramePermit::After(wait) => messages.recv_timeout(wait),
        };
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
