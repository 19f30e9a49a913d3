//! Which steps become traces.

use proftui_trace::model::{Category, Warning};

use super::run::{Sandbox, named, python, read, said};

/// A loop of a function `train`, which takes about a millisecond.
const LOOP: &str =
    "import sys, time\ndef train(n):\n    time.sleep(0.001)\nfor n in range(int(sys.argv[1])): train(n)\n";

#[test]
fn a_cycle_is_a_trace_of_its_steps() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let options =
        ["--closed", "1", "--ready", "1", "--record", "4", "--repeat", "2", "--step-on", "train:train"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "20"]);
    assert!(out.status.success(), "{}", said(&out));
    let steps: Vec<Vec<String>> =
        sandbox.traces().iter().map(|path| named(&read(path), Category::ProfileStep)).collect();
    let of = |from: u32| (from..from + 4).map(|n| format!("ProfileStep#{n}")).collect::<Vec<_>>();
    assert_eq!(steps, [of(2), of(8)], "{}", said(&out));
}

#[test]
fn other_names_and_a_range_say_the_same() {
    let Some(python) = python() else { return };
    for options in
        [&["--wait", "1", "--warmup", "1", "--active", "3", "--repeat", "1"][..], &["--steps", "2:5"]]
    {
        let sandbox = Sandbox::new();
        let script = sandbox.file("train.py", LOOP);
        let options = [options, &["--step-on", "train:train"]].concat();
        let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "9"]);
        let traces = sandbox.traces();
        assert_eq!(traces.len(), 1, "{}", said(&out));
        let steps = named(&read(&traces[0]), Category::ProfileStep);
        assert_eq!(steps, ["ProfileStep#2", "ProfileStep#3", "ProfileStep#4"]);
    }
}

#[test]
fn ranges_are_half_open_and_may_lack_an_end() {
    let Some(python) = python() else { return };
    for (steps, wanted) in [("2", 2..3), (":3", 0..3), ("4:", 4..8)] {
        let sandbox = Sandbox::new();
        let script = sandbox.file("train.py", LOOP);
        let options = ["--steps", steps, "--step-on", "train:train"];
        let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "8"]);
        let traces = sandbox.traces();
        assert_eq!(traces.len(), 1, "{}", said(&out));
        let loaded = read(&traces[0]);
        let names: Vec<String> = wanted.map(|step| format!("ProfileStep#{step}")).collect();
        assert_eq!(named(&loaded, Category::ProfileStep), names, "{steps}");
        assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0, "{steps}");
    }
}

#[test]
fn a_window_that_never_comes_is_said() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let out = sandbox.capture(
        &["--steps", "100:110", "--step-on", "train:train"],
        &[python, script.to_str().unwrap(), "4"],
    );
    assert!(out.status.success());
    assert_eq!(
        said(&out),
        "proftui: no trace was written: recording begins with step 100, and the program ended after 4 steps\n"
    );
    assert!(sandbox.traces().is_empty());
}

#[test]
fn a_step_in_which_nothing_happened_is_no_window() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let options = ["--steps", "8:20", "--step-on", "train:train"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "8"]);
    let why = "recording begins with step 8, and the program ended after 8 steps";
    assert!(said(&out).contains(why) && sandbox.traces().is_empty(), "{}", said(&out));
}

#[test]
fn phases_without_steps_are_reported() {
    let Some(python) = python() else { return };
    // A forward, and a named range.
    for (kind, why) in [(9, "use --step-on"), (14, "nothing that ends one is known of this program")] {
        let sandbox = Sandbox::new();
        let script =
            format!("import _proftui\nt = _proftui.name({kind}, 'x')\n_proftui.begin(t)\n_proftui.end()\n");
        let out = sandbox.capture(&[], &[python, "-c", &script]);
        assert_eq!(said(&out).matches("no step was seen").count(), 1, "{}", said(&out));
        assert!(said(&out).contains(why), "{}", said(&out));
        assert!(said(&out).contains("proftui: open it: proftui open profiler_log/host_"), "{}", said(&out));
    }
}

#[test]
fn the_timer_makes_no_traces_and_says_so() {
    let sandbox = Sandbox::new();
    for options in
        [&["--summary"][..], &["--open"], &["--format", "pb"], &["--out", "x"], &["--steps", "1:2"]]
    {
        let options = [&["--timer-only"][..], options].concat();
        let out = sandbox.capture(&options, &["touch", "started"]);
        assert_eq!(out.status.code(), Some(2), "{options:?}: {}", said(&out));
    }
    assert!(!sandbox.path("started").exists());
    let out = sandbox.capture(&["--timer-only"], &["true"]);
    assert!(said(&out).contains("no Python process loaded the recorder"), "{}", said(&out));
    assert!(out.status.success() && !sandbox.path("profiler_log").exists());
}

#[test]
fn the_timer_alone_leaves_no_trace() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let options = ["--timer-only", "--step-on", "train:train", "--batch-size", "32"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "25"]);
    let text = said(&out);
    assert!(text.contains("Perf Summary of 15 steps (the first 10 left out)"), "{text}");
    assert!(text.contains("IPS Unit: samples/s"), "{text}");
    assert!(sandbox.traces().is_empty());
}

#[test]
fn a_window_by_time_needs_no_steps() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // The program goes on until the window is over, however slow the machine is.
    let script = "import os, time, _proftui\nt = _proftui.name(14, 'tick')\nend = time.time() + 60\n\
                  def is_over(): return os.path.exists('profiler_log') and os.listdir('profiler_log')\n\
                  while time.time() < end and not is_over():\n    _proftui.begin(t)\n    time.sleep(0.005)\n    _proftui.end()\n\
                  time.sleep(0.5)\n";
    let out = sandbox.capture(&["--window", "500ms+500ms"], &[python, "-c", script]);
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{}", said(&out));
    let loaded = read(&traces[0]);
    let ticks = named(&loaded, Category::PythonUserDefined);
    assert!(ticks.len() > 10 && ticks.iter().all(|name| name == "tick"), "{}", ticks.len());
    assert_eq!(loaded.trace.quality.damage(), 0);
    let length = loaded.trace.span.len();
    assert!(length < 1_500_000_000, "{length} ns, of a window of 0.5 s");
}

#[test]
fn ranks_of_paddle_are_ranks() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let mut command = sandbox.proftui();
    command.env("PADDLE_TRAINER_ID", "3").env_remove("RANK");
    let script = "import _proftui\nt = _proftui.name(14, 'x')\n_proftui.begin(t)\n_proftui.end()\n";
    let out = command.args(["capture", "--", python, "-c", script]).output().unwrap();
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{}", said(&out));
    assert!(traces[0].display().to_string().contains("_rank3_time_"), "{traces:?}");
    let header = &read(&traces[0]).trace.meta.header;
    assert!(header.iter().any(|(key, value)| key == "proftui.RANK" && value == "3"));
}

#[test]
fn ranks_have_traces_of_their_own() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    sandbox.file("train.py", LOOP);
    let launcher = sandbox.file(
        "launch.py",
        "import os, subprocess, sys\nranks = [subprocess.Popen([sys.executable, 'train.py', '12'], env=dict(os.environ, RANK=str(rank), WORLD_SIZE='2')) for rank in range(2)]\nsys.exit(max(rank.wait() for rank in ranks))\n",
    );
    let options =
        ["--closed", "1", "--ready", "1", "--record", "4", "--repeat", "2", "--step-on", "train:train"];
    let out = sandbox.capture(&options, &[python, launcher.to_str().unwrap()]);
    assert!(out.status.success(), "{}", said(&out));
    let names: Vec<String> = sandbox.traces().iter().map(|path| path.display().to_string()).collect();
    for rank in ["_rank0_", "_rank1_"] {
        assert_eq!(names.iter().filter(|name| name.contains(rank)).count(), 2, "{names:?}");
    }
    assert_eq!(names.len(), 4, "none of the launcher");
    for path in sandbox.traces() {
        assert_eq!(named(&read(&path), Category::ProfileStep).len(), 4);
    }
}

#[test]
fn a_process_that_another_started_has_its_first_step() {
    let Some(python) = python() else { return };
    for method in ["fork", "spawn"] {
        let sandbox = Sandbox::new();
        sandbox.file(
            "work.py",
            "import os, time\ndef step(n): time.sleep(0.005)\n\
             def rank(r):\n    os.environ['RANK'] = str(r)\n    for n in range(6): step(n)\n",
        );
        let script = sandbox.file(
            "train.py",
            &format!(
                "import multiprocessing, work\nif __name__ == '__main__':\n    m = multiprocessing.get_context('{method}')\n    \
                 all = [m.Process(target=work.rank, args=(r,)) for r in range(2)]\n    [p.start() for p in all]; [p.join() for p in all]\n"
            ),
        );
        let out = sandbox.capture(&["--step-on", "work:step"], &[python, script.to_str().unwrap()]);
        assert!(out.status.success(), "{}", said(&out));
        let steps: Vec<Vec<String>> =
            sandbox.traces().iter().map(|path| named(&read(path), Category::ProfileStep)).collect();
        let all: Vec<String> = (0..6).map(|n| format!("ProfileStep#{n}")).collect();
        assert_eq!(steps, [all.clone(), all], "{method}: {}", said(&out));
    }
}

#[test]
fn a_window_by_time_is_open_to_who_comes_late() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script =
        sandbox.file("train.py", "import time\ndef step(n): time.sleep(0.01)\nfor n in range(8): step(n)\n");
    let line = format!("for i in 1 2 3; do '{python}' '{}'; done", script.display());
    let out = sandbox.capture(&["--step-on", "__main__:step", "--window", "0s+100s"], &["sh", "-c", &line]);
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 3, "{}", said(&out));
    for path in traces {
        let loaded = read(&path);
        assert_eq!(named(&loaded, Category::ProfileStep).len(), 8, "{}", said(&out));
        assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0, "it ended in order: {}", said(&out));
    }
}

/// A script with the stand-in for PyTorch: it evaluates, and then trains for two epochs of two steps with
/// four batches each, validating after each epoch.
const EPOCHS: &str = "\
import torch
from torch import Tensor
net = torch.nn.Module()
def batches(count): return torch.utils.data.DataLoader(*[Tensor(2)] * count)
def validate():
    net.eval()
    with torch.no_grad():
        for batch in batches(3): net(batch)
    net.train()
validate()
optimizer = torch.SGD()
for epoch in range(2):
    for at, batch in enumerate(batches(8), 1):
        net(batch), Tensor(1).backward()
        if at % 4 == 0: optimizer.step()
    validate()
";

/// Runs `EPOCHS`, of which this many traces are written; returns the names of the last one's steps and of
/// what is no step, by their begin, with the times.
fn epochs(options: &[&str], count: usize) -> Option<Vec<(String, i64, i64)>> {
    let python = python()?;
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", EPOCHS);
    let stubs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim/stubs");
    let mut command = sandbox.proftui();
    command.env("PYTHONPATH", stubs).arg("capture").args(options).args(["--", python]).arg(script);
    let out = command.output().unwrap();
    let traces = sandbox.traces();
    assert_eq!(traces.len(), count, "{}", said(&out));
    let loaded = read(&traces[count - 1]);
    let slices = &loaded.trace.slices;
    let mut found: Vec<(String, i64, i64)> = slices
        .ids()
        .iter()
        .map(|id| {
            let name = loaded.trace.name(id).to_string();
            (name, slices.start[id], slices.end(id))
        })
        .filter(|(name, ..)| name.starts_with("ProfileStep#") || name.starts_with("proftui: "))
        .collect();
    found.sort_by_key(|slice| slice.1);
    Some(found)
}

#[test]
fn steps_are_those_of_the_training_and_nothing_else() {
    let Some(found) = epochs(&[], 1) else { return };
    let names: Vec<&str> = found.iter().map(|slice| slice.0.as_str()).collect();
    let wanted = [
        "proftui: start-up",
        "ProfileStep#0",
        "ProfileStep#1",
        "proftui: validation",
        "ProfileStep#2",
        "ProfileStep#3",
        "proftui: teardown",
        "proftui: validation",
    ];
    assert_eq!(names, wanted);
    assert!(found[..7].windows(2).all(|pair| pair[0].2 <= pair[1].1), "{found:?}");
    assert!(found[7].2 <= found[6].2, "the last validation is within the teardown: {found:?}");
}

#[test]
fn a_schedule_counts_the_steps_of_the_training() {
    // Two batches of the evaluation were recorded before the program was known to train.
    let Some(found) = epochs(&["--steps", "1:3"], 2) else { return };
    let names: Vec<&str> = found.iter().map(|slice| slice.0.as_str()).collect();
    assert_eq!(names, ["ProfileStep#1", "proftui: validation", "ProfileStep#2"]);
}
