//! Every signal that ends a program, aborts, and stack overflows: the terminal is restored, and the program
//! ends by that signal.

use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::process::Signal;

use super::explorer::{BIN, TRACE, as_job, plain, stop, wait_ready};
use super::{SOON, assert_left_clean, demo, demo_bin, eventually, state, within};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// The signals that end a program by default, and how the system calls them; but KILL, which cannot be
/// handled, HUP, after which the program ends with a status of its own, and PIPE, which every Rust program
/// ignores.
pub(super) const DEADLY: [(Signal, &str); 20] = [
    (Signal::INT, "Interrupt"),
    (Signal::QUIT, "Quit"),
    (Signal::ILL, "Illegal instruction"),
    (Signal::TRAP, "Trace/breakpoint trap"),
    (Signal::ABORT, "Aborted"),
    (Signal::BUS, "Bus error"),
    (Signal::FPE, "Floating point exception"),
    (Signal::USR1, "User defined signal 1"),
    (Signal::SEGV, "Segmentation fault"),
    (Signal::USR2, "User defined signal 2"),
    (Signal::ALARM, "Alarm clock"),
    (Signal::TERM, "Terminated"),
    (Signal::STKFLT, "Stack fault"),
    (Signal::XCPU, "CPU time limit exceeded"),
    (Signal::XFSZ, "File size limit exceeded"),
    (Signal::VTALARM, "Virtual timer expired"),
    (Signal::PROF, "Profiling timer expired"),
    (Signal::IO, "I/O possible"),
    (Signal::POWER, "Power failure"),
    (Signal::SYS, "Bad system call"),
];

/// Sends a signal, and checks that the program ends by it, soon and without a word. Returns how long that
/// took.
fn end(mut pty: Pty, signal: Signal, name: &str) -> Duration {
    assert_ne!(pty.settings(), pty.found, "{name}: raw mode was on");
    assert!(pty.look(vt100::Screen::alternate_screen), "{name}: on the alternate screen");
    let sent = Instant::now();
    pty.signal(signal);
    let exit = pty.wait_exit();
    assert_eq!(exit.signal.as_deref(), Some(name));
    assert_left_clean(&pty);
    assert!(pty.text().ends_with("\x1b[?1049l"), "{name}: not a word");
    exit.at - sent
}

#[test]
fn every_signal_restores_the_terminal_and_ends_the_explorer() {
    for (signal, name) in DEADLY {
        within(SOON, name, || end(plain(), signal, name));
    }
}

/// The kinds of signals, at moments at which the terminal has more modes on, or a frame is half written.
#[test]
fn signals_restore_the_terminal_at_every_moment() {
    let scratch = Scratch::new("deadly");
    let fifo = scratch.path("fifo.json");
    rustix::fs::mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
    let _writer = rustix::fs::open(&fifo, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let loading = || {
        let pty = Pty::spawn(&[BIN, "open", &fifo], &[], (80, 24));
        pty.wait_for("q quits");
        pty
    };
    let prompt = || {
        let pty = plain();
        pty.send("/");
        pty.wait_until("bracketed paste", vt100::Screen::bracketed_paste);
        pty
    };
    let filling = || {
        let pty = Pty::spawn(&[demo_bin()], &[], (200, 60));
        pty.wait_for("size 200x60");
        pty.send("F");
        pty.wait_until("a full screen", |screen| screen.contents().lines().count() > 50);
        pty
    };
    for moment in [&loading as &dyn Fn() -> Pty, &prompt, &filling] {
        for (signal, name) in DEADLY.into_iter().filter(|(signal, _)| {
            [Signal::ABORT, Signal::USR1, Signal::ALARM, Signal::XCPU, Signal::SEGV].contains(signal)
        }) {
            end(moment(), signal, name);
        }
    }
}

/// Signals that a system gives no names.
#[test]
fn real_time_signals_restore_the_terminal() {
    for (number, name) in [("34", "Real-time signal 0"), ("64", "Real-time signal 30")] {
        let mut pty = plain();
        let pid = pty.pid.as_raw_nonzero().to_string();
        let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{number} {pid}")]).status();
        assert!(sent.unwrap().success());
        assert_eq!(pty.wait_exit().signal.as_deref(), Some(name));
        assert_left_clean(&pty);
    }
}

/// A shell that starts a program with signals ignored wants them ignored: `nohup`, and jobs in the background
/// of a script.
#[test]
fn signals_that_are_ignored_stay_ignored() {
    let ignoring = format!("trap '' HUP INT QUIT USR1 ALRM; exec {BIN} open {TRACE}");
    let mut pty = Pty::spawn(&["sh", "-c", &ignoring], &[], (80, 24));
    wait_ready(&pty);
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::USR1, Signal::ALARM] {
        pty.signal(signal);
    }
    pty.wait_idle();
    pty.send("/");
    pty.wait_until("the prompt", vt100::Screen::bracketed_paste);
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_exit().signal.as_deref(), Some("Terminated"));
    assert_left_clean(&pty);
}

/// The first restores the terminal, however close the second is, and whichever thread takes it.
#[test]
fn two_signals_at_once_restore_the_terminal() {
    for (first, second) in
        [(Signal::USR1, Signal::USR1), (Signal::ABORT, Signal::TERM), (Signal::HUP, Signal::ALARM)]
    {
        let mut pty = plain();
        pty.signal(first);
        pty.signal_again(second);
        let exit = pty.wait_exit();
        assert!(exit.signal.is_some() || exit.code == 129, "{exit:?}");
        assert_left_clean(&pty);
    }
}

/// Nothing is on while the program is stopped: the shell has the terminal.
#[test]
fn a_signal_to_the_stopped_program_leaves_the_terminal_to_the_shell() {
    let mut pty = as_job();
    stop(&pty);
    let mark = pty.log().len();
    let job = child_of(&pty);
    eventually(|| state(job) == 'T');
    rustix::process::kill_process(job, Signal::USR1).unwrap();
    pty.send("\n");
    pty.wait_for("end=138");
    pty.wait_exit();
    assert_left_clean(&pty);
    let after = String::from_utf8_lossy(&pty.log()[mark..]).into_owned();
    assert_eq!(after.matches("\x1b[?1049h").count(), after.matches("\x1b[?1049l").count(), "{after:?}");
}

/// The only child of the program that was started.
fn child_of(pty: &Pty) -> rustix::process::Pid {
    let pid = pty.pid.as_raw_nonzero();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    rustix::process::Pid::from_raw(children.trim().parse().unwrap()).unwrap()
}

/// A shell's limit of processor time.
#[test]
fn a_limit_of_processor_time_restores_the_terminal() {
    let limited = format!("ulimit -S -t 1; exec {}", demo_bin());
    let mut pty = Pty::spawn(&["sh", "-c", &limited], &[], (200, 60));
    pty.wait_for("size 200x60");
    pty.send("FFFF");
    let exit = pty.wait_exit();
    assert_eq!(exit.signal.as_deref(), Some("CPU time limit exceeded"));
    assert_left_clean(&pty);
}

/// What a fault of the program's own says, behind the end of the alternate screen, where it can be read.
#[test]
fn faults_of_the_program_restore_the_terminal_first_and_say_so() {
    for (keys, said) in [
        ("A", "proftui: crashed by SIGABRT; this is a bug in proftui, please report it\r\n"),
        ("a", "proftui: crashed by SIGABRT; this is a bug in proftui, please report it\r\n"),
        ("O", "has overflowed its stack"),
        ("o", "has overflowed its stack"),
        ("D", "proftui: crashed by SIGABRT"),
    ] {
        let mut pty = demo(&[], (80, 24));
        pty.send(keys);
        let exit = pty.wait_exit();
        assert_eq!(exit.signal.as_deref(), Some("Aborted"), "{keys}");
        assert_left_clean(&pty);
        let text = pty.text();
        let after = &text[text.rfind("\x1b[?1049l").unwrap() + 8..];
        assert!(after.contains(said), "{keys}: {after:?}");
        assert_eq!(after.matches("crashed by").count(), 1, "{keys}: {after:?}");
    }
}
