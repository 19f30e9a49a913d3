//! Odd surroundings: signals that whoever started us ignores, commands that hang or read, programs that hang, signals without a name.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use proftui::model::Category;

use super::run::{BINARY, Place, named, python, read, said, wait};

#[test]
fn a_hang_that_is_killed_lasts_until_then() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let script = place.file(
        "train.py",
        "import os, signal, time\ndef step(n):\n    if n == 3:\n        time.sleep(1)\n        os.kill(os.getpid(), signal.SIGKILL)\n\
         for n in range(9): step(n)\n",
    );
    let out = place.capture(&["--step-on", "__main__:step"], &[&python, script.to_str().unwrap()]);
    assert_eq!(out.status.signal(), Some(9), "{}", said(&out));
    let loaded = read(&place.traces()[0]);
    assert_eq!(named(&loaded, Category::ProfileStep).len(), 4);
    let slices = &loaded.trace.slices;
    let longest = slices.dur.iter().max().unwrap();
    assert!(*longest > 900_000_000, "the step that hung took a second: {longest} ns");
}

#[test]
fn who_is_ignored_by_us_is_ignored_by_the_program() {
    let place = Place::new();
    let trap = |signal: &str, what: &str| {
        let line = format!("trap '' {signal}; exec \"$0\" capture -- sh -c '{what}'");
        place.within(Command::new("sh").args(["-c", &line, BINARY])).status().unwrap()
    };
    assert_eq!(trap("HUP", "kill -HUP $$; exit 7").code(), Some(7), "as by nohup");
    assert_eq!(trap("CHLD", "exit 7").code(), Some(7), "how it ended is told all the same");
}

#[test]
fn a_signal_without_a_name_ends_us_too() {
    let place = Place::new();
    let out = place.capture(&[], &["sh", "-c", "kill -40 $$"]);
    assert_eq!(out.status.signal(), Some(40), "{}", said(&out));
}

#[test]
fn the_persons_command_takes_nothing_from_the_program() {
    let place = Place::new();
    let mut child = place
        .proftui()
        .args([
            "capture",
            "--on-trace-ready",
            "cat - >>heard; echo",
            "--",
            "sh",
            "-c",
            "sleep 0.1; cat >input",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"for the program").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(place.path("input")).unwrap(), "for the program");
    assert_eq!(std::fs::read_to_string(place.path("heard")).unwrap(), "");
}

#[test]
fn nobody_waits_for_a_command_that_hangs_longer_than_wanted() {
    let place = Place::new();
    let mut child = place
        .proftui()
        .args(["capture", "--on-trace-ready", "touch hangs; exec sleep 9; :", "--", "sh", "-c", "exit 3"])
        .stderr(File::create(place.path("said")).unwrap())
        .spawn()
        .unwrap();
    wait(|| place.path("hangs").exists());
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(3), "the program's status all the same");
    let said = std::fs::read_to_string(place.path("said")).unwrap();
    assert!(said.contains("not done with 1 trace"), "{said}");
    assert_eq!(place.traces().len(), 1);
}

#[test]
fn a_process_with_numbers_of_its_own_is_not_taken_for_dead() {
    let Some(python) = python() else { return };
    let unshare = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let tried = Command::new("unshare").args(unshare).arg("true").output();
    if !tried.is_ok_and(|out| out.status.success()) {
        eprintln!("skipped: no process numbers of their own can be had here");
        return;
    }
    let place = Place::new();
    let script =
        place.file("train.py", "import time\ndef step(n): time.sleep(0.02)\nfor n in range(60): step(n)\n");
    // A second process there: the first one's number is that of none of ours.
    let line = format!("'{python}' '{}'; exit 3", script.display());
    let options = ["--step-on", "__main__:step", "--record", "50"];
    let command =
        ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "sh", "-c", &line];
    let out = place.capture(&options, &command);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    let traces = place.traces();
    let steps: Vec<usize> =
        traces.iter().map(|path| named(&read(path), Category::ProfileStep).len()).collect();
    assert_eq!(steps, [50, 10], "looked at while it ran: {}", said(&out));
}
