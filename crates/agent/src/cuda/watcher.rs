//! A thread that opens and closes cycles in a process that does not decide them itself (a worker that follows
//! its leader; a recording by time): it reads the leader's or the run's live page fifty times per second. It
//! also has CUPTI's records flushed every second, since the process may be killed; CUPTI's own periodic flush
//! delivers full buffers only.

use std::thread;
use std::time::{Duration, Instant};

use proftui_wire::device::DELIVERY;
use proftui_wire::log::NoteKind;

use super::helper;
use super::session::{Session, is_over};
use crate::clock;
use crate::device::Recorder;
use crate::guard::shield;
use crate::live;
use crate::process;

/// Time between two reads of the followed live page, if cycles are decided outside the process.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts the thread that follows cycles and has CUPTI's records flushed; if that fails, writes a warning to
/// the log.
pub(super) fn begin(session: &'static Session) {
    if let Err(why) = helper::spawn("proftui", move || shield((), || watch(session))) {
        process::note(
            NoteKind::Warning,
            &format!("cannot start the thread that flushes CUPTI's records: {why}"),
        );
    }
}

/// The thread's loop, until the session is over: follows cycles, and has records flushed about every
/// [`DELIVERY`].
fn watch(session: &Session) {
    let (mut open, mut saved) = (0, Instant::now());
    while !is_over() {
        let is_led = live::is_follower();
        follow(session, is_led, &mut open);
        if saved.elapsed() >= DELIVERY {
            Session::save_soon();
            saved = Instant::now();
        }
        thread::sleep(if is_led { PAUSE } else { DELIVERY });
    }
}

/// Usually closes the cycle `open` (0 for none) once it is no longer the followed one, opens the followed
/// cycle, if any, and stores its number in `open`.
fn follow(session: &Session, is_led: bool, open: &mut u64) {
    let cycle = if is_led { live::cycle() } else { 0 };
    if cycle == *open {
        return;
    }
    // The process has become a leader in a cycle that it followed: its own steps will close the cycle.
    let is_taken = !is_led && *open == live::cycle();
    if *open != 0 && !is_taken {
        if let Some(counts) = session.close(*open, clock::now()) {
            process::log_device(counts);
        }
        if is_led {
            // A window by time is the only one.
            session.disable(live::is_by_time());
        }
    }
    if cycle != 0 {
        session.open(cycle, clock::now());
        session.enable();
    }
    *open = cycle;
}
