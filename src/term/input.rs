//! Owns the thread that reads the keyboard. Must not know what a key does, except for Ctrl-C: this thread ends the program by it, so
//! that it is answered at once whatever the event loop does at the time.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, TrySendError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, read as read_bytes, retry_on_intr};
use rustix::termios::isatty;

use crate::app::key::Key;
use crate::base::leave::leave;

use super::Event;
use super::guard::Guard;
use super::keys::{Input, Reader};
use super::thread::start;

/// The program's exit code after Ctrl-C, the same as after the key that quits.
const INTERRUPT_CODE: i32 = 0;
/// How long the thread waits for another key while keys wait for room in the full channel.
const ROOM: Duration = Duration::from_millis(10);
/// How long the rest of a sequence may take to come; after that, its first byte is the key Escape.
const REST: Duration = Duration::from_millis(20);
/// The most keys that wait for room; further ones are dropped.
const MOST: usize = 1 << 16;

/// Starts the thread that reads keys and pasted text and sends them to `events`. The channel is bounded: if the loop is slow, keys
/// wait in this thread, which reads on for a Ctrl-C. Ctrl-C restores the terminal and ends the program.
pub fn read<M>(guard: Arc<Guard>, events: Sender<M>) -> io::Result<()>
where
    M: From<Event> + Send + 'static,
{
    let keyboard = keyboard()?;
    let body = move || {
        let mut reader = Reader::default();
        let mut waiting = VecDeque::new();
        let mut failures = 0;
        loop {
            while let Some(event) = waiting.pop_front() {
                match events.try_send(event) {
                    Ok(()) => {}
                    Err(TrySendError::Disconnected(_)) => return,
                    Err(TrySendError::Full(event)) => {
                        waiting.push_front(event);
                        break;
                    }
                }
            }
            let patience = match (waiting.is_empty(), reader.is_waiting()) {
                (false, _) => Some(ROOM),
                (true, true) => Some(REST),
                (true, false) => None,
            };
            let inputs = match take(&keyboard, patience) {
                Ok(Some(bytes)) => reader.take(&bytes),
                Ok(None) => reader.end(),
                Err(error) => {
                    // Brief failures happen; a lasting one is reported.
                    failures += 1;
                    if failures == 20 {
                        let _ = events.send(M::from(Event::KeyboardLost(error.to_string())));
                        return;
                    }
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
            };
            failures = 0;
            for input in inputs {
                let event = match input {
                    Input::Key(Key::Ctrl('c')) => {
                        guard.restore();
                        leave(INTERRUPT_CODE);
                    }
                    Input::Key(key) => {
                        guard.repeat.typed(Instant::now());
                        Event::Key(key)
                    }
                    Input::Paste(text) => Event::Paste(text),
                    Input::Mouse(mouse) => Event::Mouse(mouse),
                    Input::Answer if guard.take_answer(Instant::now()) => Event::Wake,
                    Input::Answer => continue,
                };
                if waiting.len() < MOST {
                    waiting.push_back(M::from(event));
                }
            }
        }
    };
    start("input", body)
}

/// The terminal that keys come from: standard input, or else the terminal that controls the process.
fn keyboard() -> io::Result<OwnedFd> {
    let stdin = rustix::stdio::stdin();
    if isatty(stdin) {
        return stdin.try_clone_to_owned();
    }
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(c"/dev/tty", flags, Mode::empty())?)
}

/// Reads what has been typed, waiting for it at most for `patience`, or without a limit; none if nothing was typed by then.
///
/// # Errors
/// Where the terminal cannot be read, or is at its end.
fn take(keyboard: &OwnedFd, patience: Option<Duration>) -> io::Result<Option<Vec<u8>>> {
    let wait = patience.map(|wait| Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() });
    let mut fds = [PollFd::from_borrowed_fd(keyboard.as_fd(), PollFlags::IN)];
    if retry_on_intr(|| poll(&mut fds, wait.as_ref()))? == 0 {
        return Ok(None);
    }
    let mut bytes = [0; 4096];
    match retry_on_intr(|| read_bytes(keyboard, &mut bytes)) {
        // Another reader was faster.
        Err(Errno::AGAIN) => Ok(Some(Vec::new())),
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        read => Ok(Some(bytes[..read?].to_vec())),
    }
}
