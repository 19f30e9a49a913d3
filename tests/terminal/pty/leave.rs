//! Whatever ends the explorer: the terminal is as it was found, it is soon, and the exit status says why.

use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::process::Signal;

use super::explorer::{BIN, TRACE, as_job, explore, picture, plain, quit, stop, sync, wait_ready};
use super::{CTRL_C, CTRL_Z, SOON, assert_left_clean, eventually, state, within};
use crate::rig::{Exit, Pty};
use crate::scratch::Scratch;

/// A way to leave: its name, how it is taken, the exit code or else the name of the signal.
type Way = (&'static str, fn(&Pty), Result<u32, &'static str>);

const WAYS: &[Way] = &[
    ("q", |pty| pty.send("q"), Ok(0)),
    ("Ctrl-C", |pty| pty.send(CTRL_C), Ok(0)),
    ("TERM", |pty| pty.signal(Signal::TERM), Err("Terminated")),
    ("INT", |pty| pty.signal(Signal::INT), Err("Interrupt")),
    ("QUIT", |pty| pty.signal(Signal::QUIT), Err("Quit")),
    ("HUP", |pty| pty.signal(Signal::HUP), Ok(129)),
];

/// Leaves a program that `start` brings up; how long it took.
fn leave(start: impl Fn() -> Pty, (name, act, end): Way) -> Duration {
    let mut pty = start();
    assert_ne!(pty.settings(), pty.found, "{name}: raw mode was on");
    assert!(pty.look(|screen| screen.alternate_screen() && screen.hide_cursor()), "{name}");
    let asked = Instant::now();
    act(&pty);
    let exit = pty.wait_exit();
    assert_ended(name, &exit, end);
    assert_left_clean(&pty);
    assert!(pty.text().ends_with("\x1b[?1049l"), "{name}: not a word");
    exit.at - asked
}

fn assert_ended(name: &str, exit: &Exit, end: Result<u32, &str>) {
    match (end, &exit.signal) {
        (Ok(code), None) => assert_eq!(exit.code, code, "{name}"),
        (Err(signal), Some(by)) => assert!(by.starts_with(signal), "{name}: {exit:?}"),
        _ => panic!("{name}: {exit:?}"),
    }
}

#[test]
fn leaves_the_terminal_as_it_was() {
    for &way in WAYS {
        within(SOON, way.0, || leave(plain, way));
    }
}

/// A pipe that nobody writes to keeps the explorer loading.
#[test]
fn leaves_while_it_loads() {
    let scratch = Scratch::new("loading");
    let fifo = scratch.path("fifo.json");
    rustix::fs::mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
    let _writer = rustix::fs::open(&fifo, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let loading = || {
        let pty = Pty::spawn(&[BIN, "open", &fifo], &[], (80, 24));
        pty.wait_for("q quits");
        pty
    };
    for &way in WAYS {
        within(SOON, way.0, || leave(loading, way));
    }
}

#[test]
fn a_hang_up_ends_it() {
    let ignoring = format!("trap '' HUP; exec {BIN} open {TRACE}");
    for command in [&[BIN, "open", TRACE][..], &["sh", "-c", &ignoring]] {
        within(SOON, command[0], || {
            let mut pty = Pty::spawn(command, &[], (80, 24));
            wait_ready(&pty);
            let gone = Instant::now();
            pty.hang_up();
            let exit = pty.wait_exit();
            assert_ended(command[0], &exit, Ok(129));
            exit.at - gone
        });
    }
}

/// Also with a prompt, the help and a pane open, and after much drawing.
#[test]
fn ctrl_c_leaves_from_everywhere() {
    for keys in ["/aten", ":zoom", "g12", "?", "\t", "ll\r2o", "WWWWSSSSDDDD"] {
        let mut pty = plain();
        pty.send(keys);
        pty.send(CTRL_C);
        let exit = pty.wait_exit();
        assert_ended(keys, &exit, Ok(0));
        assert_left_clean(&pty);
    }
}

/// The shell gets its terminal back as it was, `fg` brings the explorer back as it was.
#[test]
fn stops_for_the_shell_and_comes_back() {
    let mut pty = as_job();
    pty.send("wwdl");
    sync(&pty);
    let before = pty.look(picture);
    stop(&pty);
    assert_left_clean(&pty);
    pty.send("\n");
    pty.wait_frame("the explorer as it was", |screen| picture(screen) == before);
    assert!(pty.look(|screen| screen.alternate_screen() && screen.hide_cursor()));
    assert_ne!(pty.settings(), pty.found, "raw mode is back");
    pty.send("q");
    pty.wait_for("end=0");
    pty.wait_exit();
    assert_left_clean(&pty);
}

/// Nobody could bring it back: there is no shell above it.
#[test]
fn without_a_shell_a_suspension_is_ignored() {
    let pty = plain();
    let before = pty.log().len();
    pty.send(CTRL_Z);
    pty.wait_bytes(before, "\x1b[?1049h");
    assert_ne!(state(pty.pid), 'T');
    sync(&pty);
    quit(pty);
}

/// As after `kill -STOP` under a shell that takes its line settings back.
#[test]
fn a_stop_without_warning_is_survived() {
    let pty = explore(TRACE, &[], (80, 24));
    pty.wait_frame("the verdict", |screen| screen.contents().contains("row 1 of"));
    // Jobs may still add to the screen.
    pty.settle();
    let (shown, raw) = (pty.look(picture), pty.settings());
    pty.signal(Signal::STOP);
    eventually(|| state(pty.pid) == 'T');
    pty.cook();
    let before = pty.log().len();
    pty.signal(Signal::CONT);
    eventually(|| pty.settings() == raw);
    pty.wait_bytes(before, "\x1b[2J");
    pty.wait_frame("the screen again", |screen| picture(screen) == shown);
    quit(pty);
}
