//! Owns the abrupt end of the process: its last words and its exit status. Must not know why it ends. Nothing here locks or
//! allocates, so a signal handler and the panic hook can use it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The program's exit code when its terminal is gone.
pub const HANGUP_CODE: i32 = 129;

/// Ends the process at once, without output and without exit handlers: a thread that holds a lock may be stuck.
pub fn leave(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// Writes to standard error, without the lock of the standard library. Gives up at an error, and where standard error takes no
/// bytes for a fifth of a second.
pub(super) fn print(text: &str) {
    let stderr = rustix::stdio::stderr();
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
        let wait = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
        match poll(&mut fds, Some(&wait)) {
            Ok(0) => return,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
        match rustix::io::write(stderr, bytes) {
            Ok(wrote) if wrote > 0 => bytes = &bytes[wrote..],
            Err(Errno::INTR) => {}
            _ => return,
        }
    }
}
