//! The Python module, under the oldest and the newest Python that are installed, with the program built for these tests and no framework.
//! `tests/module/*.py` are the tests themselves.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The version of a Python, if the module supports it.
fn version(python: &Path) -> Option<(u32, u32)> {
    let ask = "import sys; print('%d %d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 8))";
    let out =
        Command::new(python).args(["-I", "-c", ask]).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The oldest and the newest Python among the one on the path and those that pyenv has installed.
fn pythons() -> Vec<((u32, u32), PathBuf)> {
    let kept =
        env::var_os("PYENV_ROOT").and_then(|root| fs::read_dir(Path::new(&root).join("versions")).ok());
    let kept = kept.into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python3"));
    let mut found: Vec<_> =
        kept.chain([PathBuf::from("python3")]).filter_map(|path| Some((version(&path)?, path))).collect();
    found.sort();
    found.dedup_by_key(|one| one.0);
    let last = found.len().saturating_sub(1);
    let is_end = |at: usize| at == 0 || at == last;
    (0..).zip(found).filter(|(at, _)| is_end(*at)).map(|(_, one)| one).collect()
}

#[test]
fn scripts_that_profile_themselves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runs: Vec<_> = pythons()
        .into_iter()
        .map(|(version, python)| {
            let mut command = Command::new(python);
            command.args(["-B", "-m", "unittest", "discover"]).current_dir(root.join("tests/module"));
            command.env("PROFTUI_BIN", env!("CARGO_BIN_EXE_proftui"));
            command.env("PROFTUI_ORACLES", root.join("../shared/oracles"));
            (version, thread::spawn(move || command.output().expect("a Python that ran before")))
        })
        .collect();
    if runs.is_empty() {
        crate::skip::lacks_tool("the Python module", "no Python from 3.8 on");
    }
    for ((major, minor), run) in runs {
        let out = run.join().expect("its output");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "Python {major}.{minor}\n{said}");
        println!("Python {major}.{minor}: {}", said.lines().rev().nth(2).unwrap_or_default());
    }
}
