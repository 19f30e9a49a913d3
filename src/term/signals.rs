//! Owns the signals that do not end the program, on one thread: gives the terminal to the shell before the
//! process stops, takes it back after, notes resizes. Those that end it are handled in `emergency`, which
//! this file installs. Must not know what the program does; the loop learns of signals by [`Event::Wake`] and
//! the marks of the pulse.

use std::io;
use std::sync::Arc;

use crossbeam_channel::Sender;
use rustix::process::{Signal, getpgrp, getpid, getsid, kill_current_process_group, kill_process};
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use super::Event;
use super::emergency;
use super::guard::Guard;
use super::thread::start;

/// Has signals that end the program, except SIGKILL, restore the terminal, and starts the thread that handles
/// SIGCONT, SIGWINCH and, unless it is ignored, SIGTSTP.
pub fn watch<M>(guard: Arc<Guard>, events: Sender<M>) -> io::Result<()>
where
    M: From<Event> + Send + 'static,
{
    emergency::install();
    let stop = Some(SIGTSTP).filter(|stop| !emergency::is_ignored(*stop));
    let mut signals = Signals::new([SIGCONT, SIGWINCH].into_iter().chain(stop))?;
    let body = move || {
        for signal in signals.forever() {
            handle(signal, &guard);
            // If the channel is full, its messages wake the loop; the mark that was set is not in the
            // channel.
            let _ = events.try_send(M::from(Event::Wake));
        }
    };
    start("signals", body)
}

/// Sends SIGTSTP to the whole process group, as a Ctrl-Z typed in cooked mode would.
pub fn suspend_self() {
    let _ = kill_current_process_group(Signal::TSTP);
}

fn handle(signal: i32, guard: &Guard) {
    match signal {
        SIGWINCH => guard.pulse.mark_stale(),
        SIGCONT => guard.resume(),
        _ => {
            guard.suspend();
            if can_be_continued() {
                // SIGSTOP, since SIGTSTP has signal-hook's handler; the shell sees a stop either way.
                let _ = kill_process(getpid(), Signal::STOP);
            } else {
                guard.resume();
            }
        }
    }
}

/// True if a shell with job control may resume the program after a stop: its process group is not that of the
/// session's leader.
// Directly under `ssh -t host proftui`, `tmux new proftui` or `docker run` no shell can; the kernel ignores a
// typed Ctrl-Z there, and proftui does not stop either.
fn can_be_continued() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}
