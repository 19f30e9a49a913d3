//! The Python module, under the oldest and the newest Python that are installed, with the program built for
//! these tests and no framework. `tests/module/*.py` are the tests themselves.

use std::path::Path;
use std::process::Command;
use std::thread;

use crate::tools::{Python, ends_of_pythons};

#[test]
fn scripts_that_profile_themselves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runs: Vec<_> = ends_of_pythons("the Python module")
        .into_iter()
        .map(|Python { version, path }| {
            let mut command = Command::new(path);
            command.args(["-B", "-m", "unittest", "discover"]).current_dir(root.join("tests/module"));
            command.env("PROFTUI_BIN", env!("CARGO_BIN_EXE_proftui"));
            command.env("PROFTUI_ORACLES", root.join("../shared/oracles"));
            (version, thread::spawn(move || command.output().expect("a Python that ran before")))
        })
        .collect();
    for ((major, minor), run) in runs {
        let out = run.join().expect("its output");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "Python {major}.{minor}\n{said}");
        println!("Python {major}.{minor}: {}", said.lines().rev().nth(2).unwrap_or_default());
    }
}
