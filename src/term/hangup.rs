//! Owns the hang-up watch: ends the program when the terminal is gone, whatever other threads are doing.
//! Must not know what is drawn or read; it looks at the descriptor only.
//!
//! A signal is not enough: under `sudo`, `nohup`, `ssh -t` or a wrapper no SIGHUP may arrive.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::tcgetattr;

use proftui_base::leave::leave;

use super::emergency::HANGUP_CODE;
use super::guard::Guard;
use super::thread::start;

/// How long the hang-up watch waits in one poll of the terminal, and pauses where polling fails.
const LOOK: Duration = Duration::from_millis(250);

/// Starts the thread that ends the program, with exit code 129, when the terminal is gone.
pub fn watch(guard: Arc<Guard>) -> io::Result<()> {
    let body = move || {
        while !gone(&guard) {}
        leave(HANGUP_CODE);
    };
    start("hangup", body)
}

/// Waits for a hang-up of the terminal, usually for at most some hundred ms; true if the terminal is gone.
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
    // This system cannot poll the descriptor: check again after a pause.
    thread::sleep(LOOK);
    false
}
