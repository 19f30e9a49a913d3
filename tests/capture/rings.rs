//! Long runs: the last steps are kept, also of a program that is killed; `proftui dump` writes them while the
//! program runs, and slow steps have traces of their own. A limit that stops a recording is reported at once.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output};

use proftui_trace::import::Loaded;
use proftui_trace::model::{Category, Warning};

use super::run::{Sandbox, named, python, read, said, wait};

/// Steps of ranges within an outer range: how many, and how many ranges in each. Then the script does what
/// its last argument says.
const STEPS: &str = "\
import os, sys, time, _proftui
count, ranges = int(sys.argv[1]), int(sys.argv[2])
outer, tag = _proftui.name(14, 'outer'), _proftui.name(14, 'work')
def step(n):
    for _ in range(ranges): _proftui.begin(tag), _proftui.end()
_proftui.begin(outer)
for n in range(count): step(n)
exec(sys.argv[3] if len(sys.argv) > 3 else '')
";

/// The script's command line, with its arguments.
fn steps<'a>(python: &'a str, script: &'a Path, arguments: &[&'a str]) -> Vec<&'a str> {
    [&[python, script.to_str().unwrap()], arguments].concat()
}

/// The value of a fact in a trace's header.
fn fact<'a>(loaded: &'a Loaded, key: &str) -> Option<&'a str> {
    let header = &loaded.trace.meta.header;
    header.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// Checks that a trace has the last steps up to `last`, each with this many ranges, and returns how many
/// there are.
#[track_caller]
fn has_the_last(loaded: &Loaded, last: usize, ranges: usize) -> usize {
    let steps = named(loaded, Category::ProfileStep);
    let first = last + 1 - steps.len();
    assert_eq!(steps, (first..=last).map(|step| format!("ProfileStep#{step}")).collect::<Vec<_>>());
    let slices = &loaded.trace.slices;
    let all = slices.ids();
    let of =
        |name: &str| all.iter().filter(|&id| loaded.trace.name(id).to_string() == name).collect::<Vec<_>>();
    for step in &steps {
        let step = of(step)[0];
        let (start, end) = (slices.start[step], slices.end(step));
        let within =
            of("work").iter().filter(|&&id| slices.start[id] >= start && slices.end(id) <= end).count();
        assert_eq!(within, ranges, "in {}", loaded.trace.name(step));
    }
    steps.len()
}

#[test]
fn the_last_steps_of_a_long_run_are_kept_whole() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", STEPS);
    let out = sandbox.capture(
        &["--step-on", "__main__:step", "--keep-last", "1M"],
        &steps(python, &script, &["300", "1000"]),
    );
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{}", said(&out));
    let loaded = read(&traces[0]);
    let kept = has_the_last(&loaded, 299, 1000);
    assert!((30..45).contains(&kept), "{kept} steps");
    // What had begun before, and still went on.
    assert_eq!(named(&loaded, Category::PythonUserDefined).iter().filter(|name| *name == "outer").count(), 1);
    let steps = fact(&loaded, "proftui.steps").unwrap();
    assert_eq!(steps, format!("{}..299", 300 - kept));
    let kept_fact = fact(&loaded, "proftui.kept").unwrap();
    assert!(
        kept_fact.starts_with(&format!("from step {} on; ", 300 - kept))
            && kept_fact.ends_with(" outside the trace's time left out"),
        "{kept_fact}"
    );
    assert_eq!(loaded.trace.quality.damage(), 0);
    assert!(said(&out).contains("earlier records were not kept (--keep-last)"), "{}", said(&out));
    assert!(!said(&out).contains("no schedule was given"), "asked for: {}", said(&out));
}

#[test]
fn a_short_run_is_kept_whole_and_the_bound_is_said_once() {
    let Some(python) = python() else { return };
    for (options, is_said) in
        [(&[][..], true), (&["--keep-last", "50"], false), (&["-q"], false), (&["--steps", "0:"], false)]
    {
        let sandbox = Sandbox::new();
        let script = sandbox.file("train.py", STEPS);
        let options = [&["--step-on", "__main__:step"], options].concat();
        let out = sandbox.capture(&options, &steps(python, &script, &["5", "10"]));
        let loaded = read(&sandbox.traces()[0]);
        assert_eq!(has_the_last(&loaded, 4, 10), 5);
        assert_eq!(fact(&loaded, "proftui.kept"), None);
        let line = "proftui: no schedule was given: the last 64 MiB of records of each process are \
            kept (--keep-last";
        assert_eq!(said(&out).matches(line).count(), usize::from(is_said), "{}", said(&out));
    }
}

#[test]
fn as_many_steps_are_kept_as_were_asked_for() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", STEPS);
    let options = ["--step-on", "__main__:step", "--keep-last", "7", "--format", "pb"];
    let out = sandbox.capture(&options, &steps(python, &script, &["100", "500"]));
    assert_eq!(has_the_last(&read(&sandbox.traces()[0]), 99, 500), 7, "{}", said(&out));
}

#[test]
fn a_thread_that_ended_takes_no_more_of_the_ring_than_it_recorded() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let program = "\
import threading, _proftui
tag = _proftui.name(14, 'work')
def request():
    for _ in range(3): _proftui.begin(tag), _proftui.end()
for _ in range(400):
    thread = threading.Thread(target=request)
    thread.start(), thread.join()
";
    let script = sandbox.file("serve.py", program);
    let out = sandbox.capture(&["--keep-last", "1M"], &[python, script.to_str().unwrap()]);
    let loaded = read(&sandbox.traces()[0]);
    let kept = named(&loaded, Category::PythonUserDefined).iter().filter(|name| *name == "work").count();
    // Of 8 KiB each; of 64 KiB each it would be 16 threads.
    assert!((3 * 100..=3 * 128).contains(&kept), "{kept} ranges; {}", said(&out));
}

#[test]
fn a_killed_program_leaves_its_last_steps() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", STEPS);
    let options = ["--step-on", "__main__:step", "--keep-last", "1M"];
    let out = sandbox.capture(&options, &steps(python, &script, &["200", "1000", "os.kill(os.getpid(), 9)"]));
    assert_eq!(out.status.signal(), Some(9), "{}", said(&out));
    let loaded = read(&sandbox.traces()[0]);
    let steps = named(&loaded, Category::ProfileStep);
    assert!(steps.len() > 30 && steps.contains(&"ProfileStep#199".to_owned()), "{steps:?}");
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 1);
}

/// Starts a capture of the script that waits, after its steps, for a file `enough`, and waits for a file
/// `there` of the script.
fn start(sandbox: &Sandbox, python: &str, options: &[&str]) -> Child {
    let script = sandbox.file("train.py", STEPS);
    let _ = std::fs::remove_file(sandbox.path("there"));
    let then = "open('there', 'w')\nwhile not os.path.exists('enough'): time.sleep(0.01)\nstep(n + 1)";
    let mut command = sandbox.proftui();
    command.arg("capture").args(["--step-on", "__main__:step"]).args(options).arg("--");
    command.args(steps(python, &script, &["100", "1000", then]));
    let child = command.stderr(File::create(sandbox.path("said")).unwrap()).spawn().unwrap();
    wait(|| sandbox.path("there").exists());
    child
}

fn dump(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    sandbox.proftui().arg("dump").args(arguments).output().unwrap()
}

#[test]
fn a_dump_has_what_the_ring_holds_now() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let out = dump(&sandbox, &[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("no capture of yours is running"), "{}", said(&out));
    let mut child = start(&sandbox, python, &["--keep-last", "1M"]);
    let pid = child.id().to_string();
    for arguments in [&[][..], &[pid.as_str()]] {
        let out = dump(&sandbox, arguments);
        assert!(out.status.success(), "{}", said(&out));
        let path = String::from_utf8(out.stdout).unwrap();
        let loaded = read(Path::new(path.trim_end()));
        // The step that is waited in is cut.
        let steps = named(&loaded, Category::ProfileStep);
        assert!(steps.len() > 30 && steps.last().unwrap() == "ProfileStep#100", "{steps:?}");
        assert_eq!(loaded.trace.quality.damage(), 0);
    }
    let out = dump(&sandbox, &["1"]);
    assert_eq!(out.status.code(), Some(1));
    let why = format!("proftui: none of these running captures records process 1: {pid} (");
    assert!(said(&out).starts_with(&why), "{}", said(&out));
    let mut other = start(&sandbox, python, &["--steps", "0:200"]);
    let out = dump(&sandbox, &[&other.id().to_string()]);
    assert!(said(&out).contains("keeps no ring"), "{}", said(&out));
    assert!(dump(&sandbox, &[]).status.success(), "the only one with a ring");
    sandbox.file("enough", "");
    assert!(child.wait().unwrap().success() && other.wait().unwrap().success());
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 5, "three dumps, and the traces at the end: {traces:?}");
    assert_eq!((sandbox.runs(), dump(&sandbox, &[]).status.code()), (0, Some(1)));
}

#[test]
fn of_several_captures_one_must_be_named() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let mut children = [start(&sandbox, python, &[]), start(&sandbox, python, &["--keep-last", "50"])];
    let out = dump(&sandbox, &[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).starts_with("proftui: several captures are running: "), "{}", said(&out));
    assert_eq!(said(&out).lines().count(), 1);
    for child in &children {
        assert!(said(&out).contains(&child.id().to_string()), "{}", said(&out));
        assert!(dump(&sandbox, &[&child.id().to_string()]).status.success());
    }
    sandbox.file("enough", "");
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
}

#[test]
fn a_slow_step_has_a_trace_of_its_own() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        "import time\ndef step(n): time.sleep(0.5 if n == 30 else 0.01)\nfor n in range(90): step(n)\n",
    );
    let options = ["--step-on", "__main__:step", "--slow-step", "8", "--keep-last", "20"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    let line = said(&out).lines().find(|line| line.contains("step 30 took ")).map(str::to_owned);
    let line = line.unwrap_or_else(|| panic!("{}", said(&out)));
    let path = line.rsplit_once(": ").unwrap().1;
    let steps = named(&read(&sandbox.path(path)), Category::ProfileStep);
    // Although the program goes on meanwhile.
    assert_eq!(steps, (11..=30).map(|step| format!("ProfileStep#{step}")).collect::<Vec<_>>(), "{line}");
}

#[test]
fn the_ten_slowest_steps_have_traces() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // Ten slow steps, three that are less slow, then four that are slower.
    let script = sandbox.file(
        "train.py",
        "import time\ndef length(n): return 0.005 if n < 20 or n % 3 else 0.4 if n >= 60 else 0.08 if n >= 51 else 0.15\n\
         def step(n): time.sleep(length(n))\nfor n in range(70): step(n)\n",
    );
    let options = ["--step-on", "__main__:step", "--slow-step", "3"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 11, "ten and the last steps: {}", said(&out));
    for step in ["step 60 took ", "step 63 took ", "step 66 took "] {
        let line = said(&out).lines().find(|line| line.contains(step)).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("{step}: {}", said(&out)));
        let (path, instead) = line.split_once(" (instead of ").unwrap_or_else(|| panic!("{line}"));
        let path = sandbox.path(path.rsplit_once(": ").unwrap().1);
        assert!(traces.contains(&path), "{line}");
        assert!(!sandbox.path(instead.split_once(',').unwrap().0).exists(), "{line}");
    }
    let only = "no trace, as 10 steps at least as far above the median before them have one";
    assert_eq!(said(&out).matches(only).count(), 1, "{}", said(&out));
}

#[test]
fn a_limit_is_reported_while_the_program_runs_and_in_the_trace() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let mut child = start(&sandbox, python, &["--steps", ":1000", "--max-mb", "1"]);
    let printed = || std::fs::read_to_string(sandbox.path("said")).unwrap();
    wait(|| printed().contains("proftui: recorded cycle 1: a process no longer records all since step 4"));
    sandbox.file("enough", "");
    assert!(child.wait().unwrap().success());
    let traces = sandbox.traces();
    let loaded = read(&traces[0]);
    let stopped = fact(&loaded, "proftui.stopped").unwrap();
    assert!(
        stopped.starts_with("since step 4") && stopped.contains("1 MiB (--max-mb) are full"),
        "{stopped}"
    );
    assert_eq!(loaded.trace.quality.count(Warning::Stopped), 1);
    let shown = Command::new(super::run::BINARY).arg("info").arg(&traces[0]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("a process was not wholly recorded from some step on")
            && shown.contains("since step 4"),
        "{shown}"
    );
}
