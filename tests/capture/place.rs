//! Where things are put, and what must never be put there.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::run::{Place, python, read, said};

#[test]
fn traces_are_private_and_alone_in_their_folder() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let out = place.capture(&["--format", "json.gz"], &[&python, "-c", "print('hello')"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "hello\n", "its output is its own");
    let again = place.capture(&["--format", "pb"], &[&python, "-c", "pass"]);
    assert!(out.status.success() && again.status.success());
    assert_eq!(place.traces().len(), 2);
    for path in place.traces() {
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.starts_with("host_") && name.contains(".paddle_trace."), "{name}");
        read(&path);
    }
    assert_eq!(place.runs(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_the_program_starts() {
    let place = Place::new();
    let file = place.file("taken", "");
    let out = place.capture(&["--out", file.to_str().unwrap()], &["touch", "started"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("--out names another folder"), "{}", said(&out));
    assert!(!place.path("started").exists());
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
    let place = Place::new();
    let script = place.file(
        "train.py",
        "import os, shutil\nshutil.copytree(os.environ['PROFTUI_RUN'], 'seen')\nprint(len(os.environ['DB_PASSWORD']))\n",
    );
    let out = place
        .proftui()
        .env("DB_PASSWORD", "canary-in-the-environment")
        .args(["capture", "--spool"])
        .arg(place.path("run"))
        .args(["--", &python, script.to_str().unwrap(), "--api-key", "canary-in-an-argument"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let all: Vec<_> =
        ["seen", "profiler_log", "cache"].iter().flat_map(|name| contents(&place.path(name))).collect();
    assert!(all.len() > 5, "the run's files were seen");
    for (name, bytes) in all {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("canary"), "{name}");
    }
}

#[test]
fn a_place_that_is_none_is_named() {
    let place = Place::new();
    let run = |value: &str, options: &[&str]| {
        let mut command = place.proftui();
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
            said(&out).starts_with("proftui: /no/where: no place for the run's folder"),
            "{}",
            said(&out)
        );
    }
    assert!(!place.path("started").exists());
    let out = run("", &[]);
    assert!(out.status.success() && place.path("started").exists(), "{}", said(&out));
}

#[test]
fn a_run_folder_that_is_taken_away_is_missed() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let script = "import os, shutil\nshutil.rmtree(os.environ['PROFTUI_RUN'])\nprint('fine')\n";
    let out = place.capture(&[], &[&python, "-c", script]);
    assert!(out.status.success() && out.stdout == b"fine\n", "{}", said(&out));
    assert_eq!(said(&out), "proftui: the run's folder was taken away: what was not written yet is lost\n");
}

#[test]
fn who_wants_it_quiet_is_told_what_goes_wrong() {
    let place = Place::new();
    let out = place.capture(&["-q", "--record", "1", "--repeat", "1", "--closed", "4"], &["true"]);
    assert!(!said(&out).contains("--ready"), "{}", said(&out));
    assert_eq!(said(&place.capture(&["--quiet"], &["true"])), "");
    let out = place.capture(&["-q", "--on-trace-ready", "false"], &["true"]);
    assert_eq!(said(&out), "proftui: false: exit status: 1\n");
    assert!(!place.traces().is_empty());
}

#[test]
fn each_trace_is_handed_on() {
    let place = Place::new();
    let out = place.capture(&["--on-trace-ready", "wc -c <"], &["true"]);
    assert!(out.status.success(), "{}", said(&out));
    let bytes: u64 = String::from_utf8_lossy(&out.stdout).trim().parse().unwrap();
    assert_eq!(bytes, std::fs::metadata(&place.traces()[0]).unwrap().len());
}

#[test]
fn doctor_tries_what_it_tells() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let out = place.proftui().args(["doctor", "--python", &python]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("a range was recorded"), "{text}");
    let out =
        place.proftui().args(["doctor", "--python", "./none", "--out", "/proc/no/such"]).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("stand"), "{}", said(&out));
    assert!(!place.path("profiler_log").exists() && place.runs() == 0, "it leaves nothing");
}
