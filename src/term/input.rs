//! Owns the thread that reads the keyboard. Must not know what a key does, except for Ctrl-C: this thread
//! ends the program by it, so that it is answered at once whatever the event loop does at the time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam_channel::{Sender, TrySendError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read as read_bytes, retry_on_intr};

use crate::app::input::key::Key;
use proftui_base::leave::leave;

use super::Event;
use super::guard::Guard;
use super::keys::{Input, Reader};
use super::thread::start;
use super::translate::translate;

/// The program's exit code after Ctrl-C, the same as after the key that quits.
const INTERRUPT_CODE: i32 = 0;
/// How long the thread usually waits before it tries again to send events to a full channel.
const ROOM: Duration = Duration::from_millis(10);
/// The most events that wait for room in the channel; further events are dropped.
const MOST_KEYS: usize = 1 << 16;

/// Starts the thread that reads the terminal's input and sends events to `events`. Ctrl-C restores the
/// terminal and ends the program.
pub fn read<M>(guard: Arc<Guard>, events: Sender<M>) -> io::Result<()>
where
    M: From<Event> + Send + 'static,
{
    let body = move || {
        let mut reader = Reader::default();
        let mut waiting = VecDeque::new();
        let mut failures = 0;
        // When bytes last came.
        let mut heard = Instant::now();
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
            let room = (!waiting.is_empty()).then_some(ROOM);
            let rest = reader.patience().map(|patience| patience.saturating_sub(heard.elapsed()));
            let inputs = match take(&guard, room.into_iter().chain(rest).min()) {
                Ok(Some(bytes)) => {
                    heard = Instant::now();
                    reader.take(&bytes)
                }
                Ok(None) => reader.quiet(heard.elapsed()),
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
                    Input::Event(raw) => translate(raw),
                    Input::Answer => guard.take_answer(Instant::now()).then_some(Event::Wake),
                };
                match event {
                    Some(Event::Key(Key::Ctrl('c'))) => {
                        guard.restore();
                        leave(INTERRUPT_CODE);
                    }
                    Some(Event::Key(_)) => guard.repeat.typed(Instant::now()),
                    _ => {}
                }
                let Some(event) = event else { continue };
                if waiting.len() < MOST_KEYS {
                    waiting.push_back(M::from(event));
                }
            }
        }
    };
    start("input", body)
}

/// Reads at most 4096 bytes that the terminal sent, none if another reader was faster. Usually waits for
/// `patience` at most, without a limit if it is `None`; returns `None` if nothing came in time. Reads nothing
/// while another program has the terminal.
///
/// # Errors
/// If the terminal cannot be polled or read, or is at its end.
fn take(guard: &Guard, patience: Option<Duration>) -> io::Result<Option<Vec<u8>>> {
    let keyboard = guard.keyboard();
    let wait = patience
        .map(|wait| Timespec { tv_sec: wait.as_secs().cast_signed(), tv_nsec: wait.subsec_nanos().into() });
    let mut fds = [PollFd::from_borrowed_fd(keyboard, PollFlags::IN)];
    if retry_on_intr(|| poll(&mut fds, wait.as_ref()))? == 0 {
        return Ok(None);
    }
    let _reading = guard.reading();
    // Another program may have read the bytes meanwhile, and the read would wait for others.
    if retry_on_intr(|| poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })))? == 0 {
        return Ok(Some(Vec::new()));
    }
    let mut bytes = [0; 4096];
    match retry_on_intr(|| read_bytes(keyboard, &mut bytes)) {
        // Another reader was faster.
        Err(Errno::AGAIN) => Ok(Some(Vec::new())),
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        read => Ok(Some(bytes[..read?].to_vec())),
    }
}
