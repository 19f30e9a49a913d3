//! Finds the Pythons and the C compiler that tests need, and lists the tests as skipped where one is missing.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::skip;

/// Minor versions of Python 3 that may be installed under the name of their version; older ones are not
/// supported.
const MINORS: std::ops::RangeInclusive<u32> = 8..=14;

/// A Python interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Python {
    /// The interpreter's version, as (3, 12).
    pub(crate) version: (u32, u32),
    /// The path of the program.
    pub(crate) path: String,
}

/// The version of the Python at a path, if proftui supports it.
fn version(path: &Path) -> Option<(u32, u32)> {
    let ask = "import sys; print('%d %d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 8))";
    let out = Command::new(path).args(["-I", "-c", ask]).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn find() -> Vec<Python> {
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pyenv")));
    let versions = root.and_then(|root| fs::read_dir(root.join("versions")).ok()).into_iter().flatten();
    let mut of_pyenv: Vec<PathBuf> = versions
        .flatten()
        .map(|entry| entry.path().join("bin/python3"))
        .filter(|path| path.exists())
        .collect();
    of_pyenv.sort();
    let mut found = BTreeMap::new();
    let mut add = |path: PathBuf| {
        if let Some(version) = version(&path) {
            found.entry(version).or_insert(path);
        }
    };
    of_pyenv.into_iter().for_each(&mut add);
    // A Python of pyenv that is on the path only as a script that looks for one is found above.
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let names = MINORS.map(|minor| format!("python3.{minor}")).chain(["python3".to_owned()]);
    let is_script = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("shims"));
    names
        .flat_map(|name| folders.iter().map(move |folder| folder.join(&name)).collect::<Vec<_>>())
        .filter(|path| path.is_file() && !is_script(path))
        .for_each(&mut add);
    let path = |path: PathBuf| path.into_os_string().into_string().expect("a path in UTF-8");
    found.into_iter().map(|(version, found)| Python { version, path: path(found) }).collect()
}

/// The Pythons from 3.8 on that pyenv has installed or that are on the path, one of each version, from the
/// oldest; none, with the check `what` listed as skipped, if there is none.
pub(crate) fn pythons(what: &str) -> &'static [Python] {
    static FOUND: OnceLock<Vec<Python>> = OnceLock::new();
    let found = FOUND.get_or_init(find);
    if found.is_empty() {
        skip::lacks_tool(what, "no Python from 3.8 on", "install Python 3.8 or newer");
    }
    found
}

/// The oldest and the newest of [`pythons`].
pub(crate) fn ends_of_pythons(what: &str) -> Vec<&'static Python> {
    let all = pythons(what);
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().filter(|(at, _)| *at == 0 || *at == last).map(|(_, python)| python).collect()
}

/// The newest of [`pythons`].
pub(crate) fn newest_python(what: &str) -> Option<&'static str> {
    pythons(what).last().map(|python| python.path.as_str())
}

/// Runs the C compiler (`$CC`, else `cc`) with these arguments; `None`, with the check `what` listed as
/// skipped, if there is no compiler.
///
/// # Panics
/// If the source cannot be compiled.
pub(crate) fn compile(
    what: &str,
    arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
) -> Option<()> {
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    match Command::new(&compiler).args(arguments).output() {
        Ok(out) => assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr)),
        Err(why) => {
            let why = format!("{}: {why}", compiler.display());
            skip::lacks_tool(what, &why, "install a C compiler, or name it in CC");
            return None;
        }
    }
    Some(())
}
