//! The Python side of a capture, under the Pythons that are installed: scripts run with packages that imitate
//! the frameworks, and with a stand-in for the recorder. `tests/shim/*.py` are the tests themselves.
//! They take longest, and this module's name is among the first: they begin first, so nothing waits for them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::tools::{Python, pythons};

const WHAT: &str = "the Python side of a capture";

#[test]
fn scripts_are_followed_by_the_newest_python() {
    follow(pythons(WHAT).last());
}

#[test]
#[ignore = "half a minute of each Python; .ci/long runs it"]
fn scripts_are_followed_by_every_python() {
    follow(pythons(WHAT));
}

/// Runs the tests in each of these Pythons: file after file, each in a process of its own, as many at once as there
/// are processors.
fn follow(pythons: impl IntoIterator<Item = &'static Python>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim");
    let files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of the tests")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| name.starts_with("test_"))
        .collect();
    assert!(!files.is_empty());
    let runs: Vec<_> =
        pythons.into_iter().flat_map(|python| files.iter().map(move |file| (python, file))).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some((Python { version: (major, minor), path }, file)) =
            runs.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let out = Command::new(path)
                .args(["-B", "-m", "unittest", file.trim_end_matches(".py")])
                .current_dir(&folder)
                .output()
                .expect("a Python that ran before");
            let text = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success(), "Python {major}.{minor}, {file}\n{text}");
            println!("Python {major}.{minor}, {file}: {}", text.lines().rev().nth(2).unwrap_or_default());
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(run);
        }
    });
}
