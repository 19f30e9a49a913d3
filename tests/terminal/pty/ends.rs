//! How the terminal layer ends by itself: asked to, by a panic, by refusing, when stuck.

use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::Signal;

use super::{CTRL_C, SOON, assert_left_clean, demo_bin, plain, within};
use crate::rig::Pty;

#[test]
fn quits_by_q_and_by_ctrl_c() {
    for key in ["q", CTRL_C] {
        within(SOON, key, || {
            let mut demo = plain();
            assert_ne!(demo.settings(), demo.found, "raw mode is on");
            assert!(demo.look(|screen| screen.alternate_screen() && screen.hide_cursor()));
            let typed = Instant::now();
            demo.send(key);
            let exit = demo.wait_exit();
            assert_eq!((exit.code, exit.signal), (0, None), "{key:?}");
            assert_left_clean(&demo);
            exit.at - typed
        });
    }
}

#[test]
fn a_panic_of_the_ui_restores_first_and_is_one_plain_line() {
    let mut demo = plain();
    demo.send("P");
    let exit = demo.wait_exit();
    assert_eq!((exit.code, exit.signal), (101, None));
    assert_left_clean(&demo);
    let text = demo.text();
    let after = &text[text.rfind("\x1b[?1049l").unwrap() + 8..];
    assert!(after.contains("boom \\u{1b}[31m on the UI thread (examples/terminal.rs:"), "{after:?}");
    assert!(after.trim_end().ends_with("this is a bug in proftui, please report it"), "{after:?}");
    assert_eq!(after.matches('\n').count(), 1, "{after:?}");
    assert!(!after.contains('\x1b'), "{after:?}");
}

#[test]
fn a_panic_of_a_worker_is_shown_and_the_ui_goes_on() {
    let mut demo = plain();
    demo.send("T");
    demo.wait_for("job failed: job: boom in a worker (examples/terminal.rs:");
    assert!(demo.look(vt100::Screen::alternate_screen));
    assert_ne!(demo.settings(), demo.found, "raw mode is still on");
    demo.send("w");
    demo.wait_for("key w");
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}

#[test]
fn refuses_what_is_no_terminal() {
    let run = Command::new(demo_bin()).stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stdout.is_empty());
    assert!(said.contains("not a terminal"), "{said}");
    assert_eq!(said.matches('\n').count(), 1);
}

#[test]
fn refuses_a_dumb_terminal_with_a_hint() {
    let mut demo = Pty::spawn(&[demo_bin()], &[("TERM", "dumb")], (80, 24));
    assert_eq!(demo.wait_exit().code, 1);
    let text = demo.text();
    assert!(text.contains("TERM=xterm-256color") && !text.contains('\x1b'), "{text}");
    assert_eq!(text.matches('\n').count(), 1);
    assert_eq!(demo.settings(), demo.found);
}

/// The far end takes no more bytes while frames are being written.
#[test]
fn a_stalled_terminal_can_be_left() {
    for how in ["q", "TERM"] {
        within(2 * SOON, how, || {
            let mut demo = Pty::spawn(&[demo_bin()], &[], (200, 60));
            demo.wait_for("size 200x60");
            demo.send("F");
            demo.wait_until("a full screen", |screen| screen.contents().lines().count() > 50);
            demo.pause();
            let asked = Instant::now();
            match how {
                "q" => demo.send("q"),
                _ => demo.signal(Signal::TERM),
            }
            let exit = demo.wait_exit();
            assert_eq!(exit.signal.is_some(), how == "TERM");
            demo.go_on();
            demo.settle();
            assert_left_clean(&demo);
            exit.at - asked
        });
    }
}

#[test]
fn a_hung_program_is_left_by_ctrl_c() {
    within(SOON, "hung", || {
        let mut demo = plain();
        demo.send("H");
        // The loop hangs in a sleep; of the keys before Ctrl-C, only some have room in its channel.
        demo.wait_idle();
        let typed = Instant::now();
        demo.send(&format!("{}{CTRL_C}", "x".repeat(1000)));
        let exit = demo.wait_exit();
        assert_eq!((exit.code, exit.signal), (0, None));
        assert_left_clean(&demo);
        exit.at - typed
    });
}
