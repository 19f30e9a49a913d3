//! The explorer over a slow link: one frame is on its way at a time, so that what is typed last is seen soon;
//! and what a frame costs.
//!
//! `cargo test --test terminal link:: -- --nocapture` prints the bytes.

use std::thread;
use std::time::{Duration, Instant};

use super::explorer::{BIN, TRACE, quit, sync, wait_ready};
use crate::rig::Pty;

const SIZE: (u16, u16) = (200, 50);
/// Bytes per second of the slow link.
const SLOW: usize = 2000;
/// The most bytes that come after the last key: the rest of the frame that is on its way, and the last one.
const SETTLED: usize = 3 * SLOW;

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

#[test]
fn what_is_typed_last_is_seen_soon() {
    for options in [&["--thin=auto"][..], &["--thin"]] {
        let command = [&[BIN, "open", TRACE], options].concat();
        let pty = Pty::spawn(&command, &[], SIZE);
        pty.throttle(SLOW);
        wait_ready(&pty);
        while !pty.quiet(Duration::from_secs(1)) {}
        let bytes = bytes_after_keys(&pty);
        println!("{options:?}: {bytes} bytes after the last key");
        assert!(bytes <= SETTLED, "{options:?}: {bytes}");
        pty.throttle(0);
        sync(&pty);
        quit(pty);
    }
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
