//! Odd surroundings: signals that whoever started us ignores, commands that hang or read, programs that hang,
//! signals without a name.

use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};

use proftui_trace::model::Category;

use super::run::{BINARY, Sandbox, named, python, read, said, wait};

#[test]
fn a_hang_that_is_killed_lasts_until_then() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        "import os, signal, time\ndef step(n):\n    if n == 3:\n        time.sleep(1)\n        os.kill(os.getpid(), signal.SIGKILL)\n\
         for n in range(9): step(n)\n",
    );
    let out = sandbox.capture(&["--step-on", "__main__:step"], &[python, script.to_str().unwrap()]);
    assert_eq!(out.status.signal(), Some(9), "{}", said(&out));
    let loaded = read(&sandbox.traces()[0]);
    assert_eq!(named(&loaded, Category::ProfileStep).len(), 4);
    let slices = &loaded.trace.slices;
    let longest = slices.dur.iter().max().unwrap();
    assert!(*longest > 900_000_000, "the step that hung took a second: {longest} ns");
}

#[test]
fn who_is_ignored_by_us_is_ignored_by_the_program() {
    let sandbox = Sandbox::new();
    let trap = |signal: &str, what: &str| {
        let line = format!("trap '' {signal}; exec \"$0\" capture -- sh -c '{what}'");
        sandbox.within(Command::new("sh").args(["-c", &line, BINARY])).status().unwrap()
    };
    assert_eq!(trap("HUP", "kill -HUP $$; exit 7").code(), Some(7), "as by nohup");
    assert_eq!(trap("CHLD", "exit 7").code(), Some(7), "how it ended is reported all the same");
}

/// Has us ignore `trap`, runs a Python program that handles `signal`, and sends it to us once; what the
/// program printed.
fn handled(sandbox: &Sandbox, python: &str, trap: &str, signal: &str) -> String {
    let script = sandbox.file(
        "handles.py",
        "import signal, sys, time\ndef handle(number, frame):\n    print('handled', flush=True)\n    sys.exit()\n\
         signal.signal(getattr(signal, sys.argv[1]), handle)\nprint('ready', flush=True)\ntime.sleep(30)\n",
    );
    let line = format!("trap '' {trap}; exec \"$@\"");
    let out = || std::fs::read_to_string(sandbox.path("out")).unwrap();
    let mut child = sandbox
        .within(Command::new("sh").args(["-c", &line, "sh", BINARY, "capture", "--", python]))
        .arg(script)
        .arg(format!("SIG{signal}"))
        .stdout(File::create(sandbox.path("out")).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait(|| out().contains("ready"));
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert!(child.wait().unwrap().success(), "{signal}");
    out()
}

#[test]
fn what_the_program_handles_comes_to_it() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // As a shell does for what it starts in the background: the program takes it up again.
    assert!(handled(&sandbox, python, "INT", "INT").contains("handled"));
    assert!(handled(&sandbox, python, "USR1", "ALRM").contains("handled"));
}

#[test]
fn who_stops_us_stops_the_program() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .proftui()
        .args(["capture", "--", "sh", "-c", "echo $$ >number; exec sleep 30"])
        // A group of its own has somebody who could wake it: nobody else's is stopped.
        .process_group(0)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let number = || std::fs::read_to_string(sandbox.path("number")).unwrap_or_default();
    wait(|| number().ends_with('\n'));
    let state = |number: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap();
        stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
    };
    let (ours, theirs) = (child.id().to_string(), number());
    let send = |signal: &str| assert!(Command::new("kill").args([signal, &ours]).status().unwrap().success());
    send("-TSTP");
    wait(|| state(&ours) == 'T' && state(&theirs) == 'T');
    send("-CONT");
    wait(|| state(&ours) != 'T' && state(&theirs) != 'T');
    send("-TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
fn a_script_that_does_not_say_what_runs_it_is_run_by_the_shell() {
    let sandbox = Sandbox::new();
    let script = sandbox.file("script", "echo \"$0 $1\"\nexit 9\n");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let out = sandbox.capture(&[], &["./script", "one"]);
    assert_eq!(out.status.code(), Some(9), "{}", said(&out));
    assert_eq!(String::from_utf8_lossy(&out.stdout), "./script one\n");
    let mut search = sandbox.proftui();
    search.env("PATH", format!("{}:/usr/bin:/bin", sandbox.path("").display()));
    let out = search.args(["capture", "--", "script", "two"]).output().unwrap();
    assert_eq!(
        (out.status.code(), String::from_utf8_lossy(&out.stdout).ends_with("script two\n")),
        (Some(9), true)
    );
}

#[test]
fn a_limit_of_files_keeps_a_trace_from_being_written_and_nothing_else() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // Long names: the trace is many times larger than what it is made of.
    let script = sandbox.file(
        "train.py",
        "import _proftui\nt = _proftui.name(14, 'a long name' * 40)\nfor n in range(9000):\n    _proftui.begin(t)\n    _proftui.end()\n",
    );
    // The shell counts in blocks of 512 bytes: 2 MiB.
    let limited = |arguments: &str| {
        let line = format!("ulimit -f 4096; exec \"$0\" {arguments}");
        sandbox.within(Command::new("sh").args(["-c", &line, BINARY])).output().unwrap()
    };
    // What processes load is put there without a limit.
    assert!(sandbox.capture(&["--timer-only"], &["true"]).status.success());
    let out = limited(&format!("capture -- '{python}' '{}'; exit 3", script.display()));
    assert!(out.status.success(), "{}: {}", out.status, said(&out));
    assert!(
        said(&out).contains("File too large") && said(&out).contains("proftui recover"),
        "{}",
        said(&out)
    );
    assert!(!said(&out).contains("cannot be written: cannot"), "{}", said(&out));
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (0, 1));
    let out = limited("recover");
    assert!(said(&out).contains("File too large"), "{}: {}", out.status, said(&out));
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (0, 1));
    assert!(sandbox.proftui().arg("recover").status().unwrap().success());
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (1, 0));
}

#[test]
fn a_signal_without_a_name_ends_us_too() {
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&[], &["sh", "-c", "kill -40 $$"]);
    assert_eq!(out.status.signal(), Some(40), "{}", said(&out));
}

#[test]
fn the_persons_command_takes_nothing_from_the_program() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
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
    assert_eq!(std::fs::read_to_string(sandbox.path("input")).unwrap(), "for the program");
    assert_eq!(std::fs::read_to_string(sandbox.path("heard")).unwrap(), "");
}

#[test]
fn nobody_waits_for_a_command_that_hangs_longer_than_wanted() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .proftui()
        .args(["capture", "--on-trace-ready", "touch hangs; exec sleep 9; :", "--", "sh", "-c", "exit 3"])
        .stderr(File::create(sandbox.path("said")).unwrap())
        .spawn()
        .unwrap();
    wait(|| sandbox.path("hangs").exists());
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(3), "the program's status all the same");
    let said = std::fs::read_to_string(sandbox.path("said")).unwrap();
    assert!(said.contains("has not finished for 1 trace"), "{said}");
    assert_eq!(sandbox.traces().len(), 1);
}

#[test]
fn a_process_with_numbers_of_its_own_is_not_taken_for_dead() {
    let Some(python) = python() else { return };
    let unshare = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let tried = Command::new("unshare").args(unshare).arg("true").output();
    if !tried.is_ok_and(|out| out.status.success()) {
        crate::skip::excused("a process namespace", "only root may make one here", "run as root");
        return;
    }
    let sandbox = Sandbox::new();
    let script =
        sandbox.file("train.py", "import time\ndef step(n): time.sleep(0.02)\nfor n in range(60): step(n)\n");
    // A second process there: the first one's number is that of none of ours.
    let line = format!("'{python}' '{}'; exit 3", script.display());
    let options = ["--step-on", "__main__:step", "--record", "50"];
    let command =
        ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "sh", "-c", &line];
    let out = sandbox.capture(&options, &command);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    let traces = sandbox.traces();
    let steps: Vec<usize> =
        traces.iter().map(|path| named(&read(path), Category::ProfileStep).len()).collect();
    assert_eq!(steps, [50, 10], "looked at while it ran: {}", said(&out));
}
