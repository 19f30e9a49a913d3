//! Pasted text: none of it is a command; and a paste that never ends holds no key up for ever.

use super::explorer::{assert_whole, plain, quit, sync};
use super::{CTRL_C, ESC, assert_left_clean};

const BEGIN: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

#[test]
fn nothing_of_a_pasted_text_is_a_command() {
    let pty = plain();
    // Outside of a prompt, and in one.
    for keys in ["", "/"] {
        pty.send(&format!("{keys}{BEGIN}q{CTRL_C}Q\rq\x1bq{}{END}", "q\x03".repeat(3000)));
        sync(&pty);
    }
    assert_whole(&pty);
    quit(pty);
}

#[test]
fn ctrl_c_ends_the_program_in_a_paste_without_its_end() {
    for (keys, text) in [("", "q"), ("/", "aten"), ("/", "")] {
        let mut pty = plain();
        pty.send(&format!("{keys}{BEGIN}{text}"));
        pty.send("qq?");
        pty.wait_idle();
        assert!(pty.ended().is_none(), "a key is text");
        pty.send(CTRL_C);
        let exit = pty.wait_exit();
        assert_eq!((exit.code, exit.signal), (0, None), "{keys:?} {text:?}");
        assert_left_clean(&pty);
    }
}

#[test]
fn a_paste_without_its_end_ends_by_itself() {
    let pty = plain();
    pty.send("/");
    pty.wait_until("bracketed paste", vt100::Screen::bracketed_paste);
    pty.send(&format!("{BEGIN}zq1zq"));
    pty.wait_for("zq1zq");
    // Keys are keys again; the end that comes late is nothing.
    pty.send(&format!("{END}{ESC}?"));
    pty.wait_until("the help", |screen| !screen.contents().contains("zq1zq"));
    quit(pty);
}
