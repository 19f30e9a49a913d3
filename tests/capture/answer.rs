//! What a capture prints at its end: where the time went, and how to open the trace.

use std::process::Output;

use super::run::{Sandbox, python, said};

/// A loop of a function `train`, which takes some 10 ms, so that a busy machine makes none of its calls twice
/// as long; one of the calls takes so long that slow others do not count.
const LOOP: &str = "import sys, time\ndef train(n):\n    time.sleep(3 if n == 5 else 0.01)\n\
                    for n in range(int(sys.argv[1])): train(n)\n";

/// The lines that proftui printed, without its name.
fn lines(out: &Output) -> Vec<String> {
    said(out).lines().filter_map(|line| line.strip_prefix("proftui: ")).map(str::to_owned).collect()
}

#[test]
fn a_trace_is_answered_in_a_few_lines() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let command = [python, script.to_str().unwrap(), "20"];
    // The first step may be slow to begin.
    let out = sandbox.capture(&["--steps", "1:", "--step-on", "__main__:train"], &command);
    let lines = lines(&out);
    let trace = &sandbox.traces()[0];
    let path = trace.strip_prefix(sandbox.path("")).unwrap_or(trace).display().to_string();
    let insights = sandbox.proftui().args(["insights", "--format", "json"]).arg(trace).output().unwrap();
    let insights: serde_json::Value = serde_json::from_slice(&insights.stdout).unwrap();
    assert_eq!(insights["verdict"], lines[0], "as `insights` says");
    assert!(lines[0].contains(" % of steps 1–19 ("), "{lines:?}");
    let found = &insights["findings"][0];
    assert!(found["rule"] == "host_python" && found["share"].as_f64() > Some(0.9), "{found}");
    assert!(lines[0].contains("the host is in the script's Python, once (step 5)."), "{lines:?}");
    assert!(lines[1].starts_with("19 steps (ended by function: __main__:train): p50 "), "{lines:?}");
    assert!(lines[2].starts_with("slowest: step 5 with "), "{lines:?}");
    assert!(lines[2].contains(" more than the median step: other code +"), "{lines:?}");
    assert!(lines[2].contains("; its thread waiting +"), "{lines:?}");
    // On a busy machine there may be too many long steps for these to be apart from the others.
    let of_steps =
        ["in the other steps", "in the steps"].map(|which| format!("{which} their thread was on a "));
    assert!(of_steps.iter().any(|start| lines[3].starts_with(start)), "{lines:?}");
    assert!(lines[4].starts_with("most memory: ") && lines[4].contains(" of the host"), "{lines:?}");
    assert_eq!(lines.last(), Some(&format!("open it: proftui open {path}")));
    assert_eq!(lines.len(), 6, "no operators, phases or waits, and the path once: {lines:?}");

    let quiet = sandbox.capture(&["--quiet", "--step-on", "__main__:train"], &command);
    assert_eq!(said(&quiet), "");
}

#[test]
fn traces_of_cycles_have_a_line_each_and_one_answer() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let options = ["--ready", "1", "--record", "3", "--repeat", "2", "--step-on", "__main__:train"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "20"]);
    let lines = lines(&out);
    let of_traces: Vec<&String> =
        lines.iter().filter(|line| line.contains("paddle_trace.json: steps ")).collect();
    assert!(of_traces[0].ends_with(": steps 1 to 3, 3 ranges"), "{lines:?}");
    assert!(of_traces[1].ends_with(": steps 5 to 7, 3 ranges"), "{lines:?}");
    let opened: Vec<&String> =
        lines.iter().filter(|line| line.starts_with("open it: proftui open ")).collect();
    assert_eq!(opened.len(), 1, "{lines:?}");
    let last = of_traces[1].split(": ").next().unwrap();
    assert_eq!(opened[0].strip_prefix("open it: proftui open "), Some(last), "of several the last");
    assert!(
        lines.iter().any(|line| line.contains("3 steps (ended by function: __main__:train): p50")),
        "{lines:?}"
    );
}

#[test]
fn the_first_rank_answers_for_all() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let launcher = format!(
        "import os, subprocess, sys\nranks = [subprocess.Popen([sys.executable, {:?}, '8'], env=dict(os.environ, RANK=r)) for r in '10']\n\
         [rank.wait() for rank in ranks]\n",
        script.to_str().unwrap()
    );
    let out = sandbox.capture(&["--step-on", "__main__:train"], &[python, "-c", &launcher]);
    let lines = lines(&out);
    assert_eq!(lines.iter().filter(|line| line.contains("steps 0 to 7, ")).count(), 2, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("8 steps ")).count(), 1, "{lines:?}");
    let last = lines.last().unwrap();
    assert!(last.starts_with("open it: proftui open ") && last.contains("_rank0_"), "{lines:?}");
}

#[test]
fn what_was_lost_is_said_of_a_single_trace_too() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let text = format!("{LOOP}import os\nos.kill(os.getpid(), 9)\n");
    let script = sandbox.file("train.py", &text);
    let out = sandbox.capture(&["--step-on", "__main__:train"], &[python, script.to_str().unwrap(), "9"]);
    let lines = lines(&out);
    assert!(lines.iter().any(|line| line.contains("; incomplete: ")), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("9 steps ")),
        "without the step that was cut: {lines:?}"
    );
    assert!(lines.last().unwrap().starts_with("open it: proftui open "), "{lines:?}");
}

#[test]
fn summaries_at_the_end_are_tables_with_rows() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", LOOP);
    let options = ["--summary", "--step-on", "__main__:train"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap(), "8"]);
    let printed = String::from_utf8_lossy(&out.stdout);
    assert!(printed.contains("Training phases\n"), "{printed}");
    assert!(!printed.contains("\nNo ") && !printed.contains("Kernels by name"), "{printed}");
}
