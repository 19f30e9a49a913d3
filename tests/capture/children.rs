//! Children of the program: they are named processes in its trace, their steps count, and it is said how they
//! ended.

use std::process::{Command, Output};

use proftui_trace::import::Loaded;
use proftui_trace::model::{Category, GroupKind, Warning};

use super::run::{Sandbox, named, python, read, said, wait};
use crate::skip;

/// A function whose return ends a step, and one that runs `work` in a forked child, which ends by `os._exit`.
const FORK: &str = "import os, sys, time\ndef step(number): time.sleep(0.001)\n\
                    def fork(work, *arguments):\n    child = os.fork()\n    if not child:\n        work(*arguments)\n        os._exit(0)\n    return child\n";

/// Captures a script, whose function `step` ends steps.
fn capture(sandbox: &Sandbox, options: &[&str], python: &str, script: &str) -> Output {
    let script = sandbox.file("serve.py", &format!("{FORK}{script}"));
    let options = [&["--step-on", "__main__:step"], options].concat();
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    assert!(out.status.success(), "{}", said(&out));
    out
}

/// The only trace.
fn trace(sandbox: &Sandbox, out: &Output) -> Loaded {
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{}", said(out));
    read(&traces[0])
}

/// The processes of a trace, by their names without their numbers, sorted.
fn processes(loaded: &Loaded) -> Vec<String> {
    let groups = loaded.trace.groups.iter().filter(|group| group.kind == GroupKind::Process);
    let mut titles: Vec<String> = groups
        .map(|group| loaded.trace.group_title(group).split(" (").next().unwrap_or_default().to_owned())
        .filter(|title| !title.starts_with("Process "))
        .collect();
    titles.sort();
    titles
}

/// True if the system keeps how a process ended that is not our child; else that check is listed as skipped,
/// or fails under `CI=true`.
fn keeps_ends() -> bool {
    let release = Command::new("uname").arg("-r").output().unwrap().stdout;
    let release = String::from_utf8_lossy(&release).into_owned();
    let mut numbers = release.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or_default());
    let keeps = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= (6, 15);
    if !keeps {
        let why = format!("Linux {} keeps no exit status", release.trim());
        skip::lacks_tool("how children of a captured program ended", &why, "run it on Linux 6.15 or later");
    }
    keeps
}

#[test]
fn forked_children_are_processes_of_one_trace() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "for number in range(40): os.waitpid(fork(step, number), 0)\n\
                  run = os.environ['PROFTUI_RUN']\n\
                  folders = [folder for folder in os.scandir(run) if folder.is_dir()]\n\
                  children = [folder for folder in folders if not folder.name.startswith('%d-' % os.getpid())]\n\
                  sizes = [sum(os.stat(file).st_blocks * 512 for file in os.scandir(folder)) for folder in children]\n\
                  print(len(folders), max(sizes))\n";
    let out = capture(&sandbox, &[], python, script);
    let loaded = trace(&sandbox, &out);
    let mut steps = named(&loaded, Category::ProfileStep);
    assert_eq!(steps.first().map(String::as_str), Some("ProfileStep#0"));
    steps.sort();
    steps.dedup();
    assert_eq!(steps.len(), 40, "numbered together");
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0);
    let titles = processes(&loaded);
    assert_eq!(titles.len(), 40, "{titles:?}");
    assert!(titles.contains(&"forked child 40 of serve.py".to_owned()), "{titles:?}");
    let lines = said(&out);
    assert!(lines.contains("40 steps (ended by function: __main__:step)"), "{lines}");
    if keeps_ends() {
        assert!(lines.contains("proftui: 41 processes, 41 complete\n"), "{lines}");
    }
    assert_eq!(lines.matches("paddle_trace.json").count(), 1, "{lines}");
    // Each child has 16 KiB for its first ranges, and three small files.
    let printed = String::from_utf8_lossy(&out.stdout);
    let sizes: Vec<u64> = printed.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(sizes[0] == 41 && sizes[1] <= 40 << 10, "{printed}");
}

#[test]
fn steps_of_children_are_ranges_where_the_parent_ends_steps() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "for number in range(5):\n    step(number)\n    os.waitpid(fork(step, number), 0)\n";
    let out = capture(&sandbox, &[], python, script);
    let loaded = trace(&sandbox, &out);
    assert_eq!(named(&loaded, Category::ProfileStep).len(), 5);
    let ranges = named(&loaded, Category::PythonUserDefined);
    assert_eq!(ranges.iter().filter(|name| name.starts_with("ProfileStep#")).count(), 5, "{ranges:?}");
    assert!(said(&out).contains("5 steps (ended by function: __main__:step)"), "{}", said(&out));
}

#[test]
fn workers_of_a_pool_have_its_names_and_are_complete() {
    let Some(python) = python() else { return };
    for how in ["fork", "spawn"] {
        let sandbox = Sandbox::new();
        // Leaving the pool terminates its workers by SIGTERM.
        let script = format!(
            "def work(number): step(number)\nimport multiprocessing\nif __name__ == '__main__':\n    \
             with multiprocessing.get_context('{how}').Pool(2) as pool: pool.map(work, range(10), 1)\n"
        );
        let out = capture(&sandbox, &[], python, &script);
        let loaded = trace(&sandbox, &out);
        let steps = named(&loaded, Category::ProfileStep);
        assert_eq!(steps.len(), 10, "{how}: {steps:?} {}", said(&out));
        let title = if how == "fork" { "ForkPoolWorker-" } else { "SpawnPoolWorker-" };
        let titles = processes(&loaded);
        assert!(!titles.is_empty() && titles.iter().all(|one| one.starts_with(title)), "{titles:?}");
        assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0);
        // A worker that got no task may have left no range.
        if keeps_ends() {
            let all = |count: usize| said(&out).contains(&format!("{count} processes, {count} complete\n"));
            assert!(all(titles.len() + 1) || all(3), "{how}: {}", said(&out));
        }
    }
}

#[test]
fn a_fork_server_that_ends_with_the_program_is_complete() {
    let Some(python) = python() else { return };
    let script = "def work(number): step(number)\nimport multiprocessing\nif __name__ == '__main__':\n    \
                  child = multiprocessing.get_context('forkserver').Process(target=work, args=(0,))\n    \
                  child.start()\n    child.join()\n    step(1)\n";
    // On a busy machine it may need longer than a capture waits for it.
    let is_running = (0..3).all(|_| {
        let sandbox = Sandbox::new();
        let out = capture(&sandbox, &[], python, script);
        assert!(said(&out).contains(" processes, "), "{}", said(&out));
        let header = trace(&sandbox, &out).trace.meta.header;
        let stated = header.iter().find(|(key, _)| key == "proftui.processes").map(|(_, value)| value);
        let stated = stated.expect("how the processes ended");
        println!("{stated}");
        stated.contains("still running") || said(&out).contains("still running")
    });
    assert!(!is_running, "in each of three captures");
}

#[test]
fn how_children_ended_is_said() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "def die(number):\n    step(number)\n    os.kill(os.getpid(), number)\n\
                  def stay():\n    step(0)\n    open('there', 'w').close()\n    while os.path.exists('there') and not os.path.exists('enough'): time.sleep(0.01)\n\
                  for number in 9, 11, 15: os.waitpid(fork(die, number), 0)\nos.waitpid(fork(step, 0), 0)\nfork(stay)\n\
                  while not os.path.exists('there'): time.sleep(0.01)\n";
    let script = sandbox.file("serve.py", &format!("{FORK}{script}"));
    // What stays in the background keeps the streams open.
    let said = std::fs::File::create(sandbox.path("said")).unwrap();
    let mut command = sandbox.proftui();
    command.args(["capture", "--step-on", "__main__:step", "--", python]).arg(script);
    assert!(command.stdout(std::process::Stdio::null()).stderr(said).status().unwrap().success());
    sandbox.file("enough", "");
    let said = std::fs::read_to_string(sandbox.path("said")).unwrap();
    let expected = if keeps_ends() {
        "6 processes, 3 complete, 1 killed by signal 9 (SIGKILL), 1 killed by signal 11 (SIGSEGV), 1 still running\n"
    } else {
        "1 still running"
    };
    assert!(said.contains(expected), "{said}");
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 1, "{said}");
    let loaded = read(&traces[0]);
    assert_eq!(named(&loaded, Category::ProfileStep).len(), 5);
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0, "what they recorded is there");
    wait(|| sandbox.runs() == 0);
}

#[test]
fn a_rank_has_a_trace_of_its_own_with_its_children() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "def rank(number):\n    os.environ['RANK'] = number\n    step(0)\n    step(1)\n    os.waitpid(fork(step, 2), 0)\n\
                  ranks = [fork(rank, number) for number in '01']\n[os.waitpid(rank, 0) for rank in ranks]\n";
    let out = capture(&sandbox, &[], python, script);
    let traces = sandbox.traces();
    assert_eq!(traces.len(), 2, "{}", said(&out));
    for trace in traces {
        assert!(trace.to_string_lossy().contains("_rank"), "{trace:?}");
        let loaded = read(&trace);
        assert_eq!(named(&loaded, Category::ProfileStep).len(), 2);
        assert_eq!(processes(&loaded), ["forked child 1 of serve.py"]);
        assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0);
    }
}

#[test]
fn a_program_that_leaves_without_its_exit_handlers_is_complete() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let out = capture(&sandbox, &[], python, "for number in range(7): step(number)\nos._exit(0)\n");
    let loaded = trace(&sandbox, &out);
    assert_eq!(named(&loaded, Category::ProfileStep).len(), 7, "no step that was cut");
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0, "{}", said(&out));
    let ranges = named(&loaded, Category::PythonUserDefined);
    assert_eq!(ranges.last().map(String::as_str), Some("proftui: teardown"));
}

#[test]
fn a_schedule_counts_the_steps_of_all_children() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "for number in range(30): os.waitpid(fork(step, number), 0)\n";
    let options = ["--skip-first", "4", "--ready", "1", "--record", "3", "--closed", "2", "--repeat", "2"];
    let out = capture(&sandbox, &options, python, script);
    let steps: Vec<Vec<String>> =
        sandbox.traces().iter().map(|trace| named(&read(trace), Category::ProfileStep)).collect();
    let wanted =
        [7..10, 13..16].map(|range| range.map(|step| format!("ProfileStep#{step}")).collect::<Vec<_>>());
    assert_eq!(steps, wanted, "{}", said(&out));
    for trace in sandbox.traces() {
        let loaded = read(&trace);
        assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0);
        assert_eq!(processes(&loaded).len(), 3, "a child per step");
    }
}

#[test]
fn a_child_that_trains_alone_has_the_schedule() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // The first trace is there while the program runs.
    let script = "def train():\n    for number in range(20): step(number)\n    \
                  while not os.path.exists('profiler_log') or not os.listdir('profiler_log'): time.sleep(0.01)\n    step(20)\n\
                  os.waitpid(fork(train), 0)\nstep(21)\n";
    let out = capture(&sandbox, &["--steps", "5:8"], python, script);
    let loaded = trace(&sandbox, &out);
    assert_eq!(named(&loaded, Category::ProfileStep), ["ProfileStep#5", "ProfileStep#6", "ProfileStep#7"]);
    assert_eq!(loaded.trace.quality.count(Warning::Incomplete), 0);
}

#[test]
fn the_timer_counts_the_steps_of_children_together() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let out = capture(
        &sandbox,
        &["--timer-only"],
        python,
        "for number in range(6): os.waitpid(fork(step, number), 0)\n",
    );
    assert!(said(&out).starts_with("proftui: Perf Summary of 6 steps\n"), "{}", said(&out));
    assert_eq!(said(&out).matches("Perf Summary").count(), 1);
}

#[test]
fn children_that_a_ring_has_no_ranges_of_are_forgotten_and_still_counted_at_the_end() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    // The parent's ring holds its last 15,000 ranges at least.
    let script = "import _proftui\ntag = _proftui.name(14, 'work')\nfor number in range(40):\n    os.waitpid(fork(step, number), 0)\n    \
                  for _ in range(5000): _proftui.begin(tag), _proftui.end()\n    time.sleep(0.1)\n\
                  print(len([folder for folder in os.scandir(os.environ['PROFTUI_RUN']) if folder.is_dir()]))\n";
    let out = capture(&sandbox, &["--keep-last", "1M"], python, script);
    let left: usize = String::from_utf8_lossy(&out.stdout).trim().parse().unwrap();
    assert!(left < 30, "folders of {left} processes are left");
    let loaded = trace(&sandbox, &out);
    let shown = processes(&loaded).len();
    let mut header = loaded.trace.meta.header.iter();
    let (_, line) = header.find(|(key, _)| key == "proftui.processes").unwrap();
    let counted: usize = line.split(' ').next().unwrap().parse().unwrap();
    // The end of a child is found up to a fifth of a second late.
    assert!(shown > 2 && (shown + 1..=shown + 6).contains(&counted), "{counted} for {shown}: {line}");
    assert!(said(&out).contains("proftui: 41 processes, "), "{}", said(&out));
    if keeps_ends() {
        assert!(said(&out).contains("proftui: 41 processes, 41 complete\n"), "{}", said(&out));
    }
}
