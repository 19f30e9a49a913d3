//! Inputs that are no quiet files: pipes, devices, links, missing rights, names that are no text, reads that
//! fail; and surroundings that give nothing. The real binary, bounded in memory, ends by itself.

#![cfg(target_os = "linux")]
mod broken;

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use rustix::fs::{CWD, Mode};

use crate::binary::BINARY;
use crate::scratch::Scratch;

const PACKED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demo-traces/torch-cnn-cpu.pt.trace.json.gz");
/// Slices in it.
const SLICES: u64 = 8397;
/// No account of any system.
const NOBODY: u32 = 65534;

/// Runs `info` as JSON on a path. It gets 1 GiB of memory, so that what takes in everything dies of it.
fn info(path: impl AsRef<OsStr>) -> Output {
    command(path).output().expect("a shell runs")
}

fn command(path: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("sh");
    let script = "ulimit -d 1048576; exec \"$0\" info --format json -- \"$1\"";
    command.args(["-c", script, BINARY]).arg(path).stdin(Stdio::null());
    command
}

/// The JSON of a trace that loaded.
#[track_caller]
fn loaded(run: &Output) -> serde_json::Value {
    assert!(run.status.success(), "{run:?}");
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// The one line that says why.
#[track_caller]
fn refused(run: &Output) -> String {
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(run.stdout.is_empty(), "{run:?}");
    let said = String::from_utf8(run.stderr.clone()).expect("UTF-8");
    assert!(said.starts_with("proftui: ") && said.lines().count() == 1 && said.len() <= 300, "{said:?}");
    said
}

fn unpacked() -> Vec<u8> {
    let mut text = Vec::new();
    let file = std::fs::File::open(PACKED).expect("a demo trace");
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text).expect("gzip");
    text
}

#[test]
fn a_fifo_is_read_like_a_file() {
    let scratch = Scratch::new("fifo");
    for (name, bytes) in [("plain", unpacked()), ("packed", std::fs::read(PACKED).expect("there"))] {
        let path = scratch.path(name);
        rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("a FIFO");
        let there = path.clone();
        let writer = thread::spawn(move || std::fs::write(there, bytes));
        assert_eq!(loaded(&info(&path))["slices"], SLICES, "{name}");
        writer.join().expect("no panic").expect("all was taken");
    }
}

#[test]
fn standard_input_may_be_plain_or_packed() {
    for bytes in [unpacked(), std::fs::read(PACKED).expect("there")] {
        let mut child =
            command("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell runs");
        let mut input = child.stdin.take().expect("a pipe");
        let writer = thread::spawn(move || input.write_all(&bytes));
        assert_eq!(loaded(&child.wait_with_output().expect("ends"))["slices"], SLICES);
        writer.join().expect("no panic").expect("all was taken");
    }
}

#[test]
fn devices_and_the_kernels_files_are_no_traces() {
    assert!(refused(&info("/dev/zero")).contains("not a trace"));
    assert!(refused(&info("/dev/null")).contains("no readable text"));
    assert!(refused(&info("/proc/self/maps")).contains("not a trace"));
}

#[test]
fn links_name_their_targets() {
    let scratch = Scratch::new("links");
    let (one, other, lost) = (scratch.path("a"), scratch.path("b"), scratch.path("lost"));
    symlink(&one, &other).expect("a link");
    symlink(&other, &one).expect("a link");
    symlink("/nowhere/at/all.json", &lost).expect("a link");
    assert!(refused(&info(&one)).contains("the links of the path form a loop"));
    assert!(refused(&info(&lost)).contains("/nowhere/at/all.json"));
    let good = scratch.path("good");
    symlink(PACKED, &good).expect("a link");
    assert_eq!(loaded(&info(&good))["slices"], SLICES);
}

/// The superuser may read anything, so nobody is asked to.
#[test]
fn what_may_not_be_read_says_so() {
    let scratch = Scratch::new("rights");
    let path = scratch.file("secret.json", b"[]");
    rustix::fs::chmod(&*path, Mode::empty()).expect("its mode is changed");
    let mut command = command(&path);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
        if !Command::new(BINARY)
            .arg("keys")
            .uid(NOBODY)
            .gid(NOBODY)
            .output()
            .is_ok_and(|run| run.status.success())
        {
            crate::skip::excused(
                "a file without permissions",
                "root runs this, and nobody else can run the program",
                "run as another user",
            );
            return;
        }
    }
    assert!(refused(&command.output().expect("a shell runs")).contains("permission denied"));
}

#[test]
fn an_empty_directory_is_said_to_be_empty() {
    let scratch = Scratch::new("empty");
    let said = refused(&info(scratch.path("")));
    assert!(
        said.contains(
            "no trace (.json, .json.gz, .json.zst, .paddle_trace.pb; in its folders, 4 levels deep, only \
             names that profilers give) was found in this directory"
        ),
        "{said}"
    );
}

#[test]
fn a_kind_that_is_not_read_is_named_in_one_line_whichever_way_it_comes() {
    let scratch = Scratch::new("kinds");
    let folder = scratch.path("log/plugins/profile/2026_11_22");
    std::fs::create_dir_all(&folder).expect("a folder");
    let xplane = b"\x0a\x11\x08\x02\x12\x09/host:CPU\x1a\x00";
    let path = scratch.file("log/plugins/profile/2026_11_22/host.xplane.pb", xplane);
    for path in [path, folder, scratch.path("log")] {
        let run = info(&path);
        let said = String::from_utf8(run.stderr).expect("UTF-8");
        assert_eq!((run.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.contains("an XPlane profile") && said.contains("xspace_to_tool_data"), "{said}");
        // A command to convert the file is longer than other advice.
        assert!(said.len() <= 450, "{said}");
    }
    let mut child = command("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.as_mut().expect("a shell runs");
    child.stdin.take().expect("a pipe").write_all(b"SQLite format 3\0\x10\0").expect("all was taken");
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
    assert_eq!(child.wait().expect("ends").code(), Some(1));
    assert!(said.starts_with("proftui: standard input: this is an SQLite database"), "{said}");
}

#[test]
fn names_need_not_be_text() {
    let scratch = Scratch::new("names");
    let strange = OsStr::from_bytes(b"\xff\xfe odd\x1b[31m.json");
    for name in [OsString::from("-x.json"), strange.to_owned()] {
        std::fs::write(Path::new(&scratch.path("")).join(&name), unpacked()).expect("written");
        let run = command(&name).current_dir(scratch.path("")).output().expect("a shell runs");
        assert_eq!(loaded(&run)["slices"], SLICES, "{name:?}");
        let said = String::from_utf8(run.stdout).expect("UTF-8");
        assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    }
}

/// As `head -1` does: it takes the beginning and goes.
#[test]
fn whoever_reads_may_go_away() {
    for args in [&["info", PACKED][..], &["info", "--format", "json", PACKED], &["keys"]] {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = Command::new(BINARY);
        let child = command.args(args).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        let child = child.spawn().expect("the binary runs");
        // Its own end of the pipe must be closed, or nobody will ever have gone.
        drop(command);
        let mut byte = [0];
        reader.read_exact(&mut byte).expect("one byte");
        drop(reader);
        let run = child.wait_with_output().expect("ends");
        assert!(run.status.success() && run.stderr.is_empty(), "{args:?}: {run:?}");
    }
}

#[test]
fn an_empty_environment_is_enough() {
    let run = Command::new(BINARY).args(["info", PACKED]).env_clear().stdin(Stdio::null()).output();
    let run = run.expect("the binary runs");
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    let with = Command::new(BINARY).args(["info", PACKED]).stdin(Stdio::null()).output().expect("runs");
    assert_eq!(run.stdout, with.stdout, "what is printed does not hang on it");
}
