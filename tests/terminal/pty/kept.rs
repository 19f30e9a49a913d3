//! What a session leaves for the next one: marks, the view, the trace opened last; and that it leaves nothing
//! where it shall not.

use super::ESC;
use super::explorer::{BIN, TRACE, picture, quit, sync};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// The explorer with its cache in this folder.
#[track_caller]
fn open(cache: &Scratch, arguments: &[&str]) -> Pty {
    let command = [&[BIN, "open"], arguments].concat();
    let pty = Pty::spawn(&command, &[("XDG_CACHE_HOME", &cache.path("cache"))], (80, 24));
    // A message may stand instead of the keys.
    pty.wait_frame("the timeline", |screen| screen.contents().contains("minimap"));
    pty
}

/// The names of the files in the folder of sessions.
fn files(cache: &Scratch) -> Vec<String> {
    let entries = std::fs::read_dir(cache.path("cache/proftui/sessions")).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The lines of the screen between the title and the footer.
fn body(pty: &Pty) -> String {
    let text = pty.look(picture);
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 2].join("\n")
}

#[test]
fn the_next_session_goes_on_where_one_ended() {
    let cache = Scratch::new("kept");
    let pty = open(&cache, &[TRACE]);
    sync(&pty);
    let first = body(&pty);
    quit(pty);
    assert_eq!(files(&cache), ["last"], "nothing was done that is worth keeping");
    let pty = open(&cache, &[TRACE]);
    pty.send("wwdmhere\r5");
    sync(&pty);
    let left = body(&pty);
    assert_ne!(left, first);
    quit(pty);
    assert_eq!(files(&cache).len(), 2);
    for arguments in [&[TRACE][..], &["--last"]] {
        let pty = open(&cache, arguments);
        pty.wait_for("as you left it: the view, 1 mark; 0 shows the whole trace");
        sync(&pty);
        assert_eq!(body(&pty), left);
        pty.send("'");
        pty.wait_for("return to");
        pty.send(ESC);
        quit(pty);
    }
    let pty = open(&cache, &["--no-session", TRACE]);
    sync(&pty);
    assert_eq!(body(&pty), first);
    pty.send("ww");
    sync(&pty);
    quit(pty);
    let pty = open(&cache, &[TRACE]);
    sync(&pty);
    assert_eq!(body(&pty), left, "what was kept before stays");
    quit(pty);
}

#[test]
fn a_mark_outlives_a_signal() {
    let cache = Scratch::new("kept-mark");
    let mut pty = open(&cache, &[TRACE]);
    pty.send("mhere\r");
    pty.wait_for("is marked as");
    pty.signal(rustix::process::Signal::TERM);
    pty.wait_exit();
    let pty = open(&cache, &[TRACE]);
    pty.wait_for("1 mark");
    quit(pty);
}

#[test]
fn a_cache_that_cannot_be_used_is_no_error() {
    let cache = Scratch::new("kept-not");
    cache.file("cache", "no folder");
    let pty = open(&cache, &[TRACE]);
    pty.send("wwmhere\r");
    sync(&pty);
    quit(pty);
}
