//! The script's line of the selection in the user's editor: the editor has the terminal until it ends.

use std::os::unix::fs::PermissionsExt;

use super::assert_left_clean;
use super::explorer::{assert_whole, explore, quit, sync, wait_ready};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// A trace of an operator that line 3 of the script `file` calls.
fn trace(scratch: &Scratch, file: &str) -> String {
    let event = |cat: &str, name: &str, from: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{from},"dur":{dur}}}"#)
    };
    let frame = event("python_function", &format!("{file}(3): step"), 0, 90);
    let library = event("python_function", "torch/nn/modules/linear.py(9): forward", 10, 70);
    let text = format!("[{frame},{library},{}]", event("cpu_op", "aten::linear", 20, 40));
    scratch.file("trace.json", text)
}

/// An editor that says with which words it was started, and ends after a line.
fn editor(scratch: &Scratch) -> String {
    let path = scratch.file("editor", "#!/bin/sh\necho \"edits $*\"\nread line\necho \"read $line\"\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Selects the operator, and opens the script's line.
fn open_line(pty: &Pty) {
    pty.send("/linear\r");
    pty.wait_for("script line");
    pty.send("gf");
}

#[test]
fn the_editor_has_the_terminal_until_it_ends() {
    let scratch = Scratch::new("editor");
    let file = scratch.file("own.py", "a\nb\nc\n");
    let (trace, editor) = (trace(&scratch, &file), editor(&scratch));
    let mut pty = explore(&trace, &[("VISUAL", &format!("{editor} -w")), ("EDITOR", "false")], (100, 30));
    open_line(&pty);
    pty.wait_for(&format!("edits -w +3 {file}"));
    pty.wait_until("the shell's screen", |screen| !screen.alternate_screen());
    assert_eq!(pty.settings(), pty.found, "the line settings are as they were found");
    // Keys are the editor's. Its last line may be gone from the screen before a look at it.
    let mark = pty.log().len();
    pty.send("qqq\r");
    pty.wait_bytes(mark, "read qqq");
    wait_ready(&pty);
    assert!(assert_whole(&pty).contains("own.py(3)"));
    pty.send("q");
    let exit = pty.wait_exit();
    assert_eq!((exit.code, exit.signal), (0, None));
    assert_left_clean(&pty);
}

#[test]
fn without_an_editor_or_a_file_the_line_is_copied() {
    let scratch = Scratch::new("editor");
    let here = scratch.file("own.py", "a\nb\nc\n");
    for (file, variables, why) in [
        (here.as_str(), &[("VISUAL", ""), ("EDITOR", " ")], "names an editor"),
        ("gone.py", &[("VISUAL", "false"), ("EDITOR", "false")], "is not on this machine"),
    ] {
        let pty = explore(&trace(&scratch, file), variables, (200, 30));
        let mark = pty.log().len();
        open_line(&pty);
        pty.wait_for(why);
        pty.wait_bytes(mark, "\x1b]52;c;");
        sync(&pty);
        quit(pty);
    }
}
