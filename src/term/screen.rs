//! Owns the output of frames: converts each drawn buffer to one block of bytes (a synchronized update), which a thread of its own
//! writes, so that the loop never waits for the terminal.
//! Must not know what is drawn.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossbeam_channel::{Receiver, Sender, bounded};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::base::leave::leave;

use super::Event;
use super::caps::Depth;
use super::emergency::HANGUP_CODE;
use super::encode::Encoder;
use super::guard::{Entered, Guard};
use super::pace::{FramePermit, Pace};
use super::thread::start;

/// The least time between the starts of two frames.
const INTERVAL: Duration = Duration::from_millis(16);
/// The longest pause after a frame was written.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The screen, used by the UI thread only. Dropping it restores the terminal.
pub struct Screen {
    encoder: Encoder,
    buffer: Buffer,
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
        let pace = Arc::new(Pace::new(INTERVAL, LONGEST_PAUSE));
        let (frames, queue) = bounded(1);
        let (for_writer, its_pace) = (Arc::clone(guard), Arc::clone(&pace));
        let wake = move || drop(events.try_send(M::from(Event::Wake)));
        start("screen", move || write_frames(&for_writer, &its_pace, &queue, wake))?;
        let entered = guard.enter()?;
        let size = guard.size();
        let guard = Arc::clone(guard);
        Ok(Self {
            encoder: Encoder::new(depth, size),
            buffer: empty(size),
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
    pub(super) fn refresh(&mut self) -> Option<(u16, u16)> {
        if !self.guard.pulse.take_stale() {
            return None;
        }
        self.is_empty = true;
        let size = self.guard.size();
        (self.encoder, self.buffer) = (Encoder::new(self.depth, size), empty(size));
        let changed = size != self.size;
        self.size = size;
        changed.then_some(size)
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

    /// Draws one frame and hands its bytes to the writing thread, without waiting for the terminal. `render` draws into an empty buffer
    /// and returns the area whose lines may have moved since the last frame. Call only when `permit` allows.
    pub fn draw(&mut self, render: impl FnOnce(&mut Buffer) -> Rect) -> io::Result<()> {
        self.is_draw_due = false;
        self.buffer.reset();
        let moving = render(&mut self.buffer);
        let mut frame = self.clip.take().unwrap_or_default().into_bytes();
        frame.extend_from_slice(b"\x1b[?2026h");
        if std::mem::take(&mut self.is_empty) {
            frame.extend_from_slice(b"\x1b[0m\x1b[2J");
            self.encoder = Encoder::new(self.depth, self.size);
        }
        frame.extend_from_slice(self.encoder.frame(&self.buffer, moving).as_bytes());
        frame.extend_from_slice(b"\x1b[?2026l");
        self.pace.start(Instant::now());
        self.frames.send(frame).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn empty((width, height): (u16, u16)) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
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
