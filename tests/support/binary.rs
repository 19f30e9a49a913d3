//! Runs the program proftui that cargo built for these tests.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::process::{Command, Output, Stdio};

/// The path of the program.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_proftui");

/// Runs the program in the root of the repository, with nothing on standard input.
pub(crate) fn proftui(args: &[&str]) -> Output {
    let mut command = Command::new(BINARY);
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// Bytes that the program wrote, which must be UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What the program prints on standard output; it must succeed.
#[track_caller]
pub(crate) fn printed(args: &[&str]) -> String {
    let out = proftui(args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// The one line of JSON that the program prints; it must succeed.
#[track_caller]
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let line = printed(args);
    assert_eq!(line.trim_end().lines().count(), 1, "one line");
    serde_json::from_str(&line).expect("JSON")
}

/// What a process wrote to standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
