//! The Python side of a capture, under every Python that is installed: scripts run with packages that imitate the frameworks, and with a
//! stand-in for the recorder. `tests/shim/*.py` are the tests themselves.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The version of a Python, if the shim supports it.
fn version(python: &Path) -> Option<String> {
    let ask = "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 8))";
    let out = Command::new(python).args(["-I", "-c", ask]).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// The Python on the path and those that pyenv has installed, one of each version.
fn pythons() -> Vec<(String, PathBuf)> {
    let kept =
        env::var_os("PYENV_ROOT").and_then(|root| fs::read_dir(Path::new(&root).join("versions")).ok());
    let kept = kept.into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python3"));
    let mut found: Vec<_> =
        kept.chain([PathBuf::from("python3")]).filter_map(|path| Some((version(&path)?, path))).collect();
    found.sort();
    found.dedup_by(|one, other| one.0 == other.0);
    found
}

#[test]
fn scripts_are_followed_by_every_python() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim");
    let runs: Vec<_> = pythons()
        .into_iter()
        .map(|(version, python)| {
            let mut command = Command::new(python);
            command.args(["-B", "-m", "unittest", "discover"]).current_dir(&folder);
            (version, thread::spawn(move || command.output().expect("a Python that ran before")))
        })
        .collect();
    if runs.is_empty() {
        crate::skip::lacks_tool("the Python shim", "no Python from 3.8 on");
    }
    for (version, run) in runs {
        let out = run.join().expect("its output");
        assert!(out.status.success(), "Python {version}\n{}", String::from_utf8_lossy(&out.stderr));
        println!(
            "Python {version}: {}",
            String::from_utf8_lossy(&out.stderr).lines().rev().nth(2).unwrap_or_default()
        );
    }
}
