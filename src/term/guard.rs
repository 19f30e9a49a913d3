//! Owns entering the terminal, restoring it, and the writing of frames in between: which modes are on when.
//! Must not know what is drawn, which keys there are, or why the program leaves. What a signal handler needs
//! is in `emergency`.
//!
//! Modes are switched by the commands of crossterm (`modes`), raw mode by its functions. Both act on the
//! terminal that keys come from, standard input or else `/dev/tty`, whose line settings `emergency` keeps,
//! too.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
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
/// The longest pause for the time that writing a frame took, where the terminal does not answer.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The modes of the terminal that are to be switched later; [`emergency::on`] has the modes that are on now.
#[derive(Debug, Default)]
struct Modes {
    /// The modes that a suspension switched off and [`Guard::resume`] switches on again; empty while the
    /// program is not suspended.
    parked: ModeSet,
    /// Which of paste and mouse are to be on from the next frame on.
    // Switched at once, a control sequence could end up within another frame.
    wanted: ModeSet,
}

/// The terminal and its modes. Any thread may call the public methods at any time.
#[derive(Debug)]
pub struct Guard {
    tty: &'static Tty,
    modes: Mutex<Modes>,
    /// Locked by whoever reads keys, and while another program reads them.
    keys: Mutex<()>,
    /// Holds a mark that, once set, makes the next frame draw every cell anew.
    pub pulse: Pulse,
    /// Decides when frames may be drawn, and measures whether the link to the terminal is slow.
    pub pace: Pace,
    /// Records whether keys repeat, as when a key is held down.
    pub repeat: Repeat,
}

/// What [`Guard::enter`] returns; dropping it restores the terminal.
#[derive(Debug)]
pub struct Entered(Arc<Guard>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.restore();
    }
}

impl Guard {
    /// Opens the terminal and remembers its line settings to restore them later; does not change the terminal
    /// yet.
    pub fn open() -> Result<Arc<Self>, OpenError> {
        let tty = Tty::open()?;
        let found = tty.settings().map_err(OpenError::Io)?;
        let (modes, keys, pulse) = (Mutex::default(), Mutex::default(), Pulse::default());
        let (pace, repeat) = (Pace::new(INTERVAL, LONGEST_PAUSE), Repeat::default());
        Ok(Arc::new(Self { tty: emergency::open(tty, found), modes, keys, pulse, pace, repeat }))
    }

    /// Enters the terminal, with raw mode and the alternate screen; dropping the result restores it. Fails if
    /// raw mode cannot be set, or the modes stay locked for 200 ms.
    pub fn enter(self: &Arc<Self>) -> io::Result<Entered> {
        let entered = Entered(Arc::clone(self));
        let modes = self.lock().ok_or(io::ErrorKind::TimedOut)?;
        self.switch_on(ModeSet::ENTERED)?;
        drop(modes);
        Ok(entered)
    }

    /// Restores the terminal: switches its modes off or, if they stay locked for 200 ms, restores the line
    /// settings only. May be called repeatedly and from any thread; never panics.
    pub fn restore(&self) {
        if let Some(mut modes) = self.lock() {
            modes.parked = ModeSet::default();
            self.switch_off();
        } else if let Some(found) = emergency::found() {
            let _ = self.tty.set(found);
        }
    }

    /// Switches off the modes that are on and remembers them for [`resume`](Self::resume), unless the modes
    /// stay locked for 200 ms.
    pub fn suspend(&self) {
        if let Some(mut modes) = self.lock() {
            if !emergency::on().is_empty() {
                modes.parked = emergency::on();
            }
            self.switch_off();
        }
    }

    /// Switches on again what [`suspend`](Self::suspend) switched off, or else switches the modes that are on
    /// off and on again. Marks the screen as stale. Does nothing if the modes stay locked for 200 ms, and
    /// while another program has the terminal.
    pub fn resume(&self) {
        if emergency::is_lent() {
            return;
        }
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

    /// Leaves the terminal to another program while `run` runs, which starts that program and waits for its
    /// end; then enters the terminal again.
    pub fn lend<T>(&self, run: impl FnOnce() -> T) -> T {
        self.suspend();
        let keys = self.reading();
        emergency::lend(true);
        let result = run();
        emergency::lend(false);
        drop(keys);
        self.resume();
        result
    }

    /// Waits until no other program reads keys; while the result is held, none is started by
    /// [`lend`](Self::lend).
    pub(super) fn reading(&self) -> MutexGuard<'_, ()> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for bracketed paste to be on or off from the next frame on.
    pub fn paste(&self, on: bool) {
        self.want(Mode::Paste, on);
    }

    /// Asks for reports of the mouse to be on or off from the next frame on.
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

    /// The terminal behind standard output, only for polling and for asking for its settings.
    pub fn tty(&self) -> BorrowedFd<'_> {
        self.tty.as_fd()
    }

    /// The descriptor from which keys are read: standard input or, if that is no terminal, the terminal that
    /// controls the process.
    pub(super) fn keyboard(&self) -> BorrowedFd<'_> {
        self.tty.keyboard()
    }

    /// True if the terminal behind standard output is the process's controlling terminal, and so may be asked
    /// for its status.
    pub fn can_ask(&self) -> bool {
        self.tty.is_controlling()
    }

    /// Records that the terminal answered at `now`. Returns true if the event loop must be woken.
    pub fn take_answer(&self, now: Instant) -> bool {
        let must_wake = self.pace.answer(now);
        emergency::expect_answer(self.pace.is_answer_due());
        must_wake
    }

    /// Writes one frame, which `asks` for an answer or not, after switching paste and mouse as wanted.
    /// Returns false if the frame was not written whole.
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

    /// Switches `mode` on or off as wanted. Returns false if the program has left the terminal or the modes
    /// stay locked for 200 ms.
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

    /// Changes the set of modes that count as on, if the modes can be locked and the set is not empty.
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

    /// Switches on the modes `wanted`. The caller must hold the lock of the modes; fails if raw mode cannot
    /// be set.
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

    /// Switches off all modes that are on, and waits briefly for an answer of the terminal that is due. The
    /// caller must hold the lock of the modes.
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

    /// Locks the modes; `None` if another thread holds the lock for 200 ms.
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
