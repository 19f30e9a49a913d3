//! Owns entering the terminal, restoring it, and the writing of frames in between: which modes are on when.
//! Must not know what is drawn, which keys there are, or why the program leaves. What a signal handler needs
//! is in `emergency`.
//!
//! Modes are switched by the commands of crossterm (`modes`), raw mode by its functions. Both act on the
//! terminal that keys come from, standard input or else `/dev/tty`, whose line settings `emergency` keeps,
//! too.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::emergency;
use super::modes::{Mode, ModeSet};
use super::pace::Pace;
use super::pulse::Pulse;
use super::repeat::Repeat;
use super::tty::{OpenError, PATIENCE, Tty};

/// The least time between the starts of two frames.
const INTERVAL: Duration = Duration::from_millis(16);
/// The longest pause after a frame whose arrival no answer of the terminal confirms; such a pause is
/// otherwise as long as writing the frame took.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The modes of the terminal that are to be on later; those that are on now are in [`emergency::on`].
#[derive(Debug, Default)]
struct Modes {
    /// The modes that a suspension switched off and [`Guard::resume`] switches on again; empty while the
    /// program is not suspended.
    parked: ModeSet,
    /// Which of paste and mouse are to be on. [`Guard::write_frame`] switches both accordingly before its
    /// frame; switched at once, a control sequence could end up within another frame.
    wanted: ModeSet,
}

/// The terminal and its modes. Shared by the terminal's threads, each of which may call every method at any
/// time.
#[derive(Debug)]
pub struct Guard {
    tty: &'static Tty,
    modes: Mutex<Modes>,
    /// The flag by which the terminal's threads ask the event loop to draw the whole screen anew.
    pub pulse: Pulse,
    /// Decides when frames may be drawn, and measures whether the link to the terminal is slow.
    pub pace: Pace,
    /// Records when keys are typed, and so whether they repeat, as a key does that is held down.
    pub repeat: Repeat,
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
    /// Opens the terminal behind standard output and the one that keys come from, and remembers the line
    /// settings of the latter as those to restore. Changes nothing on them yet.
    pub fn open() -> Result<Arc<Self>, OpenError> {
        let tty = Tty::open()?;
        let found = tty.settings().map_err(OpenError::Io)?;
        let (modes, pulse) = (Mutex::default(), Pulse::default());
        let (pace, repeat) = (Pace::new(INTERVAL, LONGEST_PAUSE), Repeat::default());
        Ok(Arc::new(Self { tty: emergency::open(tty, found), modes, pulse, pace, repeat }))
    }

    /// Enters the terminal: raw mode, alternate screen, Escape and keys with Control or Alt reported as
    /// numbers, hidden cursor. Dropping the result restores the terminal. Fails if raw mode cannot be set, or
    /// another thread holds the lock of the modes for 200 ms.
    pub fn enter(self: &Arc<Self>) -> io::Result<Entered> {
        let entered = Entered(Arc::clone(self));
        let modes = self.lock().ok_or(io::ErrorKind::TimedOut)?;
        self.switch_on(ModeSet::ENTERED)?;
        drop(modes);
        Ok(entered)
    }

    /// Restores the terminal by switching off all modes that are on; sets back only its line settings if
    /// another thread holds the lock of the modes for 200 ms. May be called repeatedly and from any thread;
    /// never panics, and waits about 1 s at most, even when the terminal takes no bytes. Does not return if a
    /// signal is ending the program.
    pub fn restore(&self) {
        if let Some(mut modes) = self.lock() {
            modes.parked = ModeSet::default();
            self.switch_off();
        } else if let Some(found) = emergency::found() {
            let _ = self.tty.set(found);
        }
    }

    /// Like [`restore`](Self::restore), but remembers the modes that are on for [`resume`](Self::resume).
    /// Does nothing if another thread holds the lock of the modes for 200 ms.
    pub fn suspend(&self) {
        if let Some(mut modes) = self.lock() {
            if !emergency::on().is_empty() {
                modes.parked = emergency::on();
            }
            self.switch_off();
        }
    }

    /// Switches the modes on again that [`suspend`](Self::suspend) switched off, and makes the present line
    /// settings those to restore. If `suspend` switched none off before, switches the modes that are on off
    /// and on again. In both cases marks the screen as stale; does nothing at all if another thread holds the
    /// lock of the modes for 200 ms.
    pub fn resume(&self) {
        let Some(mut modes) = self.lock() else { return };
        let mut wanted = std::mem::take(&mut modes.parked);
        if wanted.is_empty() {
            // Not suspended, but continued. What is on is switched off first: the terminal would save, and
            // bring back at the end, the colours that a frame has at this moment, and its cursor.
            wanted = emergency::on();
            self.switch_off();
        } else if let Ok(now) = self.tty.settings() {
            // A shell or `stty` may have changed the line settings meanwhile: these are now the ones to
            // restore.
            emergency::keep(now);
        }
        // An error here means a hang-up, which the hang-up watch handles.
        let _ = self.switch_on(wanted);
        self.pulse.mark_stale();
    }

    /// Switches bracketed paste on or off with the next frame; it should be on only while a text prompt is
    /// open. Does nothing if another thread holds the lock of the modes for 200 ms.
    pub fn paste(&self, on: bool) {
        self.want(Mode::Paste, on);
    }

    /// Switches the terminal's reports of the mouse (buttons, wheel, movement while a button is down) on or
    /// off with the next frame. Does nothing if another thread holds the lock of the modes for 200 ms.
    pub fn mouse(&self, on: bool) {
        self.want(Mode::Mouse, on);
    }

    fn want(&self, mode: Mode, on: bool) {
        if let Some(mut modes) = self.lock() {
            modes.wanted = if on { modes.wanted.with(mode) } else { modes.wanted.without(mode) };
        }
    }

    /// The size to draw: columns (1 to 1000; 80 if unknown) and lines (1 to 400; 24 if unknown).
    pub fn size(&self) -> (u16, u16) {
        self.tty.size()
    }

    /// The descriptor of the terminal behind standard output; only for polling and for asking for its
    /// settings, not for reading or writing.
    pub fn tty(&self) -> BorrowedFd<'_> {
        self.tty.as_fd()
    }

    /// The descriptor from which keys are read: standard input or, if that is no terminal, the terminal that
    /// controls the process.
    pub(super) fn keyboard(&self) -> BorrowedFd<'_> {
        self.tty.keyboard()
    }

    /// True if the terminal behind standard output controls the process, so that its answers come to this
    /// program's keyboard.
    pub fn can_ask(&self) -> bool {
        self.tty.is_controlling()
    }

    /// Records that the terminal answered at `now`. True if an answer was due and the event loop must be
    /// woken: it asked meanwhile whether it may draw, or the link became slow or is no longer slow.
    pub fn take_answer(&self, now: Instant) -> bool {
        emergency::expect_answer(false);
        self.pace.answer(now)
    }

    /// Switches paste and mouse reports as they should be, then writes one frame; if the frame `asks` for an
    /// answer, records that one will come. Returns false, and drops the rest of the frame, if the program has
    /// left the terminal or another thread held the lock of the modes for 200 ms.
    pub fn write_frame(&self, frame: &[u8], asks: bool) -> io::Result<bool> {
        for mode in [Mode::Paste, Mode::Mouse] {
            if !self.write_mode(mode)? {
                return Ok(false);
            }
        }
        if asks {
            emergency::expect_answer(true);
        }
        let is_written = self.write_whole(frame)?;
        if asks && !is_written {
            emergency::expect_answer(false);
        }
        Ok(is_written)
    }

    /// Switches `mode` on or off, if it is not as it should be. Returns false if the program has left the
    /// terminal or another thread held the lock of the modes for 200 ms.
    fn write_mode(&self, mode: Mode) -> io::Result<bool> {
        let (Some(wanted), on) = (self.lock().map(|modes| modes.wanted.contains(mode)), emergency::on())
        else {
            return Ok(false);
        };
        if on.is_empty() || wanted == on.contains(mode) {
            return Ok(!on.is_empty());
        }
        if wanted {
            self.change(|on| on.with(mode));
            self.write_whole(mode.on().as_bytes())
        } else {
            let is_written = self.write_whole(mode.off().as_bytes())?;
            if is_written {
                self.change(|on| on.without(mode));
            }
            Ok(is_written)
        }
    }

    /// Replaces the set of modes that count as on by what `change` makes of it; writes nothing to the
    /// terminal. Does nothing if the program has left the terminal or another thread holds the lock of the
    /// modes for 200 ms.
    fn change(&self, change: impl FnOnce(ModeSet) -> ModeSet) {
        let modes = self.lock();
        if modes.is_some() && !emergency::on().is_empty() {
            emergency::write(|| emergency::set_on(change(emergency::on())));
        }
    }

    fn write_whole(&self, mut bytes: &[u8]) -> io::Result<bool> {
        while !bytes.is_empty() {
            let Some(modes) = self.lock() else {
                return Ok(false);
            };
            if emergency::on().is_empty() {
                return Ok(false);
            }
            let wrote = emergency::write(|| self.tty.write_some(bytes))?;
            drop(modes);
            bytes = &bytes[wrote..];
            if wrote == 0 {
                self.tty.wait_writable();
            }
        }
        Ok(true)
    }

    /// Makes `wanted` the set of modes that count as on, and switches all of them on; the caller holds the
    /// lock of the modes. Fails if raw mode cannot be set.
    fn switch_on(&self, wanted: ModeSet) -> io::Result<()> {
        emergency::write(|| {
            emergency::set_on(wanted);
            if wanted.contains(Mode::Raw) {
                enable_raw_mode()?;
            }
            self.tty.say(wanted.on().as_bytes());
            Ok(())
        })
    }

    /// Switches all modes off that are on, and waits up to 400 ms for an answer of the terminal that is due,
    /// unless it was asked for more than 3 s ago. The caller holds the lock of the modes.
    fn switch_off(&self) {
        let on = emergency::on();
        if on.is_empty() {
            return;
        }
        emergency::write(|| {
            self.tty.say_last(on.off().as_bytes());
            emergency::await_answer(self.tty);
            if on.contains(Mode::Raw) {
                let _ = disable_raw_mode();
            }
            emergency::set_on(ModeSet::default());
        });
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
