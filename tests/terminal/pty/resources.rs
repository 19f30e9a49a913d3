//! Memory, files and threads that fail while the explorer runs: it goes on, or ends with 1, the terminal
//! restored, and one line that says why.

use std::thread;
use std::time::{Duration, Instant};

use super::ESC;
use super::explorer::{BIN, TRACE};
use crate::fault::Faults;
use crate::rig::{Exit, Pty};
use crate::tape::LIMIT;

/// Printed where the explorer ended before its fault.
const NOT_INJECTED: &str = "the fault of PROFTUI_FAULT was not injected";

/// Waits until the screen says this, or the program has ended.
#[track_caller]
fn wait_or_end(pty: &mut Pty, text: &str) -> bool {
    let start = Instant::now();
    while !pty.contents().contains(text) {
        if pty.ended().is_some() {
            return false;
        }
        assert!(start.elapsed() < LIMIT, "waited in vain:\n{}", pty.contents());
        thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Opens a trace, by a command line behind these words, chooses a pane and another, searches, and quits.
#[track_caller]
fn explore(words: &[&str], env: &[(&str, &str)]) -> (Pty, Exit) {
    let mut pty = Pty::spawn(&[words, &[BIN, "open", TRACE]].concat(), env, (100, 30));
    if wait_or_end(&mut pty, "? help") {
        pty.send("l]5\t");
        for key in ["/gemm\r", ":quit"] {
            thread::sleep(Duration::from_millis(20));
            pty.send(&format!("{ESC}{ESC}{key}"));
        }
        thread::sleep(Duration::from_millis(20));
        pty.send(&format!("{ESC}{ESC}{ESC}q"));
    }
    let exit = pty.wait_exit();
    (pty, exit)
}

/// Checks how the explorer ended after a fault; true if it said why it ended.
#[track_caller]
fn check(about: &str, pty: &Pty, exit: &Exit) -> bool {
    let text = pty.text();
    assert_eq!(pty.settings(), pty.found, "{about}: termios\n{text:?}");
    let is_restored = |screen: &vt100::Screen| {
        !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
    };
    assert!(pty.look(is_restored), "{about}: the terminal is not restored");
    let after = text.rfind("\x1b[?1049l").map_or(text.as_str(), |at| &text[at + 8..]);
    let after = after.replace("\x1b[?25h", "");
    // Keys that were typed after the end are echoed.
    let is_said = |line: &&str| !line.contains(NOT_INJECTED) && !line.contains("^[");
    let said: Vec<&str> = after.lines().filter(is_said).collect();
    match (exit.code, &exit.signal) {
        (0, None) => assert!(said.is_empty(), "{about}: {said:?}"),
        (1, None) => assert!(said.len() == 1 && said[0].starts_with("proftui: "), "{about}: {said:?}"),
        _ => panic!("{about}: {exit:?}: {said:?}"),
    }
    exit.code == 1
}

#[test]
fn any_allocation_may_fail() {
    for kind in ["allocation", "memory"] {
        let (mut points, mut ended) = (0, 0);
        for number in (0..32).map(|power| 1_u64 << power) {
            let (pty, exit) = explore(&[], &[("PROFTUI_FAULT", &format!("{kind}@start:{number}"))]);
            ended += u32::from(check(&format!("{kind} {number}"), &pty, &exit));
            if pty.text().contains(NOT_INJECTED) {
                break;
            }
            points += 1;
        }
        assert!(points > 10, "{points}");
        println!("{kind}: {points} points, {ended} ended with a line");
    }
}

/// Has call after call of a kind fail, by `run`, until one does not come.
#[track_caller]
fn inject(what: &str, faults: &Faults, run: impl Fn(u64) -> (Pty, Exit)) {
    let (mut points, mut ended) = (0, 0);
    for number in (1..=8).chain((4..16).map(|power| 1 << power)) {
        let (pty, exit) = run(number);
        ended += u32::from(check(&format!("{what} {number}"), &pty, &exit));
        if !faults.has_come() {
            break;
        }
        points += 1;
    }
    assert!(points > 3, "{what}: {points}");
    println!("{what}: {points} points, {ended} ended with a line");
}

#[test]
fn any_call_may_fail() {
    let Some(faults) = Faults::build("the explorer, whose calls of the C library fail") else { return };
    // EMFILE, EIO, EINTR, EAGAIN.
    for (call, how) in [("open", "24"), ("read", "5"), ("read", "4"), ("read", "short"), ("thread", "11")] {
        inject(&format!("{call} {how}"), &faults, |number| {
            let env = faults.of_library(call, how, number);
            explore(&[], &env.each_ref().map(|(name, value)| (*name, value.as_str())))
        });
    }
}

#[test]
fn any_system_call_may_fail() {
    let what = "the explorer, whose system calls fail";
    let Some(faults) = Faults::build(what).filter(|faults| faults.has_system(what)) else { return };
    // ENOMEM, EIO, EINTR, EACCES.
    for (call, how) in [("mmap", "12"), ("read", "5"), ("read", "4"), ("stat", "13")] {
        inject(&format!("system call {call} {how}"), &faults, |number| {
            let words = faults.of_system(call, how, number);
            explore(&words.each_ref().map(String::as_str), &[])
        });
    }
}
