//! Files that the program writes where others may write, too: nothing is written through a link, and nothing
//! that is there is replaced unless that is asked for.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use proftui_trace::export::encode;
use proftui_trace::model::nodetree as pb;
use rustix::process::{Pid, Signal, kill_process};

use crate::binary::{BINARY, proftui, said};
use crate::scratch::Scratch;
use crate::skip;

/// A Paddle profile with one range.
fn profile() -> Vec<u8> {
    profile_of(1)
}

/// A Paddle profile with as many ranges, one after the other.
fn profile_of(ranges: i64) -> Vec<u8> {
    let node = |id: i64, parent: i64, name: &str, span: (u64, u64)| pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parent),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.into()),
            start_ns: Some(span.0),
            end_ns: Some(span.1),
            ..Default::default()
        }),
        ..Default::default()
    };
    let range = |id: i64| node(id, 0, "forward", (1000 * id as u64, 1000 * (id as u64 + 1)));
    let root = node(0, -1, "root node", (0, u64::MAX));
    let host_nodes = std::iter::once(root).chain((1..=ranges).map(range)).collect();
    encode(pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        thread_trees: vec![pb::ThreadNodeTreeProto { thread_id: Some(7), host_nodes }],
        ..Default::default()
    })
}

/// The names in a folder, in order.
fn names(folder: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The one line that a failed command prints.
#[track_caller]
fn refused(output: &Output) -> String {
    let said = said(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
    said
}

/// Starts `convert FIFO TO`; it waits for the content of the pipe.
fn waiting(folder: &Scratch, to: &str, options: &[&str]) -> (Child, fs::File) {
    let pipe = folder.path("pipe.pb");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let child = Command::new(BINARY)
        .args(["convert", &pipe, to])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // Opening waits until the program has opened its end, which it does after its checks of the output.
    let content = fs::OpenOptions::new().write(true).open(&pipe).expect("a pipe");
    fs::remove_file(pipe).expect("removed");
    (child, content)
}

/// Gives the program the profile, and waits for its end.
fn convert((child, mut content): (Child, fs::File)) -> Output {
    content.write_all(&profile()).expect("read");
    drop(content);
    child.wait_with_output().expect("it ends")
}

#[test]
fn convert_writes_a_private_file_and_leaves_nothing_else() {
    let folder = Scratch::new("convert-private");
    let from = folder.file("a.pb", profile());
    let to = folder.path("b.json");
    assert!(proftui(&["convert", &from, &to]).status.success());
    assert_eq!(fs::metadata(&to).expect("there").permissions().mode() & 0o7777, 0o600);
    assert_eq!(names(&folder), ["a.pb", "b.json"]);
    assert!(refused(&proftui(&["convert", &from, &to])).contains("--force"));
}

#[test]
fn no_name_can_be_foreseen_at_which_convert_writes() {
    let folder = Scratch::new("convert-foreseen");
    let from = folder.file("a.pb", profile());
    let (to, victim) = (folder.path("b.json"), folder.file("victim", "untouched"));
    // The number of the process is known before the program starts: `exec` keeps it.
    let script = r#"for name in "$2.$$.part" "$2.part" "$2.partial" "$2.tmp" "$2.$$"; do ln -s "$3" "$name"; done
        exec "$0" convert "$1" "$2""#;
    let output = Command::new("sh").args(["-c", script, BINARY, &from, &to, &victim]).output().expect("sh");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&victim).expect("there"), "untouched");
    assert!(!fs::symlink_metadata(&to).expect("there").is_symlink());
}

#[test]
fn a_planted_link_is_kept_or_replaced_and_never_followed() {
    let folder = Scratch::new("convert-link");
    let from = folder.file("a.pb", profile());
    let victim = folder.file("victim", "untouched");
    for (name, target) in
        [("to-file.json", victim.as_str()), ("dangling.json", "nowhere"), ("loop.json", "loop.json")]
    {
        let to = folder.path(name);
        symlink(target, &to).expect("a link");
        assert!(refused(&proftui(&["convert", &from, &to])).contains("exists already"), "{name}");
        assert_eq!(fs::read_link(&to).expect("a link"), Path::new(target));
        let output = proftui(&["convert", "--force", &from, &to]);
        assert!(output.status.success(), "{name}: {}", said(&output));
        assert!(fs::symlink_metadata(&to).expect("there").is_file(), "{name}: the link itself is replaced");
    }
    assert_eq!(fs::read_to_string(&victim).expect("there"), "untouched");
    assert!(!Path::new(&folder.path("nowhere")).exists());
}

#[test]
fn a_link_of_another_user_is_not_followed() {
    if !rustix::process::geteuid().is_root() {
        skip::excused("links planted by another user", "not root", "run the tests as root");
        return;
    }
    let folder = Scratch::new("convert-users");
    let secret = folder.file("secret", "untouched");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("private");
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).expect("open");
    let from = folder.file("a.pb", profile());
    for (number, mode) in [0o777, 0o1777].into_iter().enumerate() {
        let shared = folder.path(&format!("shared{number}"));
        fs::create_dir(&shared).expect("a folder");
        fs::set_permissions(&shared, fs::Permissions::from_mode(mode)).expect("open to all");
        let to = format!("{shared}/out.json");
        let plant = |name: &str| {
            let mut ln = Command::new("ln");
            ln.args(["-s", &secret, name]).uid(65534).gid(65534);
            assert!(ln.status().expect("ln").success());
        };
        plant(&to);
        assert!(refused(&proftui(&["convert", &from, &to])).contains("exists already"));
        let output = proftui(&["convert", "--force", &from, &to]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&secret).expect("there"), "untouched");
        let page = format!("{shared}/proftui.1");
        plant(&page);
        let output = proftui(&["man", &shared]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&secret).expect("there"), "untouched", "by the manual page");
    }
}

#[test]
fn an_output_that_appears_while_converting_is_kept() {
    let folder = Scratch::new("convert-race");
    let to = folder.path("b.json");
    let started = waiting(&folder, &to, &[]);
    fs::write(&to, "of someone else").expect("written");
    assert!(refused(&convert(started)).contains("exists already"));
    assert_eq!(fs::read(&to).expect("there"), b"of someone else");
    assert_eq!(names(&folder), ["b.json"]);
    let started = waiting(&folder, &to, &["--force"]);
    let victim = folder.file("victim", "untouched");
    fs::remove_file(&to).expect("removed");
    symlink(&victim, &to).expect("a link");
    assert!(convert(started).status.success());
    assert!(fs::symlink_metadata(&to).expect("there").is_file());
    assert_eq!(fs::read_to_string(&victim).expect("there"), "untouched");
}

#[test]
fn a_folder_that_is_exchanged_while_converting_gets_nothing() {
    let folder = Scratch::new("convert-folder");
    let other = Scratch::new("convert-other");
    fs::create_dir(folder.path("mine")).expect("a folder");
    let started = waiting(&folder, &folder.path("mine/b.json"), &[]);
    fs::rename(folder.path("mine"), folder.path("moved")).expect("renamed");
    symlink(other.path(""), folder.path("mine")).expect("a link");
    assert!(convert(started).status.success());
    assert_eq!(names(&other), [""; 0], "the link is not followed");
    assert!(Path::new(&folder.path("moved/b.json")).is_file(), "the folder that was checked has the file");
}

/// A file without a name that a process has open in a folder, and has written a part of.
fn nameless(process: &Child, folder: &Scratch) -> Option<std::path::PathBuf> {
    let files = fs::read_dir(format!("/proc/{}/fd", process.id())).ok()?;
    files.flatten().map(|file| file.path()).find(|file| {
        let is_it = fs::read_link(file).is_ok_and(|target| {
            target.starts_with(folder.path("")) && target.to_string_lossy().ends_with(" (deleted)")
        });
        is_it && fs::metadata(file).is_ok_and(|file| file.len() > 0)
    })
}

/// The program is stopped when a part of the file is written, so that the signal comes before the rest is.
#[test]
fn a_signal_while_convert_writes_leaves_nothing_and_what_was_there() {
    let folder = Scratch::new("convert-signal");
    let from = folder.file("a.pb", profile_of(50_000));
    let tmp = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::TMPFILE;
    if rustix::fs::open(folder.path(""), tmp, rustix::fs::Mode::RUSR).is_err() {
        skip::lacks_tool("signals while convert writes", "no O_TMPFILE", "use another file system");
        return;
    }
    let to = folder.path("b.json");
    for (signal, is_there) in
        [(Signal::INT, false), (Signal::INT, true), (Signal::TERM, false), (Signal::TERM, true)]
    {
        if is_there {
            fs::write(&to, "of someone else").expect("written");
        }
        let before = names(&folder);
        let mut command = Command::new(BINARY);
        command.args(["convert", "--force", &from, &to]).stderr(Stdio::piped());
        let child = command.spawn().expect("the program runs");
        let pid = Pid::from_child(&child);
        let status = |line: &str| {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
            let found = status.lines().find_map(|text| text.strip_prefix(line)).map(str::trim);
            found.expect("a line").to_owned()
        };
        while nameless(&child, &folder).is_none() {
            assert!(!status("State:").starts_with('Z'), "it ended before it was seen to write");
            std::thread::yield_now();
        }
        kill_process(pid, Signal::STOP).expect("sent");
        while !status("State:").starts_with('T') {
            assert!(!status("State:").starts_with('Z'), "it ended before it was stopped");
        }
        assert!(nameless(&child, &folder).is_some(), "it still writes");
        let ignored = u64::from_str_radix(&status("SigIgn:"), 16).expect("a set of signals");
        // A shell that starts tests in the background has them ignore interrupts.
        let is_ignored = ignored & (1 << (signal.as_raw() - 1)) != 0;
        let signal = if is_ignored { Signal::TERM } else { signal };
        kill_process(pid, signal).expect("sent");
        kill_process(pid, Signal::CONT).expect("sent");
        let end = child.wait_with_output().expect("it ends");
        assert_eq!(end.status.signal(), Some(signal.as_raw()), "{}", said(&end));
        assert_eq!(names(&folder), before);
        assert_eq!(fs::read(&to).ok(), is_there.then(|| b"of someone else".to_vec()));
        let _ = fs::remove_file(&to);
    }
}

#[test]
fn what_cannot_be_written_is_one_line() {
    let folder = Scratch::new("convert-odd");
    let from = folder.file("a.pb", profile());
    fs::create_dir(folder.path("folder.json")).expect("a folder");
    assert!(Command::new("mkfifo").arg(folder.path("pipe.json")).status().expect("mkfifo").success());
    symlink("/dev/full", folder.path("full.json")).expect("a link");
    let before = names(&folder);
    for (to, part) in [
        ("missing/b.json", "the folder"),
        ("a.pb/b.json", "not a folder"),
        ("folder.json", "is a folder"),
        ("pipe.json", "exists already"),
        ("full.json", "exists already"),
    ] {
        assert!(refused(&proftui(&["convert", &from, &folder.path(to)])).contains(part), "{to}");
    }
    for (to, part) in [
        ("folder.json", "is a folder"),
        ("pipe.json", "only regular files"),
        ("missing/b.json", "the folder"),
    ] {
        let said = refused(&proftui(&["convert", "--force", &from, &folder.path(to)]));
        assert!(said.contains(part), "{to}: {said}");
    }
    for to in ["/dev/stdout", "/dev/full", "/dev/null"] {
        assert!(
            refused(&proftui(&["convert", "--force", &from, to])).contains("unknown file ending"),
            "{to}"
        );
    }
    assert_eq!(names(&folder), before);
    let pages = refused(&proftui(&["man", &folder.path("a.pb/man")]));
    assert!(pages.contains("cannot write"), "{pages}");
}

#[test]
fn manual_pages_replace_links_and_can_be_read_by_all() {
    let folder = Scratch::new("man-link");
    let victim = folder.file("victim", "untouched");
    symlink(&victim, folder.path("proftui.1")).expect("a link");
    let output = proftui(&["man", &folder.path("")]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&victim).expect("there"), "untouched");
    let page = fs::symlink_metadata(folder.path("proftui.1")).expect("there");
    assert!(page.is_file() && page.permissions().mode() & 0o777 != 0o600, "not for the user alone");
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
}
