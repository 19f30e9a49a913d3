//! Standard output that cannot be written to: a full device and a closed stream end every command with 1 and
//! a line that says so; a reader that goes away does not.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use crate::binary::{BINARY, said};

const TRACE: &str = "demo-traces/synthetic-gpu.json.gz";
const PROFILE: &str = "demo-traces/paddle-lenet-cpu.paddle_trace.json.gz";

/// The commands that print on standard output, and that end with 0 where they can.
fn printing() -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&str>> = vec![
        vec!["--help"],
        vec!["-h"],
        vec!["--version"],
        vec!["help"],
        vec!["help", "summary"],
        vec!["keys"],
        vec!["info", TRACE],
        vec!["info", "--format", "json", TRACE],
        vec!["nodes", PROFILE],
        vec!["states", "0,1,1,2,0", "0", "8"],
    ];
    for command in
        ["capture", "open", "info", "summary", "convert", "doctor", "recover", "keys", "completions", "man"]
    {
        all.push(vec![command, "--help"]);
    }
    all.extend(["bash", "zsh", "fish", "elvish", "powershell"].map(|shell| vec!["completions", shell]));
    for format in ["table", "json", "csv", "markdown"] {
        all.push(vec!["summary", "--view", "kernel", "--format", format, TRACE]);
        all.push(vec!["summary", "--layout", "torch", "--format", format, TRACE]);
    }
    all.extend(["fluid", "paddle", "visualdl"].map(|layout| vec!["summary", "--layout", layout, TRACE]));
    all
}

fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command
}

#[track_caller]
fn assert_failed(args: &[&str], out: &Output, why: &str) {
    assert_eq!(out.status.code(), Some(1), "{args:?}: {out:?}");
    let said = said(out);
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("proftui: standard output") && last.contains(why), "{args:?}: {said}");
}

#[test]
fn a_full_device_ends_each_command_with_1() {
    for args in printing() {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let out = command(BINARY).args(&args).stdout(full).output().expect("the binary runs");
        assert_failed(&args, &out, "No space left");
    }
}

#[test]
fn a_closed_standard_output_ends_each_command_with_1() {
    for args in printing() {
        let script = ["-c", "exec \"$0\" \"$@\" >&-", BINARY];
        let out = command("sh").args(script).args(&args).output().expect("a shell runs");
        assert_failed(&args, &out, "is closed");
    }
    // What prints nothing needs none.
    let script = ["-c", "exec \"$0\" \"$@\" >&-", BINARY, "summary", "--no-such-option"];
    assert_eq!(command("sh").args(script).output().expect("a shell runs").status.code(), Some(2));
}

#[test]
fn a_device_that_takes_all_and_a_reader_that_has_gone_are_no_error() {
    for args in printing() {
        // As Python opens it for `subprocess.DEVNULL`, and Rust for a stream that is closed.
        let null = File::options().read(true).write(true).open("/dev/null").expect("a device");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        for stdout in [Stdio::from(null), Stdio::from(writer)] {
            let out = command(BINARY).args(&args).stdout(stdout).output().expect("the binary runs");
            assert_eq!(out.status.code(), Some(0), "{args:?}: {out:?}");
            assert!(!said(&out).contains("standard output"), "{args:?}: {out:?}");
        }
    }
}

#[test]
fn a_captured_program_keeps_its_closed_standard_output() {
    let script = "exec \"$0\" capture --out \"$1\" -- sh -c 'exit 7' >&-";
    let folder = crate::scratch::Scratch::new("closed");
    let out = command("sh").args(["-c", script, BINARY, &folder.path("out")]).output().expect("a shell runs");
    assert_eq!(out.status.code(), Some(7), "{out:?}");
}
