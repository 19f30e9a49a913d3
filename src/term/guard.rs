//! Owns the terminal's modes: the line settings from before the program, the modes that are on, and how the terminal is restored.
//! Must not know what is drawn, which keys there are, or why the program leaves.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::termios::Termios;

use super::pulse::Pulse;
use super::tty::{OpenError, PATIENCE, Tty};

/// Control sequences that end whatever an interrupted frame left open: a half-written escape sequence, a synchronized update,
/// colours.
const CALM: &str = "\x18\x1b[?2026l\x1b[0m";

/// A mode of the terminal that is switched on and has to be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Raw,
    AltScreen,
    HiddenCursor,
    Paste,
}

impl Mode {
    const fn on(self) -> &'static str {
        match self {
            Self::Raw => "",
            Self::AltScreen => "\x1b[?1049h",
            Self::HiddenCursor => "\x1b[?25l",
            Self::Paste => "\x1b[?2004h",
        }
    }

    const fn off(self) -> &'static str {
        match self {
            Self::Raw => "",
            Self::AltScreen => "\x1b[?1049l",
            Self::HiddenCursor => "\x1b[?25h",
            Self::Paste => "\x1b[?2004l",
        }
    }
}

/// The modes that are on now (`on`), and those that a suspension switched off (`parked`).
#[derive(Debug, Default)]
struct Modes {
    on: Vec<Mode>,
    parked: Vec<Mode>,
    /// A control sequence to write before the next frame; written at once it could end up within a frame.
    next: Option<&'static str>,
}

/// The terminal and its modes. Shared by all threads; every method may be called at any time.
#[derive(Debug)]
pub struct Guard {
    tty: Tty,
    found: Mutex<Termios>,
    modes: Mutex<Modes>,
    /// The marks that the loop and the terminal's threads share.
    pub pulse: Pulse,
}

/// Proof that the program has entered the terminal; dropping it restores the terminal.
#[derive(Debug)]
pub struct Entered(Arc<Guard>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.restore();
    }
}

impl Guard {
    /// Opens the terminal behind standard output; changes nothing on it yet.
    pub fn open() -> Result<Arc<Self>, OpenError> {
        let tty = Tty::open()?;
        let found = Mutex::new(tty.settings().map_err(OpenError::Io)?);
        let (modes, pulse) = (Mutex::default(), Pulse::default());
        Ok(Arc::new(Self { tty, found, modes, pulse }))
    }

    /// Enters the terminal: raw mode, alternate screen, hidden cursor. Dropping the result restores the terminal.
    pub fn enter(self: &Arc<Self>) -> io::Result<Entered> {
        let entered = Entered(Arc::clone(self));
        let mut modes = self.lock().ok_or(io::ErrorKind::TimedOut)?;
        self.switch_on(&mut modes, &[Mode::Raw, Mode::AltScreen, Mode::HiddenCursor])?;
        drop(modes);
        Ok(entered)
    }

    /// Restores the terminal to its state before [`enter`](Self::enter). May be called repeatedly and from any thread; never
    /// panics and never waits long, even when the terminal takes no bytes.
    pub fn restore(&self) {
        if let Some(mut modes) = self.lock() {
            modes.parked.clear();
            self.switch_off(&mut modes);
        } else {
            self.cook();
        }
    }

    /// Like [`restore`](Self::restore), but remembers the modes for [`resume`](Self::resume).
    pub fn suspend(&self) {
        if let Some(mut modes) = self.lock() {
            if !modes.on.is_empty() {
                let Modes { on, parked, .. } = &mut *modes;
                parked.clone_from(on);
            }
            self.switch_off(&mut modes);
        }
    }

    /// Switches the modes on again that [`suspend`](Self::suspend) switched off or, if the process was stopped without it, all
    /// modes that should be on. Has no effect on the modes when the terminal was not entered.
    pub fn resume(&self) {
        let Some(mut modes) = self.lock() else { return };
        let parked = std::mem::take(&mut modes.parked);
        let wanted = if parked.is_empty() {
            std::mem::take(&mut modes.on)
        } else {
            // A shell or `stty` may have changed the line settings meanwhile: these are now the ones to restore.
            if let (Ok(now), Ok(mut found)) = (self.tty.settings(), self.found.lock()) {
                *found = now;
            }
            parked
        };
        // An error here means a hang-up, which the hang-up watch handles.
        let _ = self.switch_on(&mut modes, &wanted);
        self.pulse.mark_stale();
    }

    /// Switches bracketed paste on or off with the next frame; it should be on only while a text prompt is open.
    pub fn paste(&self, on: bool) {
        let Some(mut modes) = self.lock() else { return };
        let is_on = modes.on.contains(&Mode::Paste);
        if on && !is_on && !modes.on.is_empty() {
            modes.on.push(Mode::Paste);
            modes.next = Some(Mode::Paste.on());
        } else if !on && is_on {
            modes.on.retain(|mode| *mode != Mode::Paste);
            modes.next = Some(Mode::Paste.off());
        }
    }

    /// The size to draw: columns (1 to 1000) and lines (1 to 400).
    pub fn size(&self) -> (u16, u16) {
        self.tty.size()
    }

    /// The terminal's file descriptor, only for polling.
    pub fn tty(&self) -> BorrowedFd<'_> {
        self.tty.as_fd()
    }

    /// Writes one frame. Returns false, and drops the rest of the frame, if the program left the terminal in the meantime or
    /// another thread held the modes' lock for 200 ms.
    pub fn write_frame(&self, frame: &[u8]) -> io::Result<bool> {
        let change = self.lock().and_then(|mut modes| modes.next.take()).unwrap_or_default();
        Ok(self.write_whole(change.as_bytes())? && self.write_whole(frame)?)
    }

    fn write_whole(&self, mut bytes: &[u8]) -> io::Result<bool> {
        while !bytes.is_empty() {
            let Some(modes) = self.lock() else {
                return Ok(false);
            };
            if modes.on.is_empty() {
                return Ok(false);
            }
            let wrote = self.tty.write_some(bytes)?;
            drop(modes);
            bytes = &bytes[wrote..];
            if wrote == 0 {
                self.tty.wait_writable();
            }
        }
        Ok(true)
    }

    fn switch_on(&self, modes: &mut Modes, wanted: &[Mode]) -> io::Result<()> {
        for mode in wanted {
            modes.on.push(*mode);
            if *mode == Mode::Raw {
                let mut raw = self.found();
                raw.make_raw();
                self.tty.set(&raw)?;
            }
        }
        self.tty.say(&wanted.iter().map(|mode| mode.on()).collect::<String>());
        Ok(())
    }

    fn switch_off(&self, modes: &mut Modes) {
        if modes.on.is_empty() {
            return;
        }
        let mut text = String::from(CALM);
        text.extend(modes.on.iter().rev().map(|mode| mode.off()));
        self.tty.say_last(&text);
        if modes.on.contains(&Mode::Raw) {
            self.cook();
        }
        modes.on.clear();
        modes.next = None;
    }

    /// Restores the line settings from before the program (or from before it was last resumed).
    fn cook(&self) {
        let _ = self.tty.set(&self.found());
    }

    fn found(&self) -> Termios {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Locks the modes; none if another thread, perhaps one stuck in a write, holds the lock for 200 ms.
    fn lock(&self) -> Option<MutexGuard<'_, Modes>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.modes.try_lock() {
                Ok(modes) => return Some(modes),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}
