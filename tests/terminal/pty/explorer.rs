//! The real program on a terminal: how the tests start it, wait for it and look at it.

use super::{BACKSPACE, CTRL_L, CTRL_U, CTRL_Z, ESC};
pub(crate) use crate::binary::BINARY as BIN;
use crate::escapes;
use crate::rig::Pty;
pub(crate) const TRACE: &str = "demo-traces/synthetic-gpu.json.gz";
pub(crate) const HOSTILE: &str = "demo-traces/hostile-names.json.gz";

/// Stands in the footer when no prompt, list or help is open.
const READY: &str = "? help";
/// No event's and no command's name.
const TOKEN: &str = "zq0zq";

/// The explorer, alive and showing the trace.
#[track_caller]
pub(crate) fn explore(trace: &str, env: &[(&str, &str)], size: (u16, u16)) -> Pty {
    let pty = Pty::spawn(&[BIN, "open", trace], env, size);
    wait_ready(&pty);
    pty
}

/// The explorer on the usual trace.
#[track_caller]
pub(crate) fn plain() -> Pty {
    explore(TRACE, &[], (80, 24))
}

/// The explorer on the usual trace, as a job of a shell, which says `stopped=147` when the explorer stops,
/// has it go on after a line, and says `end=` and its status when that ends.
#[track_caller]
pub(crate) fn as_job() -> Pty {
    let script =
        format!("set -m; {BIN} open {TRACE}; echo stopped=$?; read line; fg >/dev/null; echo end=$?");
    let pty = Pty::spawn(&["bash", "-c", &script], &[], (80, 24));
    wait_ready(&pty);
    pty
}

/// Stops the explorer that is the job of a shell by the key, and waits until the shell has the terminal.
#[track_caller]
pub(crate) fn stop(pty: &Pty) {
    pty.send(CTRL_Z);
    pty.wait_for("stopped=147");
    pty.settle();
}

/// Waits for a whole frame with the timeline.
#[track_caller]
pub(crate) fn wait_ready(pty: &Pty) {
    pty.wait_frame("the timeline", |screen| screen.contents().contains(READY));
}

/// Closes what is open and waits until the screen shows what came of everything typed so far: keys are taken
/// one by one, so what is typed last is shown last.
#[track_caller]
pub(crate) fn sync(pty: &Pty) {
    pty.send(&format!("{ESC}:{TOKEN}"));
    pty.wait_frame("the palette", |screen| screen.contents().contains(TOKEN));
    pty.send(&format!("{CTRL_U}{BACKSPACE}"));
    let is_back = |text: &str| text.contains(READY) && !text.contains(TOKEN);
    pty.wait_frame("the timeline again", |screen| is_back(&screen.contents()));
}

/// Closes what is open. The screen is not blank, and drawing all of it anew changes no cell. Returns what is
/// shown.
#[track_caller]
pub(crate) fn assert_whole(pty: &Pty) -> String {
    // Other threads finish later what the keys asked for: files loaded again, summaries, arguments of events.
    // The keys of `sync` are drawn after what those brought.
    pty.wait_idle();
    sync(pty);
    let (before, text) = (pty.look(cells), pty.look(picture));
    assert!(!text.lines().next().is_some_and(|title| title.contains("reading ")), "loading forever:\n{text}");
    assert!(text.lines().filter(|line| !line.is_empty()).count() > 3, "a blank screen:\n{text}");
    let mark = pty.log().len();
    pty.send(CTRL_L);
    pty.wait_bytes(mark, "\x1b[2J");
    wait_ready(pty);
    for (number, (shown, drawn)) in before.iter().zip(&pty.look(cells)).enumerate() {
        let other = shown.iter().zip(drawn).position(|(shown, drawn)| shown != drawn);
        let found = other.map(|x| (x, &shown[x], &drawn[x]));
        assert_eq!(found, None, "line {number}: column, shown, drawn anew; the screen was:\n{text}");
    }
    text
}

/// Leaves by the key, cleanly, having sent nothing but drawing.
#[track_caller]
pub(crate) fn quit(mut pty: Pty) {
    // In a pane the key alone would only leave the pane.
    pty.send(&format!("{ESC}q"));
    let exit = pty.wait_exit();
    assert_eq!((exit.code, exit.signal), (0, None));
    super::assert_left_clean(&pty);
    escapes::check(&pty.log()).unwrap();
}

/// What is shown, without the difference between a blank and nothing.
pub(crate) fn picture(screen: &vt100::Screen) -> String {
    let rows = screen.rows(0, screen.size().1.get());
    rows.map(|row| row.trim_end().to_owned() + "\n").collect()
}

/// Every cell of every row: its text and what is seen of its look; of a blank, no colour of a text.
pub(crate) fn cells(screen: &vt100::Screen) -> Vec<Vec<String>> {
    let (rows, cols) = screen.size();
    let cell = |row, col| {
        let cell = screen.cell(row, col).unwrap();
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let (bold, underline, inverse) = (cell.bold(), cell.underline(), cell.inverse());
        if text == " " && !underline && !inverse {
            // Of a blank only the background is seen.
            return format!("{text:?} on {:?}", cell.bgcolor());
        }
        format!("{text:?} {:?} on {:?} {bold} {underline} {inverse}", cell.fgcolor(), cell.bgcolor())
    };
    (0..rows.get()).map(|row| (0..cols.get()).map(|col| cell(row, col)).collect()).collect()
}
