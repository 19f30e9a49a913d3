//! A thread that looks at the page, fifty times a second, where others open and close the process's cycles; and that brings in
//! records every second, since a process may be killed. CUPTI's own period brings full buffers only.

#![allow(unsafe_code, reason = "the program's signals are not for this thread")]

use std::thread;
use std::time::{Duration, Instant};

use proftui_wire::log::NoteKind;

use super::session::{Session, is_over};
use crate::clock;
use crate::guard::shield;
use crate::process;
use crate::process::device::{self, Recorder};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// Between two times that records are brought in.
const PERIOD: Duration = Duration::from_secs(1);
/// Bytes of the thread's stack.
const STACK: usize = 256 << 10;

/// Begins.
pub fn begin(session: &'static Session) {
    let body = move || shield((), || watch(session));
    let is_made;
    // A thread has the mask of the one that makes it.
    // SAFETY: sets of our own; the mask is put back.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        is_made = thread::Builder::new().name("proftui".into()).stack_size(STACK).spawn(body);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
    }
    if let Err(why) = is_made {
        process::note(NoteKind::Warning, &format!("no thread follows what devices do: {why}"));
    }
}

fn watch(session: &Session) {
    let (mut open, mut saved) = (0, Instant::now());
    while !is_over() {
        let is_led = process::is_follower();
        follow(session, is_led, &mut open);
        if saved.elapsed() >= PERIOD {
            session.save();
            saved = Instant::now();
        }
        thread::sleep(if is_led { PAUSE } else { PERIOD });
    }
}

/// Does what others ask for. A process whose own steps open and close cycles, from here on, is asked for nothing.
fn follow(session: &Session, is_led: bool, open: &mut u64) {
    let cycle = if is_led { process::cycle() } else { 0 };
    if cycle == *open {
        return;
    }
    // The process has come to lead in a cycle that it followed: its steps end that.
    let is_taken = !is_led && *open == process::cycle();
    if *open != 0 && !is_taken {
        if let Some(counts) = session.close(*open, clock::now()) {
            device::closed(counts);
        }
        if is_led {
            session.rest();
        }
    }
    if cycle != 0 {
        session.open(cycle, clock::now());
        session.prepare();
    }
    *open = cycle;
}
