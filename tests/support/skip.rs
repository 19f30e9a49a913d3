//! Lists checks that cannot run on this machine in `target/skipped`, which `.ci/run` prints. Under `CI=true` a check that lacks a
//! tool fails.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::Write;
use std::path::Path;

/// Lists the check `what` as skipped because of the machine: its GPU or the lack of one, no network, no root, no `../shared`.
pub(crate) fn excused(what: &str, why: &str) {
    eprintln!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../skipped");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
    let line = format!("SKIPPED: {what}, {why}\n");
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a list of what is skipped");
}

/// Lists the check `what` as skipped for want of a tool, such as Python or a compiler.
///
/// # Panics
/// Under `CI=true`: there every tool must be installed.
pub(crate) fn lacks_tool(what: &str, why: &str) {
    excused(what, why);
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{what} cannot run: {why}");
}
