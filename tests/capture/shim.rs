//! The Python side of a capture, under every Python that is installed: scripts run with packages that imitate
//! the frameworks, and with a stand-in for the recorder. `tests/shim/*.py` are the tests themselves.

use std::path::Path;
use std::process::Command;
use std::thread;

use crate::tools::{Python, pythons};

#[test]
fn scripts_are_followed_by_every_python() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim");
    let runs: Vec<_> = pythons("the Python side of a capture")
        .iter()
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
