//! A trace whose every string means harm: all of it is shown, and nothing but drawing is written to the
//! terminal.

use std::process::Command;

use super::explorer::{BIN, HOSTILE, TRACE, assert_whole, explore, quit, sync, wait_ready};
use crate::escapes;
use crate::rig::Pty;
use crate::scratch::Scratch;

const SIZES: [(u16, u16); 2] = [(80, 24), (200, 50)];
/// Names to type: bidi, C1, zero width, a pile of marks, wide, a sequence of joined emoji.
const NAMES: [&str; 7] = [
    "\u{202e}txt.exe",
    "\u{9b}2J\u{9d}0;title",
    "ker\u{200b}nel\u{2060}",
    "z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}algo",
    "卷积核",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "A\u{e0100}\u{fe0f}\u{ad}\u{3164}",
];

#[track_caller]
fn assert_drawn(pty: &Pty) {
    assert_whole(pty);
    escapes::check(&pty.log()).unwrap();
}

/// Over every line and along it; with the details of what is met.
#[test]
fn every_line() {
    for size in SIZES {
        let pty = explore(HOSTILE, &[], size);
        pty.send("\x1b[H");
        for _ in 0..10 {
            pty.send(&"jlll\r\x1b[6~\x1b[6~\x1b[27u".repeat(6));
            sync(&pty);
            assert_drawn(&pty);
        }
        quit(pty);
    }
}

/// Every event of a line, one by one, zoomed in so that its name is drawn long.
#[test]
fn every_event() {
    for size in SIZES {
        let pty = explore(HOSTILE, &[], size);
        pty.send("\x1b[Hj");
        for _ in 0..8 {
            for _ in 0..8 {
                pty.send("lflflf\x1b[27u");
            }
            pty.send("0j");
            sync(&pty);
            assert_drawn(&pty);
        }
        quit(pty);
    }
}

#[test]
fn panes_help_links_and_the_rest() {
    for size in SIZES {
        let pty = explore(HOSTILE, &[], size);
        for keys in ["1", "2", "3", "o", "2", "3", "1", "tttt", "?\x1b[6~", "\x1b[F", "x", "p", " ", "ii"] {
            pty.send(&format!("ll{keys}"));
            pty.send("\x1b[27u\t\x1b[6~\x1b[6~jjj\r");
            sync(&pty);
            pty.send("][");
            sync(&pty);
            assert_drawn(&pty);
        }
        quit(pty);
    }
}

/// What was typed comes back in prompts and messages.
#[test]
fn hostile_names_typed() {
    for size in SIZES {
        let pty = explore(HOSTILE, &[], size);
        for name in NAMES {
            for prompt in ["/", "g", ":"] {
                let end = if prompt == ":" { super::ESC } else { "\r" };
                pty.send(&format!("{prompt}{name}\t\t{end}"));
                pty.send(super::CTRL_L);
                sync(&pty);
            }
            assert_drawn(&pty);
        }
        pty.send("/e\t\t\t\t\t\t\t\t\t\t\t\t");
        pty.send("\rnnnnnnnn");
        sync(&pty);
        assert_drawn(&pty);
        quit(pty);
    }
}

/// The name of a file is text from outside too.
#[test]
fn a_hostile_file_name() {
    let scratch = Scratch::new("hostile");
    let path = scratch.file("a\x1b]0;owned\x07\u{202e}\u{9b}31m\n.json", std::fs::read(TRACE).unwrap());
    let pty = Pty::spawn(&[BIN, "open", &path], &[], (80, 24));
    wait_ready(&pty);
    pty.send("l1\t\x1b[6~");
    sync(&pty);
    assert_drawn(&pty);
    quit(pty);
}

/// In a pipe nothing is drawn: not even a sequence may pass.
#[test]
fn info_is_harmless() {
    for format in ["text", "json"] {
        let run = Command::new(BIN).args(["info", "--format", format, HOSTILE]).output().unwrap();
        assert!(run.status.success(), "{format}");
        let said = String::from_utf8(run.stdout).unwrap();
        for (number, line) in said.lines().enumerate() {
            let found = line.char_indices().find(|(_, c)| escapes::is_obeyed_or_unseen(*c));
            assert_eq!(found, None, "{format}, line {}: {line:?}", number + 1);
        }
    }
}
