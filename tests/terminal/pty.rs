//! The life and death of the program on a real terminal: whatever ends it, the terminal is as it was found,
//! and the exit status is right; and whatever a trace holds, nothing but drawing is written to the terminal.
//!
//! [`ends`], [`shows`] and [`signals`] drive the terminal layer by `examples/terminal.rs`, which breaks on
//! demand; [`deadly`] and [`chance`] drive both it and the real program, the others the real program.

#![cfg(target_os = "linux")]

mod capture;
mod chance;
mod deadly;
mod editor;
mod ends;
mod explorer;
mod faults;
mod fill;
mod hangups;
mod hostile;
mod inputs;
mod interrupt;
mod kept;
mod leave;
mod link;
mod look;
mod opens;
mod paste;
mod refuse;
mod resources;
mod shows;
mod signals;
mod walk;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::rig::Pty;
use crate::tape::LIMIT;

const CTRL_C: &str = "\x03";
const CTRL_L: &str = "\x0c";
const CTRL_U: &str = "\x15";
const CTRL_Z: &str = "\x1a";
/// The escape key in its unmistakable form: what follows cannot make it an Alt.
const ESC: &str = "\x1b[27u";
const BACKSPACE: &str = "\x7f";

/// How long leaving may take.
const SOON: Duration = Duration::from_secs(1);

/// The example `terminal`, which cargo builds beside this test.
fn demo_bin() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let me = std::env::current_exe().unwrap();
        let path = me.parent().unwrap().with_file_name("examples").join("terminal");
        assert!(path.is_file(), "{} is missing: run `cargo build --examples` first", path.display());
        path.to_str().unwrap().to_owned()
    });
    &PATH
}

/// The example, alive and showing its first screen.
fn demo(env: &[(&str, &str)], size: (u16, u16)) -> Pty {
    let demo = Pty::spawn(&[demo_bin()], env, size);
    demo.wait_for("size 80x24");
    demo
}

fn plain() -> Pty {
    demo(&[], (80, 24))
}

#[track_caller]
fn assert_left_clean(pty: &Pty) {
    assert_eq!(pty.settings(), pty.found, "termios");
    pty.look(|screen| {
        assert!(!screen.alternate_screen(), "alternate screen left");
        assert!(!screen.hide_cursor(), "cursor shown");
        assert!(!screen.bracketed_paste(), "bracketed paste off");
        let plain = screen.fgcolor() == vt100::Color::Default && screen.bgcolor() == vt100::Color::Default;
        assert!(plain && !screen.bold() && !screen.underline() && !screen.inverse(), "colours reset");
    });
    let text = pty.text();
    if let Some(at) = text.rfind("\x1b[?1049l") {
        assert!(!text[at + 8..].contains('\x1b'), "nothing is drawn after the end: {:?}", &text[at..]);
    }
    assert!(text.rfind("\x1b[?2026l") > text.rfind("\x1b[?2026h"), "no open update block");
    assert!(!text.contains("\x1b[?1000h") && !text.contains("\x1b[?1004h"), "mouse, focus");
    assert!(text.rfind("\x1b[<1u") >= text.rfind("\x1b[>5u"), "keys as numbers are off");
}

#[track_caller]
fn eventually(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LIMIT, "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Holds a way to leave to a limit. The best of three counts: a machine that is busy elsewhere fails no test.
#[track_caller]
fn within(limit: Duration, what: &str, leave: impl Fn() -> Duration) {
    let tries: Vec<_> = (0..3).map(|_| leave()).take_while(|took| *took >= limit).collect();
    assert!(tries.len() < 3, "{what}: {tries:?}");
}

fn state(pid: Pid) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
}

/// All numbers of all SGR sequences.
fn sgr(text: &str) -> Vec<u16> {
    let bodies = text.split("\x1b[").filter_map(|part| {
        let end = part.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'))?;
        part[end..].starts_with('m').then(|| &part[..end])
    });
    bodies.flat_map(|body| body.split([';', ':'])).filter_map(|n| n.parse().ok()).collect()
}

/// Whether a number of an SGR sequence is about colour.
fn is_colour(number: u16) -> bool {
    matches!(number, 30..=49 | 58 | 59 | 90..=107)
}
