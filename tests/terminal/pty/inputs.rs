//! Files that change under the explorer, that never come, that two look at: it goes on, and says what has
//! happened.

use std::fs;
use std::io::Write;
use std::path::Path;

use rustix::fs::{CWD, Mode};

use super::explorer::{BIN, assert_whole, quit, sync, wait_ready};
use super::{CTRL_C, assert_left_clean};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// A trace of some events with arguments, one after the other.
fn trace() -> String {
    let event = |i: u32| {
        let (ts, name) = (10 * i, ["one", "two", "three"][i as usize % 3]);
        format!(
            r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":8,"args":{{"secret":"pear {i}"}}}}"#
        )
    };
    format!("[{}]", (0..600).map(event).collect::<Vec<_>>().join(",\n"))
}

/// The explorer on a file, with the first event selected and its arguments shown.
fn looking(path: &str) -> Pty {
    let pty = Pty::spawn(&[BIN, "open", path], &[], (120, 40));
    wait_ready(&pty);
    pty.send("l");
    pty.wait_frame("the arguments", |screen| screen.contents().contains("pear 0"));
    pty
}

/// What happens to a file.
type Change = fn(&Path);

/// How files change, and what is shown when they are loaded again.
const CHANGES: [(&str, Change, &str); 5] = [
    ("truncated", |path| shorten(path, 0), "no readable text"),
    ("halved", |path| shorten(path, 30_000), "pear"),
    (
        "grown",
        |path| fs::File::options().append(true).open(path).unwrap().write_all(b"\n[]").unwrap(),
        "pear 1",
    ),
    (
        "replaced",
        |path| {
            fs::write(path.with_extension("new"), trace().replace("pear", "plum")).unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        },
        "plum",
    ),
    ("deleted", |path| fs::remove_file(path).unwrap(), "no such file"),
];

fn shorten(path: &Path, len: u64) {
    fs::File::options().write(true).open(path).unwrap().set_len(len).unwrap();
}

#[test]
fn a_file_may_change_while_it_is_open() {
    let scratch = Scratch::new("changes");
    for (name, change, again) in CHANGES {
        let path = scratch.file(&format!("{name}.json"), trace().as_bytes());
        let pty = looking(&path);
        change(Path::new(&path));
        pty.send("l");
        pty.wait_frame(name, |screen| {
            screen.contents().contains("the file has changed on disk since it was loaded")
        });
        assert!(!pty.contents().contains("pear"), "{name}: arguments of another file");
        for keys in ["lllhhhh", "3", "1", "2", "o", "+++", "][l"] {
            pty.send(keys);
            sync(&pty);
        }
        assert_whole(&pty);
        pty.send("1\x1b[27uR");
        let is_there = |screen: &vt100::Screen| screen.contents().contains(again);
        if again.starts_with('p') {
            // Not known when it is loaded; an event is selected over and over until its arguments are the new
            // ones.
            super::eventually(|| {
                pty.send("l");
                pty.settle();
                pty.look(is_there)
            });
        } else {
            pty.wait_frame(&format!("{name}: {again}"), is_there);
        }
        sync(&pty);
        quit(pty);
    }
}

#[test]
fn two_may_look_at_one_file() {
    let scratch = Scratch::new("two");
    let path = scratch.file("both.json", trace().as_bytes());
    let (one, other) = (looking(&path), looking(&path));
    one.send("l");
    one.wait_frame("the second event", |screen| screen.contents().contains("pear 1"));
    quit(one);
    other.send("l");
    other.wait_frame("the second event", |screen| screen.contents().contains("pear 1"));
    quit(other);
}

/// Before anybody writes into it, opening it blocks; between two writes, reading does.
#[test]
fn a_fifo_that_nobody_writes_can_be_left() {
    let scratch = Scratch::new("silent");
    for (key, has_writer) in [("q", false), (CTRL_C, false), ("q", true), (CTRL_C, true)] {
        let path = scratch.path(&format!("{}{has_writer}", key.escape_debug()));
        rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        let mut pty = Pty::spawn(&[BIN, "open", &path], &[], (80, 24));
        // Opened for reading too, so that nobody has to wait for the other.
        let writer = has_writer.then(|| fs::File::options().read(true).write(true).open(&path).unwrap());
        if let Some(mut writer) = writer.as_ref() {
            writer.write_all(&trace().as_bytes()[..30_000]).unwrap();
        }
        pty.wait_frame("the way out", |screen| {
            screen.contents().contains("q quits") || screen.contents().contains("? help")
        });
        pty.send(key);
        let exit = pty.wait_exit();
        assert_eq!((exit.code, exit.signal), (0, None), "{key:?}, {has_writer}");
        assert_left_clean(&pty);
    }
}

/// A stream is shown as far as it came once it ends, and its arguments are kept.
#[test]
fn a_fifo_opens_when_its_writer_has_ended() {
    let scratch = Scratch::new("stream");
    let path = scratch.path("stream");
    rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    let there = path.clone();
    let writer = std::thread::spawn(move || fs::write(there, trace()));
    let pty = looking(&path);
    writer.join().unwrap().unwrap();
    pty.send("l");
    pty.wait_frame("the second event", |screen| screen.contents().contains("pear 1"));
    quit(pty);
}

#[test]
fn the_demo_needs_no_file() {
    let pty = Pty::spawn(&[BIN, "open", "--demo"], &[], (120, 40));
    wait_ready(&pty);
    assert!(pty.look(|screen| screen.contents().starts_with("demo")));
    // Arguments of an event are read from memory.
    pty.send("/gemm\r");
    pty.wait_frame("an event's arguments", |screen| screen.contents().contains("External id"));
    quit(pty);
}
