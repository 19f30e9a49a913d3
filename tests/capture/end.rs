//! However the program ends, we end like it; what it recorded until then is kept.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use proftui_trace::model::{Category, Warning};

use super::run::{Sandbox, named, python, read, said, wait};

#[test]
fn the_status_is_the_programs_own() {
    let sandbox = Sandbox::new();
    let ways = [
        "exit 0",
        "exit 1",
        "exit 3",
        "exit 77",
        "kill -INT $$",
        "kill -TERM $$",
        "kill -SEGV $$",
        "kill -ABRT $$",
        "kill -KILL $$",
    ];
    for way in ways {
        let bare = Command::new("sh").args(["-c", way]).current_dir(sandbox.path("")).status().unwrap();
        let ours = sandbox.capture(&[], &["sh", "-c", way]).status;
        assert_eq!((ours.code(), ours.signal()), (bare.code(), bare.signal()), "{way}");
    }
    assert_eq!(sandbox.traces().len(), ways.len(), "each with a trace of its life");
    assert_eq!(sandbox.runs(), 0);
}

#[test]
fn a_program_that_cannot_be_run_is_reported_as_shells_do() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("text", "no program");
    let missing = sandbox.capture(&[], &["./nowhere"]);
    assert_eq!(missing.status.code(), Some(127));
    assert_eq!(said(&missing), "proftui: ./nowhere: program not found\n");
    assert_eq!(sandbox.capture(&[], &[file.to_str().unwrap()]).status.code(), Some(126));
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (0, 0));
}

#[test]
fn a_killed_program_leaves_what_it_recorded() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        "import os, signal, time\ndef step(n):\n    time.sleep(0.001)\n    if n == 30: os.kill(os.getpid(), signal.SIGKILL)\nfor n in range(100): step(n)\n",
    );
    let out = sandbox.capture(&["--step-on", "__main__:step"], &[python, script.to_str().unwrap()]);
    assert_eq!(out.status.signal(), Some(9), "{}", said(&out));
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{}", said(&out));
    let loaded = read(&traces[0]);
    let steps = named(&loaded, Category::ProfileStep);
    assert_eq!(
        (steps.len(), steps.last().map(String::as_str)),
        (31, Some("ProfileStep#30")),
        "the last one cut"
    );
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 1);
    let (_, entry) =
        loaded.trace.quality.entries().find(|(warning, _)| *warning == Warning::Incomplete).unwrap();
    assert_eq!(entry.first, "killed by signal 9 (SIGKILL)");
}

#[test]
fn a_signal_is_sent_on() {
    let sandbox = Sandbox::new();
    let script = "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = sandbox
        .proftui()
        .args(["capture", "--", "sh", "-c", script])
        .stdout(std::fs::File::create(sandbox.path("out")).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = || std::fs::read_to_string(sandbox.path("out")).unwrap();
    wait(|| out().contains("ready"));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert!(out().contains("got it"));
}

#[test]
fn what_a_killed_capture_recorded_is_recovered() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        "import time, os\ndef step(n):\n    time.sleep(0.001)\n    if n == 20: open('there', 'w').write(str(os.getpid()))\n\
         for n in range(200000):\n    step(n)\n    if os.path.exists('enough'): break\n",
    );
    let mut child = sandbox
        .proftui()
        .args(["capture", "--record", "5", "--ready", "1", "--step-on", "__main__:step", "--", python])
        .arg(&script)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait(|| sandbox.path("there").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let recover = || sandbox.proftui().arg("recover").output().unwrap();
    let out = recover();
    assert!(said(&out).contains("is still running") && out.stdout.is_empty(), "{}", said(&out));
    sandbox.file("enough", "");
    let program = std::fs::read_to_string(sandbox.path("there")).unwrap();
    wait(|| !std::path::Path::new("/proc").join(&program).exists());
    // The capture may have written some before it was killed.
    let written = sandbox.traces().len();
    let small = sandbox.proftui().args(["recover", "--max-memory", "1"]).output().unwrap();
    assert!(small.status.code() == Some(1) && said(&small).lines().count() == 1, "{small:?}");
    assert!(
        said(&small).contains("out of memory") && said(&small).contains("--max-memory"),
        "{}",
        said(&small)
    );
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (written, 1), "the records stay");
    let recovered = recover();
    assert!(recovered.status.success(), "{}", said(&recovered));
    let before = sandbox.traces().len();
    assert!(before > 0 && sandbox.runs() == 0);
    for trace in sandbox.traces() {
        let loaded = read(&trace);
        assert!(loaded.trace.quality.count(Warning::Incomplete) <= 1);
        assert!(!named(&loaded, Category::ProfileStep).is_empty());
    }
    assert!(said(&recover()).contains("nothing to recover"));
}

#[test]
fn a_program_in_the_background_is_left_to_itself() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "daemon.py",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(0.5)\n    open('late', 'w').write('fine')\n    os._exit(0)\n",
    );
    // The process in the background keeps what it inherited, so there must be no pipe to wait for.
    let mut command = sandbox.proftui();
    command.args(["capture", "--", python]).arg(&script).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().success());
    assert!(!sandbox.path("late").exists(), "we do not wait for it");
    wait(|| std::fs::read_to_string(sandbox.path("late")).is_ok_and(|text| text == "fine"));
}

#[test]
fn what_cannot_be_written_stays_until_it_can() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        "import os, shutil\ndef step(n): pass\nfor n in range(5): step(n)\n\
         shutil.rmtree('profiler_log')\nif not os.path.exists('again'): open('profiler_log', 'w').close()\n",
    );
    let options = ["--step-on", "__main__:step", "--spool", "run"];
    let run = || sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    let out = run();
    assert!(out.status.success() && said(&out).contains("proftui recover"), "{}", said(&out));
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (0, 1));
    std::fs::remove_file(sandbox.path("profiler_log")).unwrap();
    assert!(sandbox.proftui().arg("recover").status().unwrap().success());
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (1, 0));
    assert_eq!(named(&read(&sandbox.traces()[0]), Category::ProfileStep).len(), 5);
    // A folder that is only gone is made again.
    sandbox.file("again", "");
    assert!(run().status.success());
    assert_eq!((sandbox.traces().len(), sandbox.runs()), (1, 0));
}

#[test]
fn a_program_that_goes_on_as_a_daemon_is_named() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "import os, time\nif os.fork() > 0: os._exit(0)\nos.setsid()\ntime.sleep(8)\n";
    let out = sandbox.capture(&[], &[python, "-c", script]);
    let said = said(&out);
    let line = said.lines().find(|line| line.contains("goes on (a daemon: ")).expect("a line");
    assert!(line.ends_with("is not recorded; start it in the foreground"), "{line}");
    let quiet = sandbox.capture(&["--quiet"], &[python, "-c", script]);
    assert!(!self::said(&quiet).contains("daemon"), "{}", self::said(&quiet));
}
