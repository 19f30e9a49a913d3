//! Owns the hang-up watch: when the terminal is gone the program leaves, whatever else it does.
//! Must not know what is drawn or read; it looks at the descriptor only.
//!
//! A signal is not enough: under `sudo`, `nohup`, `ssh -t` or a wrapper no SIGHUP may arrive, and
//! the library that reads the keys then spins for ever on the dead terminal.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::tcgetattr;

use super::guard::Guard;

/// The exit code of a program whose terminal went away.
pub const HANGUP_CODE: i32 = 129;
/// The longest time between two checks; the kernel normally wakes the watch at once.
const LOOK: Duration = Duration::from_millis(250);

/// Starts the thread that ends the program when the terminal is gone.
pub fn watch(guard: Arc<Guard>) -> io::Result<()> {
    let body = move || {
        while !gone(&guard) {}
        leave(HANGUP_CODE);
    };
    thread::Builder::new().name("hangup".to_owned()).spawn(body).map(drop)
}

/// Ends the process at once, without output and without exit handlers: a thread that holds a lock may be stuck.
pub fn leave(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// Waits for at most 250 ms; returns whether the terminal is gone.
fn gone(guard: &Guard) -> bool {
    let tty = guard.tty();
    let mut fds = [PollFd::new(&tty, PollFlags::empty())];
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    let events = match poll(&mut fds, Some(&wait)) {
        Ok(0) => return false,
        Ok(_) => fds[0].revents(),
        Err(_) => PollFlags::empty(),
    };
    if events.contains(PollFlags::HUP) || tcgetattr(tty).is_err() {
        return true;
    }
    // A system on which this descriptor cannot be polled: look at it by the clock.
    thread::sleep(LOOK);
    false
}
