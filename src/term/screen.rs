//! Owns the output of frames: converts each drawn buffer to one block of bytes (a synchronized update), which a thread of its own
//! writes, so that the loop never waits for the terminal.
//! Must not know what is drawn.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossbeam_channel::{Receiver, Sender, bounded};
use crossterm::style::force_color_output;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Cell;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use crate::base::leave::leave;

use super::Event;
use super::caps::Depth;
use super::emergency::HANGUP_CODE;
use super::guard::{Entered, Guard};
use super::pace::{FramePermit, Pace};
use super::thread::start;

/// The least time between the starts of two frames.
const INTERVAL: Duration = Duration::from_millis(16);
/// The longest pause after a frame was written.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Buffer for the bytes of one frame, shared with the terminal library, which fills it.
#[derive(Clone, Debug, Default)]
struct Bytes(Rc<RefCell<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The screen, used by the UI thread only. Dropping it restores the terminal.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Bytes>>,
    bytes: Bytes,
    size: (u16, u16),
    depth: Depth,
    /// True when the terminal may no longer show the last frame, so that the next one clears the screen and draws every cell.
    is_empty: bool,
    /// True when a frame was asked for.
    is_draw_due: bool,
    clip: Option<String>,
    pace: Arc<Pace>,
    frames: Sender<Vec<u8>>,
    guard: Arc<Guard>,
    _entered: Entered,
}

impl Screen {
    /// Enters the terminal and starts the thread that writes frames; the thread wakes the loop by [`Event::Wake`] through
    /// `events`.
    pub fn enter<M>(guard: &Arc<Guard>, depth: Depth, events: Sender<M>) -> io::Result<Self>
    where
        M: From<Event> + Send + 'static,
    {
        // crossterm on its own obeys NO_COLOR, even if an option asks for colours.
        force_color_output(depth != Depth::Mono);
        let pace = Arc::new(Pace::new(INTERVAL, LONGEST_PAUSE));
        let (frames, queue) = bounded(1);
        let (for_writer, its_pace) = (Arc::clone(guard), Arc::clone(&pace));
        let wake = move || drop(events.try_send(M::from(Event::Wake)));
        start("screen", move || write_frames(&for_writer, &its_pace, &queue, wake))?;
        let entered = guard.enter()?;
        let (bytes, size) = (Bytes::default(), guard.size());
        let terminal = terminal(&bytes, size)?;
        let guard = Arc::clone(guard);
        Ok(Self {
            terminal,
            bytes,
            size,
            depth,
            is_empty: true,
            is_draw_due: true,
            clip: None,
            pace,
            frames,
            guard,
            _entered: entered,
        })
    }

    /// The size to draw: columns and lines.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Requests a frame that draws every cell anew.
    pub fn mark_stale(&self) {
        self.guard.pulse.mark_stale();
    }

    /// Requests a frame, to be drawn as soon as `permit` allows.
    pub fn request_draw(&mut self) {
        self.is_draw_due = true;
    }

    /// True when a frame was requested or the whole screen must be drawn.
    pub(super) fn is_draw_due(&self) -> bool {
        self.is_draw_due || self.is_empty
    }

    /// If the screen is marked as stale, prepares to draw all of it anew; returns its new size, in columns and lines, if the size
    /// has changed.
    pub(super) fn refresh(&mut self) -> io::Result<Option<(u16, u16)>> {
        if !self.guard.pulse.take_stale() {
            return Ok(None);
        }
        self.is_empty = true;
        let size = self.guard.size();
        self.terminal = terminal(&self.bytes, size)?;
        let changed = size != self.size;
        self.size = size;
        Ok(changed.then_some(size))
    }

    /// Asks whether a frame may be drawn now.
    pub(super) fn permit(&self) -> FramePermit {
        self.pace.permit(Instant::now())
    }

    /// Requests a frame that also puts `text` on the terminal's clipboard by OSC 52, which works through SSH and, if allowed
    /// there, tmux. Terminals without OSC 52 ignore it.
    pub fn copy(&mut self, text: &str) {
        self.is_draw_due = true;
        self.clip = Some(format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)));
    }

    /// Draws one frame and hands its bytes to the writing thread, without waiting for the terminal. Call only when
    /// `permit` allows.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.is_draw_due = false;
        let mono = self.depth == Depth::Mono;
        self.bytes.0.borrow_mut().clear();
        if let Some(clip) = self.clip.take() {
            self.bytes.write_all(clip.as_bytes())?;
        }
        self.bytes.write_all(b"\x1b[?2026h")?;
        if std::mem::take(&mut self.is_empty) {
            self.bytes.write_all(b"\x1b[0m\x1b[2J")?;
        }
        self.terminal.draw(|frame| {
            render(frame);
            for cell in &mut frame.buffer_mut().content {
                scrub(cell, mono);
            }
        })?;
        self.bytes.write_all(b"\x1b[?2026l")?;
        self.pace.start(Instant::now());
        let frame = std::mem::take(&mut *self.bytes.0.borrow_mut());
        self.frames.send(frame).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Builds the terminal library's terminal with a fixed size, since the size that the library would query is not clamped.
fn terminal(bytes: &Bytes, (width, height): (u16, u16)) -> io::Result<Terminal<CrosstermBackend<Bytes>>> {
    let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
    Terminal::with_options(CrosstermBackend::new(bytes.clone()), TerminalOptions { viewport })
}

/// The body of the thread that writes frames; ends the program when writing to the terminal fails.
fn write_frames(guard: &Guard, pace: &Pace, queue: &Receiver<Vec<u8>>, wake: impl Fn()) {
    while let Ok(frame) = queue.recv() {
        match guard.write_frame(&frame) {
            Ok(true) => {}
            Ok(false) => guard.pulse.mark_stale(),
            Err(_) => {
                guard.restore();
                leave(HANGUP_CODE);
            }
        }
        if pace.finish(Instant::now()) {
            wake();
        }
    }
}

/// Replaces the text of a cell that has a control character by `?`, and removes the cell's colours if `mono`.
fn scrub(cell: &mut Cell, mono: bool) {
    let symbol = cell.symbol().as_bytes();
    let steers = |pair: &[u8]| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]);
    if symbol.iter().any(|b| *b < 0x20 || *b == 0x7f) || symbol.windows(2).any(steers) {
        cell.set_symbol("?");
    }
    if mono {
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
        cell.underline_color = Color::Reset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_scrubbed() {
        for (symbol, expected) in [
            ("a", "a"),
            ("é", "é"),
            ("█", "█"),
            ("\x1b[2J", "?"),
            ("\u{9b}", "?"),
            ("\t", "?"),
            ("\u{a0}", "\u{a0}"),
        ] {
            let mut cell = Cell::default();
            cell.set_symbol(symbol).set_fg(Color::Red);
            scrub(&mut cell, true);
            assert_eq!((cell.symbol(), cell.fg), (expected, Color::Reset), "{symbol:?}");
        }
    }
}
