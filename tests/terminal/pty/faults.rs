//! Faults within the explorer, injected at each stage of its work on whichever thread does it: panics,
//! aborts, failed allocations, threads that cannot be started. The terminal is restored, the exit status is
//! that of the fault, and one line says what happened.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::explorer::{BIN, TRACE};
use super::{assert_left_clean, demo_bin};
use crate::rig::Pty;
use crate::scratch::Scratch;
use crate::skip;

/// Stages of the explorer's work. Those before the terminal is entered, and those of other commands, are not
/// here.
const STAGES: [&str; 4] = ["import", "index", "draw", "view"];

/// Runs the explorer with a fault; opening a trace brings it to each stage. Returns how it ended, and what it
/// said behind the end of the alternate screen.
fn explore_with(fault: &str) -> (Result<u32, String>, String) {
    let mut pty = Pty::spawn(&[BIN, "open", TRACE], &[("PROFTUI_FAULT", fault)], (80, 24));
    // The first pane is a summary. A panic of a thread beside the loop is shown, and the explorer goes on
    // until `q`.
    let deadline = std::time::Instant::now() + crate::tape::LIMIT;
    while pty.ended().is_none() && !pty.contents().contains("background task failed") {
        assert!(std::time::Instant::now() < deadline, "{fault}: still alive; screen:\n{}", pty.contents());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    if pty.ended().is_none() {
        pty.send("qq");
    }
    let exit = pty.wait_exit();
    assert_left_clean(&pty);
    let text = pty.text();
    let said = text.rsplit_once("\x1b[?1049l").map_or(text.as_str(), |(_, after)| after);
    // The terminal echoes its own answer to a probe that a program that has ended did not read.
    (exit.signal.map_or(Ok(exit.code), Err), said.replace("^[[0n", "").trim_end().to_owned())
}

#[track_caller]
fn assert_one_line(said: &str, fault: &str) {
    assert!(said.starts_with("proftui: ") && said.lines().count() == 1, "{fault}: {said:?}");
}

#[test]
fn a_panic_at_each_stage_is_one_line() {
    for stage in STAGES {
        let fault = format!("panic@{stage}");
        let (end, said) = explore_with(&fault);
        match (stage, &end) {
            // On a thread that loads: the explorer has nothing to show.
            ("import" | "index", Ok(1)) | ("draw" | "view", Ok(101)) => assert_one_line(&said, &fault),
            // On a thread that makes a summary.
            ("view", Ok(0)) => assert_eq!(said, "", "{fault}"),
            _ => panic!("{fault}: {end:?}, {said:?}"),
        }
    }
}

#[test]
fn an_abort_at_each_stage_is_one_line() {
    for stage in STAGES {
        let fault = format!("abort@{stage}");
        let (end, said) = explore_with(&fault);
        assert_eq!(end, Err("Aborted".to_owned()), "{fault}: {said:?}");
        assert_eq!(
            said, "proftui: crashed by SIGABRT; this is a bug in proftui, please report it",
            "{fault}"
        );
    }
}

#[test]
fn a_failed_allocation_at_each_stage_is_one_line() {
    for stage in STAGES {
        for kind in ["allocation", "memory"] {
            for number in [1, 10, 100] {
                let fault = format!("{kind}@{stage}:{number}");
                let (end, said) = explore_with(&fault);
                assert_eq!(end, Ok(1), "{fault}: {said:?}");
                assert_one_line(&said, &fault);
                assert!(said.contains("memory"), "{fault}: {said:?}");
            }
        }
    }
}

/// A user who may start only so many threads: the kernel refuses that to all but root, so root becomes
/// another user for it.
#[test]
fn threads_that_cannot_be_started_are_one_line() {
    let what = "a limit of threads";
    if !rustix::process::geteuid().is_root() {
        return skip::excused(what, "not root", "root, who can become another user without processes");
    }
    let has = |tool: &str| Path::new("/usr/bin").join(tool).exists();
    if !has("setpriv") {
        return skip::lacks_tool(what, "no setpriv", "util-linux");
    }
    // A user without a name and without processes, to whom the folder of the build may be closed.
    let user = 61_000 + std::process::id() % 1000;
    let scratch = Scratch::new("threads");
    let copy = scratch.path("terminal");
    fs::copy(demo_bin(), &copy).unwrap();
    for path in [Path::new(&copy).parent().unwrap(), Path::new(&copy)] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for threads in 1..=5 {
        let script =
            format!("ulimit -u {threads}; exec setpriv --reuid {user} --regid {user} --clear-groups {copy}");
        let mut pty = Pty::spawn(&["bash", "-c", &script], &[], (80, 24));
        // The program has five threads.
        if threads == 5 {
            pty.wait_for("size 80x24");
            pty.send("q");
        }
        let exit = pty.wait_exit();
        let text = pty.text();
        if text.contains('\x1b') {
            assert_left_clean(&pty);
        }
        assert_eq!(pty.settings(), pty.found, "{threads}: termios");
        assert_eq!((exit.code, exit.signal), (u32::from(threads < 5), None), "{threads}: {text:?}");
        let said = text.rsplit_once("\x1b[?1049l").map_or(text.as_str(), |(_, after)| after);
        if threads < 5 {
            assert!(
                said.contains("cannot start a thread") && said.lines().count() == 1,
                "{threads}: {said:?}"
            );
        }
    }
}
