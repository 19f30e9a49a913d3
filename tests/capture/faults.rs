//! System calls of `proftui capture` that fail: the captured program runs as ever, or is not started and one
//! line says why; a trace that is not written is reported, and no folder is left unsaid.

#![cfg(target_os = "linux")]

use std::process::Command;

use super::fault::Faults;
use super::run::{BINARY, Sandbox, said};

/// System calls, as `tests/faults/system.c` names them, and the errors of one of them: ENOMEM, EMFILE, EIO,
/// EINTR, ENOSPC, EACCES, EXDEV.
const CALLS: [(&str, &str); 10] = [
    ("mmap", "12"),
    ("open", "24"),
    ("read", "5"),
    ("read", "4"),
    ("write", "28"),
    ("stat", "13"),
    ("link", "18"),
    ("rename", "13"),
    ("unlink", "13"),
    ("sync", "5"),
];

/// The status of the program.
const OWN: i32 = 7;

/// Captures a program with one call failing, and checks how that ended; true if the call came.
#[track_caller]
fn capture(faults: &Faults, call: &str, how: &str, number: u64) -> bool {
    let sandbox = Sandbox::new();
    let [launcher, words @ ..] = faults.of_system(call, how, number);
    let mut command = Command::new(launcher);
    command.args(words).args([BINARY, "capture", "--", "sh", "-c", &format!("exit {OWN}")]);
    let out = sandbox.within(&mut command).output().unwrap();
    let said = said(&out);
    let about = format!("{call} {how} {number}: {:?}, {said}", out.status.code());
    assert!(said.lines().all(|line| line.starts_with("proftui: ")), "{about}");
    match out.status.code() {
        Some(OWN) => {
            assert!(!sandbox.traces().is_empty() || !said.is_empty(), "{about}: no trace, and no reason");
        }
        Some(1 | 126) => assert!(sandbox.traces().is_empty() && said.lines().count() == 1, "{about}"),
        _ => panic!("{about}"),
    }
    let left = std::fs::read_dir(sandbox.path("run")).unwrap().map(|entry| entry.unwrap().file_name());
    for name in left {
        assert!(
            said.contains(name.to_str().unwrap()) || said.contains("proftui recover"),
            "{about}: {} is left",
            name.display()
        );
    }
    faults.has_come()
}

/// Has calls of each kind fail: the first, and each that `next` gives after one, until none comes.
fn captures(next: fn(u64) -> u64) {
    let what = "captures whose system calls fail";
    let Some(faults) = Faults::build(what).filter(|faults| faults.has_system(what)) else { return };
    for (call, how) in CALLS {
        let numbers = std::iter::successors(Some(1), |&number| Some(next(number)));
        let points = numbers.take_while(|&number| capture(&faults, call, how, number)).count();
        assert!(points > 0, "{call}: never called");
        println!("{call} {how}: {points} points");
    }
}

#[test]
fn some_system_calls_may_fail() {
    captures(|number| number + number.div_ceil(4));
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn any_system_call_may_fail() {
    captures(|number| number + 1);
}
