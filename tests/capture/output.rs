//! Where traces and run folders are written, and what must never be written there.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::run::{Sandbox, python, read, said};

#[test]
fn traces_are_private_and_alone_in_their_folder() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&["--format", "json.gz"], &[python, "-c", "print('hello')"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "hello\n", "its output is its own");
    let again = sandbox.capture(&["--format", "pb"], &[python, "-c", "pass"]);
    assert!(out.status.success() && again.status.success());
    assert_eq!(sandbox.traces().len(), 2);
    for path in sandbox.traces() {
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.starts_with("host_") && name.contains(".paddle_trace."), "{name}");
        read(&path);
    }
    assert_eq!(sandbox.runs(), 0);
}

#[test]
fn the_form_of_pytorch_has_the_names_that_tensorboard_asks_for() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", "def train_step(): pass\nfor _ in range(6): train_step()\n");
    let options = ["--step-on", "__main__:train_step", "--steps", "1:4", "--format", "kineto.gz"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    assert!(out.status.success(), "{}", said(&out));
    let path = sandbox.traces().remove(0);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let parts: Vec<&str> = name.strip_suffix(".pt.trace.json.gz").expect(&name).rsplitn(2, '.').collect();
    assert!(parts[0].parse::<u64>().is_ok() && parts[1].starts_with("host_"), "{name}");
    let trace = read(&path).trace;
    assert_eq!((trace.steps.len(), trace.steps[0].number), (3, 1));
    assert!(trace.meta.producer.starts_with("proftui "), "{}", trace.meta.producer);
}

/// The time of the wall clock, ns since 1970.
fn now() -> i64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as i64
}

#[test]
fn times_count_from_a_base_that_the_header_states() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", "def train_step(): pass\nfor _ in range(6): train_step()\n");
    let command = [python, script.to_str().unwrap()];
    let options = ["--step-on", "__main__:train_step", "--steps", "1:4"];
    let before = now();
    let out = sandbox.capture(&options, &command);
    let within = before..=now();
    assert!(out.status.success(), "{}", said(&out));
    let path = sandbox.traces().remove(0);
    let text = std::fs::read_to_string(&path).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let base = trace["baseTimeNanoseconds"].as_i64().expect("the base is stated");
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().all(|event| event["name"].is_string() && event["ph"].is_string()));
    // Each event is on a line of its own; numbers are read as doubles and rounded to the ns.
    let ns = |event: &str, key: &str| {
        let number = event.split_once(&format!("\"{key}\":")).unwrap().1.split(',').next().unwrap();
        format!("{:.3}", number.parse::<f64>().unwrap()).replace('.', "").parse::<i64>().unwrap()
    };
    let steps: Vec<&str> = text.lines().filter(|line| line.contains(r#""cat":"ProfileStep""#)).collect();
    assert_eq!(steps.len(), 3);
    let loaded = read(&path);
    let start = loaded.trace.meta.epoch.unwrap() + loaded.trace.span.start;
    assert_eq!(start, base + ns(steps[0], "ts"), "read to the nanosecond");
    for (step, number) in steps.into_iter().zip(1..) {
        assert!(step.contains(&format!("\"name\":\"ProfilerStep#{number}\"")), "{step}");
        let (start, dur) = (base + ns(step, "ts"), ns(step, "dur"));
        assert!(within.contains(&start) && within.contains(&(start + dur)), "{step} {within:?}");
    }
    // What VisualDL reads has Paddle's times and names.
    let out =
        sandbox.capture(&[&options[..], &["--format", "paddle.json", "--out", "paddle"]].concat(), &command);
    assert!(out.status.success(), "{}", said(&out));
    let file = std::fs::read_dir(sandbox.path("paddle")).unwrap().next().unwrap().unwrap();
    assert!(file.file_name().to_string_lossy().ends_with(".paddle_trace.json"), "{file:?}");
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.ends_with(",\n{}\n]}\n") && text.contains("\"name\":\"ProfileStep#1["), "{text}");
    assert!(!text.contains("baseTimeNanoseconds"));
}

#[test]
fn a_folder_that_cannot_be_written_to_is_reported_before_the_program_starts() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("taken", "");
    let out = sandbox.capture(&["--out", file.to_str().unwrap()], &["touch", "started"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("set another folder with --out"), "{}", said(&out));
    assert!(!sandbox.path("started").exists());
}

/// All files below a folder, read.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()));
        }
    }
    found
}

#[test]
fn secrets_are_written_nowhere() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file(
        "train.py",
        // A socket cannot be copied.
        "import os, shutil\nshutil.copytree(os.environ['PROFTUI_RUN'], 'seen', ignore=shutil.ignore_patterns('ends'))\nprint(len(os.environ['DB_PASSWORD']))\n",
    );
    let out = sandbox
        .proftui()
        .env("DB_PASSWORD", "canary-in-the-environment")
        .env("RANK", "../../canary")
        .args(["capture", "--spool"])
        .arg(sandbox.path("run"))
        .args(["--on-trace-ready", "false --token canary", "--", python, script.to_str().unwrap()])
        .args(["--api-key", "canary-in-an-argument", "--token", "-canary", "--user", "bob:canary"])
        .args([
            "https://host/x?a=1&sig=canary",
            "hf_canarycanarycanarycanarycanary",
            "http://me:p@/canary@host",
        ])
        .args(["sh -c 'curl -u bob:canary https://host'"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    assert!(said(&out).contains("the environment variable RANK is ignored"), "{}", said(&out));
    assert!(!said(&out).contains("canary"), "{}", said(&out));
    let all: Vec<_> =
        ["seen", "profiler_log", "cache"].iter().flat_map(|name| contents(&sandbox.path(name))).collect();
    assert!(all.len() > 5, "the run's files were seen");
    for (name, bytes) in all {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("canary"), "{name}");
    }
}

#[test]
fn a_folder_that_is_none_is_named() {
    let sandbox = Sandbox::new();
    let run = |value: &str, options: &[&str]| {
        let mut command = sandbox.proftui();
        command
            .env("TMPDIR", value)
            .arg("capture")
            .args(options)
            .args(["--", "touch", "started"])
            .output()
            .unwrap()
    };
    for out in [run("/no/where", &[]), run("/tmp", &["--spool", "/no/where"])] {
        assert_eq!(out.status.code(), Some(1));
        assert!(
            said(&out).starts_with("proftui: cannot create temporary files in /no/where"),
            "{}",
            said(&out)
        );
    }
    assert!(!sandbox.path("started").exists());
    let out = run("", &[]);
    assert!(out.status.success() && sandbox.path("started").exists(), "{}", said(&out));
}

#[test]
fn a_run_folder_that_is_taken_away_is_missed() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = "import os, shutil\nshutil.rmtree(os.environ['PROFTUI_RUN'])\nprint('fine')\n";
    let out = sandbox.capture(&["--keep-last", "64M"], &[python, "-c", script]);
    assert!(out.status.success() && out.stdout == b"fine\n", "{}", said(&out));
    assert_eq!(
        said(&out),
        "proftui: the capture's temporary folder was removed or renamed: records that were not yet written to a trace will not be\n"
    );
}

#[test]
fn quiet_still_reports_what_goes_wrong() {
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&["-q", "--record", "1", "--repeat", "1", "--closed", "4"], &["true"]);
    assert!(!said(&out).contains("--ready"), "{}", said(&out));
    assert_eq!(said(&sandbox.capture(&["--quiet"], &["true"])), "");
    let out = sandbox.capture(&["-q", "--on-trace-ready", "false"], &["true"]);
    assert_eq!(said(&out), "proftui: --on-trace-ready: false: exit status: 1\n");
    assert!(!sandbox.traces().is_empty());
}

#[test]
fn each_trace_is_handed_on() {
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&["--on-trace-ready", "wc -c <"], &["true"]);
    assert!(out.status.success(), "{}", said(&out));
    let bytes: u64 = String::from_utf8_lossy(&out.stdout).trim().parse().unwrap();
    assert_eq!(bytes, std::fs::metadata(&sandbox.traces()[0]).unwrap().len());
}

#[test]
fn doctor_tries_what_it_reports() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let out = sandbox.proftui().args(["doctor", "--python", python]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("a test script was recorded"), "{text}");
    let out =
        sandbox.proftui().args(["doctor", "--python", "./none", "--out", "/proc/no/such"]).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("check failed") || said(&out).contains("checks failed"), "{}", said(&out));
    assert!(!sandbox.path("profiler_log").exists() && sandbox.runs() == 0, "it leaves nothing");
}
