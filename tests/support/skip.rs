//! Lists the checks that cannot run on this machine in `skipped` of the target folder, which `.ci/run`
//! prints. Under `CI=true` a check that lacks a tool fails.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};

/// Lists the check `what` as skipped because of the machine: its GPU or the lack of one, no network, no root,
/// no `../shared`. `remedy` says what would run the check.
pub(crate) fn excused(what: &str, why: &str, remedy: &str) {
    let line = format!("SKIPPED: {what}, {why}, {remedy}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // The second is of this run of cargo alone: `crates/wire/tests/left_out.rs` prints it in the end.
    let of_this_run = format!("skipped-{}", std::os::unix::process::parent_id());
    for list in [folder.join("../skipped"), folder.join(of_this_run)] {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a list of what is skipped");
    }
}

/// Lists the check `what` as skipped for want of a tool, such as Python or a compiler.
///
/// # Panics
/// Under `CI=true`: there every tool must be installed.
pub(crate) fn lacks_tool(what: &str, why: &str, remedy: &str) {
    excused(what, why, remedy);
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{what} cannot run: {why}");
}

/// The folder `inside` of `../shared`, the collection of real traces and of other tools' results; `None`,
/// with the check `what` listed as skipped, if it is not there.
pub(crate) fn shared(inside: &str, what: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = shared.join(inside);
    if !folder.is_dir() {
        let missing = Path::new("../shared").join(inside);
        let remedy = "put the collection of traces beside the checkout";
        excused(what, &format!("no {}", missing.display().to_string().trim_end_matches('/')), remedy);
        return None;
    }
    Some(folder)
}
