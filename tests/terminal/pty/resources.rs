//! Memory, files and threads that fail while the explorer runs: it goes on, or ends with 1, the terminal restored, and one line that says
//! why.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::ESC;
use super::explorer::{BIN, TRACE};
use crate::rig::{Exit, Pty};
use crate::scratch::Scratch;
use crate::tape::LIMIT;
use crate::tools::compile;

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

/// Opens a trace, chooses a pane and another, searches, and quits.
#[track_caller]
fn explore(env: &[(&str, &str)]) -> (Pty, Exit) {
    let mut pty = Pty::spawn(&[BIN, "open", TRACE], env, (100, 30));
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
            let (pty, exit) = explore(&[("PROFTUI_FAULT", &format!("{kind}@start:{number}"))]);
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

#[test]
fn any_call_may_fail() {
    let library = Scratch::new("calls");
    let so = library.path("calls.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/calls.c");
    let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", &so, source, "-ldl"];
    if compile("the explorer, whose calls of the C library fail", arguments).is_none() {
        return;
    }
    let mark = library.path("mark");
    // EMFILE, EIO, EINTR, EAGAIN.
    for (call, how) in [("open", "24"), ("read", "5"), ("read", "4"), ("read", "short"), ("thread", "11")] {
        let (mut points, mut ended) = (0, 0);
        for number in (1..=8).chain((4..16).map(|power| 1 << power)) {
            let _ = std::fs::remove_file(&mark);
            let number = u32::to_string(&number);
            let env = [
                ("LD_PRELOAD", so.as_str()),
                ("FAULT_CALL", call),
                ("FAULT_HOW", how),
                ("FAULT_NUMBER", &number),
                ("FAULT_MARK", &mark),
            ];
            let (pty, exit) = explore(&env);
            ended += u32::from(check(&format!("{call} {how} {number}"), &pty, &exit));
            if !Path::new(&mark).exists() {
                break;
            }
            points += 1;
        }
        assert!(points > 3, "{call}: {points}");
        println!("{call} {how}: {points} points, {ended} ended with a line");
    }
}
