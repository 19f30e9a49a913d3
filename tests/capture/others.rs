//! Another user of the machine gets no code into a captured program, and no write into the files of the
//! person.

use std::path::Path;
use std::process::Command;

use super::run::{BINARY, python, said};
use crate::skip;

#[test]
fn another_user_gets_no_code_into_a_capture() {
    let what = "attacks of another user on a capture";
    if !rustix::process::geteuid().is_root() {
        return skip::excused(what, "two users are needed", "run the tests as root");
    }
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capture/two_users.py");
    let out = Command::new(python).arg(script).arg(BINARY).output().unwrap();
    let rows = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && !rows.contains("WRONG"), "{rows}{}", said(&out));
}
