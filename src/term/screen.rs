//! Owns the output of frames: converts each drawn buffer to one block of bytes (a synchronized update), which
//! a thread of its own writes, so that the loop never waits for the terminal. Must not know what is drawn.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossbeam_channel::{Receiver, Sender, bounded};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::theme::Detail;
use proftui_base::leave::leave;

use super::Event;
use super::caps::{Caps, Depth};
use super::command::ansi;
use super::emergency::HANGUP_CODE;
use super::encode::Encoder;
use super::guard::{Entered, Guard};
use super::pace::FramePermit;
use super::thread::start;

/// The question for the terminal's status; most terminals answer it once they have taken all bytes before
/// it.
const QUESTION: &[u8] = b"\x1b[5n";
/// A thin frame that would take longer than this to arrive may be drawn roughly while keys repeat.
const LONG_FRAME: Duration = Duration::from_millis(400);

/// The bytes that the writing thread writes for one frame, and whether they end with [`QUESTION`].
struct Frame {
    bytes: Vec<u8>,
    asks: bool,
}

/// The screen, used by the UI thread only. Dropping it restores the terminal.
pub struct Screen {
    encoder: Encoder,
    /// The cells that a frame is drawn into; made blank before each frame.
    buffer: Buffer,
    size: (u16, u16),
    /// True at first, and from [`Screen::request_draw`] on, until a frame is drawn.
    is_draw_due: bool,
    /// The detail of the last frame; full before the first.
    drawn: Detail,
    /// The detail of every frame that is not rough; none if the measured speed of the link decides.
    fixed: Option<Detail>,
    clip: Option<String>,
    frames: Sender<Frame>,
    guard: Arc<Guard>,
    _entered: Entered,
}

impl Screen {
    /// Sets raw mode and the alternate screen, and starts the thread that writes frames, which wakes the loop
    /// through `events`. Frames usually have the `detail` given, or else what the link's speed allows.
    pub fn enter<M>(
        guard: &Arc<Guard>,
        caps: &Caps,
        detail: Option<Detail>,
        events: Sender<M>,
    ) -> io::Result<Self>
    where
        M: From<Event> + Send + 'static,
    {
        let (frames, queue) = bounded(1);
        let for_writer = Arc::clone(guard);
        let wake = move || drop(events.try_send(M::from(Event::Wake)));
        start("screen", move || write_frames(&for_writer, &queue, wake))?;
        let entered = guard.enter()?;
        let size = guard.size();
        let guard = Arc::clone(guard);
        Ok(Self {
            encoder: Encoder::new(size, caps.can_edit, caps.depth > Depth::Mono),
            buffer: blank(size),
            size,
            is_draw_due: true,
            drawn: Detail::Full,
            fixed: detail,
            clip: None,
            frames,
            guard,
            _entered: entered,
        })
    }

    /// The size to draw: columns and lines.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Requests a frame that draws every cell anew, at the size that the terminal then has.
    pub fn mark_stale(&self) {
        self.guard.pulse.mark_stale();
    }

    /// Requests a frame, to be drawn as soon as `permit` allows.
    pub fn request_draw(&mut self) {
        self.is_draw_due = true;
    }

    /// The detail of a frame at `now` that is not rough: the fixed detail, or else thin on a link that is
    /// slow or not known yet, and full on any other.
    fn detail(&self, now: Instant) -> Detail {
        let is_thin = || self.guard.pace.is_slow() || self.doubt(now).is_some();
        self.fixed.unwrap_or_else(|| if is_thin() { Detail::Thin } else { Detail::Full })
    }

    /// How much longer than `now`, at most, it is not known whether the link is slow; none if it is known, or
    /// cannot be.
    fn doubt(&self, now: Instant) -> Option<Duration> {
        self.guard.pace.doubt(now).filter(|_| self.guard.can_ask())
    }

    /// Prepares to draw every cell anew if the screen is marked as stale, and removes the mark. Returns the
    /// new size, in columns and lines, if it has changed.
    pub(super) fn refresh(&mut self) -> Option<(u16, u16)> {
        if !self.guard.pulse.take_stale() {
            return None;
        }
        self.encoder.forget();
        let size = self.guard.size();
        if size == self.size {
            return None;
        }
        self.encoder.resize(size);
        self.buffer = blank(size);
        self.size = size;
        Some(size)
    }

    /// Whether and when a frame is to be drawn; usually [`FramePermit::WhenWritten`] if no frame is due.
    pub(super) fn permit(&self) -> FramePermit {
        let now = Instant::now();
        let is_due = self.is_draw_due || self.encoder.is_stale();
        match self.guard.repeat.rest(now).filter(|_| self.drawn == Detail::Rough) {
            Some(rest) if !is_due => FramePermit::After(rest),
            _ if is_due || self.drawn != self.detail(now) => self.guard.pace.permit(now),
            _ => self
                .doubt(now)
                .filter(|_| self.fixed.is_none())
                .map_or(FramePermit::WhenWritten, FramePermit::After),
        }
    }

    /// Requests a frame that also puts `text` on the terminal's clipboard by OSC 52, which some terminals
    /// ignore.
    pub fn copy(&mut self, text: &str) {
        self.request_draw();
        self.clip = Some(format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)));
    }

    /// Draws one frame with `render` and hands its bytes to the writing thread; fails if that thread has
    /// ended. Call only when `permit` allows.
    pub(super) fn draw(&mut self, render: impl Fn(&mut Buffer, Detail)) -> io::Result<()> {
        self.is_draw_due = false;
        let frame = self.encode(render);
        if frame.is_empty() && self.clip.is_none() && self.guard.pace.is_slow() {
            // An answer to nothing would take as long as any.
            return Ok(());
        }
        let mut bytes = self.clip.take().map(String::into_bytes).unwrap_or_default();
        bytes.extend_from_slice(ansi(&BeginSynchronizedUpdate).as_bytes());
        bytes.extend_from_slice(&frame);
        bytes.extend_from_slice(ansi(&EndSynchronizedUpdate).as_bytes());
        let asks = self.guard.can_ask() && self.guard.pace.wants_answer();
        if asks {
            bytes.extend_from_slice(QUESTION);
        }
        self.guard.pace.start(Instant::now(), bytes.len(), asks);
        self.frames.send(Frame { bytes, asks }).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Draws the next frame, perhaps roughly to keep up with repeating keys, and returns the bytes that make
    /// the terminal show it.
    fn encode(&mut self, render: impl Fn(&mut Buffer, Detail)) -> Vec<u8> {
        self.drawn = self.detail(Instant::now());
        let mut bytes_of = |encoder: &mut Encoder, detail: Detail| {
            let mut bytes = Vec::new();
            self.buffer.reset();
            render(&mut self.buffer, detail);
            encoder.frame(&mut self.buffer, &mut bytes);
            bytes
        };
        let is_hurried = self.drawn == Detail::Thin && self.guard.repeat.rest(Instant::now()).is_some();
        let before = is_hurried.then(|| self.encoder.clone());
        let fine = bytes_of(&mut self.encoder, self.drawn);
        let is_long = self.guard.pace.time_of(fine.len()).is_some_and(|time| time > LONG_FRAME);
        let Some(mut encoder) = before.filter(|_| is_long) else { return fine };
        let rough = bytes_of(&mut encoder, Detail::Rough);
        if rough.len() * 2 > fine.len() {
            return fine;
        }
        (self.encoder, self.drawn) = (encoder, Detail::Rough);
        rough
    }
}

fn blank((width, height): (u16, u16)) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
}

/// Writes the frames of `queue`, marks the screen as stale if one was not written whole, and calls `wake`
/// when the loop must be woken. If writing fails, restores the terminal and exits with code 129.
fn write_frames(guard: &Guard, queue: &Receiver<Frame>, wake: impl Fn()) {
    while let Ok(frame) = queue.recv() {
        let Ok(is_written) = guard.write_frame(&frame.bytes, frame.asks) else {
            guard.restore();
            leave(HANGUP_CODE);
        };
        if !is_written {
            guard.pulse.mark_stale();
        }
        if guard.pace.finish(Instant::now(), is_written) {
            wake();
        }
    }
}
