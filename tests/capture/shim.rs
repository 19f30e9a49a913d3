//! The Python side of a capture, under the Pythons that are installed: scripts run with packages that imitate
//! the frameworks, and with a stand-in for the recorder. `tests/shim/*.py` are the tests themselves.

use std::path::Path;
use std::process::Command;
use std::thread;

use crate::tools::{Python, ends_of_pythons, pythons};

const WHAT: &str = "the Python side of a capture";

#[test]
fn scripts_are_followed_by_the_oldest_and_the_newest_python() {
    follow(ends_of_pythons(WHAT));
}

#[test]
#[ignore = "a minute of each Python; .ci/long runs it"]
fn scripts_are_followed_by_every_python() {
    follow(pythons(WHAT));
}

/// Runs the tests in each of these Pythons.
fn follow(pythons: impl IntoIterator<Item = &'static Python>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim");
    let runs: Vec<_> = pythons
        .into_iter()
        .map(|Python { version, path }| {
            let mut command = Command::new(path);
            command.args(["-B", "-m", "unittest", "discover"]).current_dir(&folder);
            (version, thread::spawn(move || command.output().expect("a Python that ran before")))
        })
        .collect();
    for ((major, minor), run) in runs {
        let out = run.join().expect("its output");
        assert!(out.status.success(), "Python {major}.{minor}\n{}", String::from_utf8_lossy(&out.stderr));
        println!(
            "Python {major}.{minor}: {}",
            String::from_utf8_lossy(&out.stderr).lines().rev().nth(2).unwrap_or_default()
        );
    }
}
