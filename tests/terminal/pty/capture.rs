//! The row of a capture: at the bottom of the terminal, apart from what the program prints, and gone in the
//! end.

use rustix::process::Signal;

use super::explorer::BIN;
use crate::rig::Pty;
use crate::scratch::Scratch;
use crate::tools::newest_python;

const SCRIPT: &str = "def step(n): pass
for n in range(40):
    step(n)
    print('line', n)
input('> ')
step(n)
print('on')
input('>> ')
";

/// A Python that can be captured.
fn python() -> Option<&'static str> {
    newest_python("captures in a terminal")
}

fn capture(scratch: &Scratch, python: &str, options: &[&str], env: &[(&str, &str)]) -> Pty {
    let (folder, out) = (scratch.path(""), scratch.path("traces"));
    let script = scratch.file("train.py", SCRIPT.as_bytes());
    let ours = ["capture", "--step-on", "__main__:step", "--out", &out];
    let command = [&[BIN][..], &ours, options, &["--", python, &script]].concat();
    let env = [&[("TMPDIR", folder.as_str()), ("XDG_CACHE_HOME", folder.as_str())], env].concat();
    Pty::spawn(&command, &env, (60, 10))
}

/// Waits until the last rows are these, and the row of a step below them.
#[track_caller]
fn wait_rows(pty: &Pty, printed: [&str; 3], step: &str) {
    pty.wait_until(&format!("{printed:?}, step {step}"), |screen| {
        let (rows, columns) = screen.size();
        let rows: Vec<String> = screen.rows(0, columns.get()).skip(usize::from(rows.get()) - 4).collect();
        rows[..3] == printed && rows[3].starts_with(&format!("proftui: step {step},"))
    });
}

#[test]
fn the_row_keeps_apart_from_what_the_program_prints() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new("row");
    let mut pty = capture(&scratch, python, &[], &[]);
    wait_rows(&pty, ["line 38", "line 39", "> "], "40");
    pty.send("yes\r");
    wait_rows(&pty, ["> yes", "on", ">> "], "41");
    // The emulator puts new rows on top.
    let before = pty.log().len();
    pty.resize((60, 12));
    pty.wait_bytes(before, "\x1b[1;11r");
    wait_rows(&pty, ["> yes", "on", ">> "], "41");
    assert_eq!(pty.contents().matches("proftui:").count(), 1, "{}", pty.contents());
    pty.send("\r");
    assert_eq!(pty.wait_exit().code, 0);
    let (contents, text) = (pty.contents(), pty.text());
    assert!(!contents.contains("proftui: step"), "{contents}");
    // The lines at the end are more than the screen has.
    assert!(text.contains("proftui: 41 steps (ended by function: __main__:step)"), "{contents}");
    assert!(text.rfind("\x1b[r") > text.rfind("\x1b[1;"), "no region is left");
}

/// Steps of a thousand ranges each, of which a MiB holds about 43; then the script waits.
const FULL: &str = "import _proftui
tag = _proftui.name(14, 'work')
def step(n):
    for _ in range(1000):
        _proftui.begin(tag), _proftui.end()
for n in range(100): step(n)
input('> ')
";

#[test]
fn a_limit_is_reported_at_once_and_stays_in_the_row() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new("limit");
    let (folder, out) = (scratch.path(""), scratch.path("traces"));
    let script = scratch.file("full.py", FULL.as_bytes());
    let options = ["--step-on", "__main__:step", "--steps", ":1000", "--max-mb", "1", "--out", &out];
    let command = [&[BIN, "capture"][..], &options, &["--", python, &script]].concat();
    let mut pty =
        Pty::spawn(&command, &[("TMPDIR", folder.as_str()), ("XDG_CACHE_HOME", folder.as_str())], (160, 24));
    // While the script waits for input.
    pty.wait_for("> ");
    pty.wait_for("proftui: recorded cycle 1: a process no longer records all since step 4");
    pty.wait_for("1 MiB (--max-mb) are full; raise that, or record fewer steps (--steps, --record)");
    pty.wait_for("proftui: step 100, not recorded since step 4");
    pty.send("\r");
    assert_eq!(pty.wait_exit().code, 0);
    let line = "a process no longer records all since step";
    assert_eq!(pty.contents().matches(line).count(), 1, "said once: {}", pty.contents());
}

#[test]
fn the_terminal_is_the_programs_alone_where_that_is_wanted() {
    let Some(python) = python() else { return };
    for (option, terminal) in [("-q", "xterm"), ("--force", "dumb")] {
        let scratch = Scratch::new("quiet");
        let mut pty = capture(&scratch, python, &[option], &[("TERM", terminal)]);
        pty.wait_for("> ");
        pty.send("\r");
        pty.wait_for(">> ");
        pty.signal(Signal::TERM);
        pty.wait_exit();
        assert!(!pty.text().contains('\x1b'), "{}", pty.text());
    }
}
