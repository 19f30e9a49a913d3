//! The explorer over a slow link: one frame is on its way at a time, so that what is typed last is seen soon;
//! and what a frame costs.
//!
//! `cargo test --test terminal link:: -- --nocapture` prints the bytes.

use std::thread;
use std::time::{Duration, Instant};

use super::explorer::{BIN, TRACE, cells, quit, sync, wait_ready};
use crate::rig::Pty;

const SIZE: (u16, u16) = (200, 50);
/// Bytes per second of the slow link.
const SLOW: usize = 2000;
/// The most bytes that come after the last key: the rest of the frame that is on its way, and the last one.
const SETTLED: usize = 3 * SLOW;
/// The most bytes until the first screen has come: what the link takes in 4 seconds.
const FIRST: usize = 4 * SLOW;

fn explore(options: &[&str]) -> Pty {
    let command = [&[BIN, "open", TRACE], options].concat();
    let pty = Pty::spawn(&command, &[], SIZE);
    wait_ready(&pty);
    pty.settle();
    pty
}

/// Types 30 keys that pan within a second; how many bytes come after the last one.
fn bytes_after_keys(pty: &Pty) -> usize {
    for key in "dddddddddddddddaaaaaaaaaaddddd".chars() {
        pty.send(&key.to_string());
        thread::sleep(Duration::from_millis(30));
    }
    let (typed, before) = (Instant::now(), pty.log().len());
    while !pty.quiet(Duration::from_secs(1)) {}
    println!("settled after {:.1} s", typed.elapsed().as_secs_f64() - 1.0);
    pty.log().len() - before
}

/// How many frames have come.
fn frames(pty: &Pty) -> usize {
    pty.text().matches("\x1b[?2026l").count()
}

/// Whether the answer to a question comes at once or late: until the first one nothing is known of the link,
/// so the first screen is drawn for a slow one.
#[test]
fn what_is_typed_last_is_seen_soon() {
    for (options, lag) in [(&["--thin=auto"][..], 0), (&["--thin=auto"], 400), (&["--thin"], 0)] {
        let command = [&[BIN, "open", TRACE], options].concat();
        let pty = Pty::spawn(&command, &[("COLORTERM", "truecolor")], SIZE);
        pty.throttle(SLOW);
        pty.lag(Duration::from_millis(lag));
        wait_ready(&pty);
        while !pty.quiet(Duration::from_secs(2)) {}
        let (first, count) = (pty.log().len(), frames(&pty));
        println!("{options:?}, {lag} ms: {first} bytes in {count} frames until the first screen");
        assert!(first <= FIRST && count <= 4, "{options:?}, {lag} ms: {first} bytes, {count} frames");
        let bytes = bytes_after_keys(&pty);
        println!("{options:?}, {lag} ms: {bytes} bytes after the last key");
        assert!(bytes <= SETTLED, "{options:?}, {lag} ms: {bytes}");
        pty.throttle(0);
        pty.lag(Duration::ZERO);
        sync(&pty);
        quit(pty);
    }
}

/// Over a fast link the screen is soon as it is with `--thin=never`.
#[test]
fn a_fast_link_gets_all() {
    let screen = |option: &str| {
        let pty = explore(&[option]);
        sync(&pty);
        let shown = pty.look(cells);
        quit(pty);
        shown
    };
    assert_eq!(screen("--thin=auto"), screen("--thin=never"));
}

/// A terminal that answers no question has more frames on their way; but the explorer goes on.
#[test]
fn a_terminal_that_does_not_answer_holds_nothing_up() {
    let pty = Pty::spawn(&[BIN, "open", TRACE], &[], SIZE);
    pty.mute();
    wait_ready(&pty);
    for key in ["w", "d", "2", "?"] {
        pty.send(key);
    }
    sync(&pty);
    // Nothing is known of its link: it gets all that a fast one does.
    pty.wait_frame("a full frame", |screen| screen.contents().contains('╷'));
    quit(pty);
}

/// The answer that is due when the explorer ends is not typed into the shell.
#[test]
fn no_answer_is_left_to_the_shell() {
    let script = format!("{BIN} open {TRACE}; read -r -t 1 -n 1 typed; echo \"typed=<$typed>\"");
    for _ in 0..5 {
        let mut pty = Pty::spawn(&["bash", "-c", &script], &[], (80, 24));
        wait_ready(&pty);
        pty.send("wdq");
        pty.wait_for("typed=<>");
        pty.wait_exit();
    }
}

/// A pan moves what is shown already.
#[test]
fn a_pan_costs_few_bytes() {
    for (options, most) in
        [(&["--color", "true"][..], 6000), (&["--color", "256"], 5000), (&["--thin"], 3000)]
    {
        let pty = explore(options);
        pty.send("}www");
        sync(&pty);
        pty.settle();
        let mut costs = Vec::new();
        for _ in 0..6 {
            let before = pty.log().len();
            pty.send("d");
            pty.wait_bytes(before, "\x1b[?2026l");
            pty.settle();
            costs.push(pty.log().len() - before);
        }
        println!("{options:?}: {costs:?} bytes");
        assert!(costs.iter().all(|cost| *cost <= most), "{options:?}: {costs:?}");
        quit(pty);
    }
}
