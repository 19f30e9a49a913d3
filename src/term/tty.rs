//! Owns the terminal's file descriptors: opening them, writing without blocking for long, its size and its
//! line settings. Must not know which modes are on or why something is written. A signal handler uses it,
//! too: after opening, nothing here but the size locks or allocates.
//!
//! The size is crossterm's, which asks `/dev/tty`. Where standard output is a terminal that does not control
//! the process, that would be the size of another one, so the descriptor is asked. Writing is our own:
//! crossterm writes to standard output, a description that is shared with the shell and that waits for a
//! terminal that takes no bytes.

use std::ffi::CStr;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use crossterm::terminal::window_size;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::getpgrp;
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcgetpgrp, tcgetsid, tcgetwinsize,
    tcsetattr,
};

/// The most columns that are drawn, whatever size the terminal has.
const MAX_WIDTH: u16 = 1000;
/// The most lines that are drawn, whatever size the terminal has.
const MAX_HEIGHT: u16 = 400;
/// How long to try to write control sequences, or to wait while another thread has locked the terminal's
/// modes.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// The reason why the terminal could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// Standard output is not a terminal, but, for example, a file.
    NotATerminal,
    /// Standard input is not a terminal, and the controlling terminal (`/dev/tty`) cannot be opened.
    NoKeyboard,
    /// The terminal's line settings could not be read, or its descriptor could not be duplicated.
    Io(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATerminal => f.write_str("standard output is not a terminal"),
            Self::NoKeyboard => f.write_str("there is no terminal to read keys from"),
            Self::Io(error) => write!(f, "cannot use the terminal: {error}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// The terminal behind standard output, and the terminal that keys come from, usually the same.
#[derive(Debug)]
pub(super) struct Tty {
    fd: OwnedFd,
    /// Where keys are read: standard input if that is a terminal, else the terminal that controls the
    /// process.
    keys: OwnedFd,
    /// True if this program opened `fd` itself, so that writing does not block; false if `fd` is standard
    /// output.
    own: bool,
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Tty {
    /// Opens the terminal behind standard output and the one that keys come from; changes nothing on them.
    pub(super) fn open() -> Result<Self, OpenError> {
        let stdout = rustix::stdio::stdout();
        if !isatty(stdout) {
            return Err(OpenError::NotATerminal);
        }
        let stdin = rustix::stdio::stdin();
        let keys = if isatty(stdin) {
            stdin.try_clone_to_owned().map_err(OpenError::Io)?
        } else {
            own_description(c"/dev/tty").ok_or(OpenError::NoKeyboard)?
        };
        let name = rustix::termios::ttyname(stdout, Vec::new()).ok();
        if let Some(fd) = name.as_deref().and_then(own_description) {
            return Ok(Self { fd, keys, own: true });
        }
        // The name may not be usable (another user's terminal, a container's mount space).
        let fd = stdout.try_clone_to_owned().map_err(OpenError::Io)?;
        Ok(Self { fd, keys, own: false })
    }

    /// Reads the present line settings of the terminal that keys come from.
    pub(super) fn settings(&self) -> io::Result<Termios> {
        Ok(tcgetattr(&self.keys)?)
    }

    /// Changes the line settings of the terminal that keys come from, at once.
    pub(super) fn set(&self, settings: &Termios) -> io::Result<()> {
        let set = || tcsetattr(&self.keys, OptionalActions::Now, settings);
        Ok(retry_on_intr(set)?)
    }

    /// The size to draw: columns (1 to 1000; 80 if unknown) and lines (1 to 400; 24 if unknown).
    pub(super) fn size(&self) -> (u16, u16) {
        let size = if self.is_controlling() {
            window_size().ok().map(|size| (size.columns, size.rows))
        } else {
            tcgetwinsize(&self.fd).ok().map(|size| (size.ws_col, size.ws_row))
        };
        clamp(size.unwrap_or_default())
    }

    /// The descriptor from which keys are read: standard input or, if that is no terminal, the terminal that
    /// controls the process.
    pub(super) fn keyboard(&self) -> BorrowedFd<'_> {
        self.keys.as_fd()
    }

    /// True if another process group is known to be in the foreground of the terminal that keys come from.
    pub(super) fn is_in_background(&self) -> bool {
        tcgetpgrp(&self.keys).is_ok_and(|group| group != getpgrp())
    }

    /// Writes control sequences before the program leaves the terminal. If the terminal takes no bytes, first
    /// discards the output that still waits.
    pub(super) fn say_last(&self, text: &[u8]) {
        if !self.wait_writable() {
            let _ = tcflush(&self.fd, QueueSelector::OFlush);
        }
        self.say(text);
    }

    /// Writes control sequences; gives up after about 200 ms, or at an error.
    pub(super) fn say(&self, text: &[u8]) {
        let deadline = Instant::now() + PATIENCE;
        let mut bytes = text;
        while !bytes.is_empty() && Instant::now() < deadline {
            if !self.wait_writable() {
                continue;
            }
            match self.write_some(bytes) {
                Ok(wrote) => bytes = &bytes[wrote..],
                Err(_) => return,
            }
        }
    }

    /// Writes some of `bytes`, without blocking for long. Returns the number of bytes written, 0 if the
    /// terminal has no room.
    pub(super) fn write_some(&self, bytes: &[u8]) -> io::Result<usize> {
        if !self.own && !self.wait_writable() {
            return Ok(0);
        }
        let most = if self.own { bytes.len() } else { bytes.len().min(512) };
        match retry_on_intr(|| rustix::io::write(&self.fd, &bytes[..most])) {
            Err(Errno::AGAIN) => Ok(0),
            other => other.map_err(io::Error::from),
        }
    }

    /// True if the terminal behind standard output is the process's controlling terminal.
    pub(super) fn is_controlling(&self) -> bool {
        tcgetsid(&self.fd).is_ok()
    }

    /// What a poll of the terminal reports at once: `IN` if input waits, `HUP` if the terminal is gone; empty
    /// if polling fails.
    pub(super) fn state(&self) -> PollFlags {
        let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).map_or(PollFlags::empty(), |_| fds[0].revents())
    }

    /// Discards the input that has come from the terminal behind standard output and that nobody has read.
    pub(super) fn discard_input(&self) {
        let _ = tcflush(&self.fd, QueueSelector::IFlush);
    }

    /// Waits up to 50 ms for the terminal to take bytes, or to be gone; true if either happens.
    pub(super) fn wait_writable(&self) -> bool {
        let mut fds = [PollFd::new(&self.fd, PollFlags::OUT)];
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from((PATIENCE / 4).subsec_nanos()) };
        poll(&mut fds, Some(&wait)).is_ok_and(|ready| ready > 0)
    }
}

/// Opens the terminal device `name` in non-blocking mode, without sharing the shell's file description;
/// `None` if that fails or the device is no terminal.
fn own_description(name: &CStr) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(name, flags, Mode::empty()).ok().filter(|tty| isatty(tty))
}

/// Limits a size to 1000 columns and 400 lines; 0, which stands for unknown, becomes 80 columns or 24 lines.
fn clamp((width, height): (u16, u16)) -> (u16, u16) {
    let known = |size: u16, default: u16, most: u16| if size == 0 { default } else { size.min(most) };
    (known(width, 80, MAX_WIDTH), known(height, 24, MAX_HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::clamp;

    #[test]
    fn sizes_are_survivable() {
        assert_eq!(clamp((0, 0)), (80, 24));
        assert_eq!(clamp((1, 1)), (1, 1));
        assert_eq!(clamp((u16::MAX, u16::MAX)), (1000, 400));
        assert_eq!(clamp((500, 0)), (500, 24));
    }
}
