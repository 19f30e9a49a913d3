//! What the explorer refuses: one line on standard error, exit code 1, and no flash of another screen where
//! that can be known beforehand.

use std::process::{Command, Stdio};

use super::explorer::{BIN, TRACE};
use crate::escapes;
use crate::rig::Pty;
use crate::scratch::Scratch;

/// Runs `open` on a terminal until it refuses; everything it wrote.
#[track_caller]
fn refused(path: &str, env: &[(&str, &str)]) -> String {
    let mut pty = Pty::spawn(&[BIN, "open", path], env, (80, 24));
    let exit = pty.wait_exit();
    assert_eq!((exit.code, exit.signal), (1, None), "{path}");
    assert_eq!(pty.settings(), pty.found, "{path}: termios");
    assert!(pty.look(|screen| !screen.alternate_screen() && !screen.hide_cursor()), "{path}");
    pty.text()
}

#[track_caller]
fn assert_one_line(said: &str) {
    assert!(said.starts_with("proftui: ") && said.ends_with('\n'), "{said:?}");
    let line = said.trim_end();
    assert!(line.len() > 20 && !line.chars().any(escapes::is_obeyed_or_unseen), "{said:?}");
}

#[test]
fn a_missing_file_never_enters_the_screen() {
    let said = refused("no/such/trace.json", &[]);
    assert_one_line(&said);
    assert!(said.contains("no/such/trace.json"), "{said}");
}

/// A path may hold what a terminal obeys as well.
#[test]
fn a_hostile_path_is_shown_harmless() {
    let said = refused("no\x1b]0;owned\x07\u{202e}\n\u{9b}31m", &[]);
    assert_one_line(&said);
}

#[test]
fn no_trace_leaves_the_screen_and_says_so() {
    let scratch = Scratch::new("refuse");
    let inputs: &[(&str, &[u8])] = &[
        ("prose.json", b"This is a letter, not a trace.\n"),
        ("empty.json", b""),
        ("noise.json.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03not gzip at all"),
        ("picture.json", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ];
    for (name, content) in inputs {
        let said = refused(&scratch.file(name, content), &[]);
        let after = said.rfind("\x1b[?1049l").map_or(&*said, |at| &said[at + 8..]);
        assert_one_line(after);
        assert!(after.contains(name), "{after}");
    }
}

#[test]
fn a_pipe_for_a_screen_is_refused() {
    let mut open = Command::new(BIN);
    let run = open.args(["open", TRACE]).env("TERM", "xterm-256color").stdin(Stdio::null()).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stdout.is_empty());
    let said = String::from_utf8(run.stderr).unwrap();
    assert_one_line(&said);
    assert!(said.contains("not a terminal"), "{said}");
}

#[test]
fn a_dumb_terminal_is_refused_with_a_hint() {
    for term in ["dumb", ""] {
        let said = refused(TRACE, &[("TERM", term)]);
        assert_one_line(&said);
        assert!(said.contains("TERM=xterm-256color"), "{said}");
    }
}

/// Typed keys would be read as the trace, and the trace as keys.
#[test]
fn the_keyboard_is_no_trace() {
    let said = refused("-", &[]);
    let after = said.rfind("\x1b[?1049l").map_or(&*said, |at| &said[at + 8..]);
    assert_one_line(after);
}
