//! Keys while a summary is made or its rows are sorted: Ctrl-C is answered at once, whether the work is done
//! by the event loop or on another thread; other keys are answered while the work goes on.
//!
//! `cargo test --test terminal interrupt -- --nocapture` prints the processor time after the key.

use std::fmt::Write as _;
use std::fs;

use proftui_insight::analysis::VIEWS;
use rustix::process::{Pid, Signal, kill_process};

use super::explorer::{BIN, TRACE, wait_ready};
use super::{CTRL_C, assert_left_clean, eventually};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// The most processor time after the key, in ms. It is never counted too low, and up to 20 ms too high, as
/// the time before is in ticks.
const MOST: u64 = 50;
/// How often Ctrl-C is tried: on a busy machine the computation may go on before the thread that reads keys
/// runs.
const TRIES: usize = 3;
/// Processor time, in ms, by which a process is seen to compute.
const BUSY: u64 = 60;

/// The processor time of a process until now, in ms.
fn used(pid: Pid) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    // In ticks of 10 ms: utime and stime.
    10 * (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap())
}

/// The only child of a process.
fn child(pid: Pid) -> Pid {
    let pid = pid.as_raw_nonzero();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    Pid::from_raw(children.trim().parse().unwrap()).unwrap()
}

/// The time of all children in what the shell's `times` prints, in ms.
fn of_children(times: &str) -> u64 {
    let ms = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        (1000.0 * (minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap())) as u64
    };
    times.lines().nth(1).unwrap().split_whitespace().map(ms).sum()
}

/// A trace of so many events, neither device work nor operators: nothing is summarized on opening. Summaries
/// of 20,000 are made on another thread.
fn trace_of(scratch: &Scratch, events: usize) -> String {
    let mut text = String::from("[");
    for at in 0..events {
        let _ = write!(text, r#"{{"ph":"X","cat":"v8","name":"op","pid":1,"tid":1,"ts":{at},"dur":1}},"#);
    }
    text.pop();
    text.push(']');
    let path = scratch.path(&format!("{events}.json"));
    fs::write(&path, text).unwrap();
    path
}

/// A trace of so many names that the rows of its operators are arranged on another thread.
fn names(scratch: &Scratch) -> String {
    let event = |at: usize| {
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"op{at:05}","pid":1,"tid":1,"ts":{},"dur":{}}}"#,
            20 * at,
            1 + at % 7
        )
    };
    let text = format!("[{}]", (0..12_000).map(event).collect::<Vec<_>>().join(","));
    let path = scratch.path("names.json");
    fs::write(&path, text).unwrap();
    path
}

/// Opens a trace with a fault, types `keys`, and Ctrl-C once these make the program compute. Returns the
/// processor time after Ctrl-C, in ms.
fn interrupt(trace: &str, fault: &str, keys: &[&str], report: &str) -> u64 {
    let script = format!("{BIN} open {trace}; code=$?; times >{report}; exit $code");
    let mut pty = Pty::spawn(&["bash", "-c", &script], &[("PROFTUI_FAULT", fault)], (80, 24));
    wait_ready(&pty);
    let explorer = child(pty.pid);
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            pty.wait_for("row 1 of");
        }
        pty.send(key);
    }
    let before = used(explorer);
    eventually(|| used(explorer) > before + BUSY);
    let before = used(explorer);
    pty.send(CTRL_C);
    assert_eq!(pty.wait_exit().code, 0, "{keys:?}");
    assert_left_clean(&pty);
    of_children(&fs::read_to_string(report).unwrap()).saturating_sub(before)
}

/// Interrupts the same work until it is answered in time.
fn assert_answered(what: &str, trace: &str, fault: &str, keys: &[&str], report: &str) {
    let tries = (0..TRIES).map(|_| interrupt(trace, fault, keys, report));
    let mut all = Vec::new();
    for after in tries {
        all.push(after);
        if after < MOST {
            break;
        }
    }
    println!("{what:24} {all:?} ms");
    assert!(all.last().is_some_and(|after| *after < MOST), "{what}: {all:?} ms");
}

#[test]
fn ctrl_c_is_answered_during_every_view() {
    let scratch = Scratch::new("interrupt");
    let (report, small, large) =
        (scratch.path("report"), trace_of(&scratch, 100), trace_of(&scratch, 20_000));
    for (view, trace) in VIEWS.iter().flat_map(|view| [(view, &small), (view, &large)]) {
        let what = format!("{} {}", view.name, if *trace == small { "small" } else { "large" });
        assert_answered(&what, trace, "hang@view", &[&format!(":{}\r", view.command)], &report);
    }
}

#[test]
fn ctrl_c_is_answered_while_rows_are_sorted() {
    let scratch = Scratch::new("sorted");
    let (report, names) = (scratch.path("report"), names(&scratch));
    assert_answered("sorting", &names, "hang@rows", &["5", "\t>>"], &report);
    assert_answered("filtering", &names, "hang@rows", &["5", "\t/0"], &report);
}

/// While rows are sorted, the old ones are shown and keys are answered; the next order replaces the one that
/// hangs.
#[test]
fn keys_are_answered_while_rows_are_sorted() {
    let scratch = Scratch::new("sorting");
    let path = names(&scratch);
    let mut pty = Pty::spawn(&[BIN, "open", &path], &[("PROFTUI_FAULT", "hang@rows")], (100, 30));
    wait_ready(&pty);
    pty.send("5");
    pty.wait_for("row 1 of 12000");
    let rows = |text: &str| -> Vec<String> {
        let names =
            text.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with("op0")));
        names.take(4).map(str::to_owned).collect()
    };
    pty.send("\t>>");
    pty.wait_for("sorting the rows");
    let shown = rows(&pty.contents());
    assert!(shown.len() > 3, "{}", pty.contents());
    pty.send("jj");
    pty.wait_for("row 3 of 12000");
    pty.wait_for("sorting the rows");
    assert_eq!(rows(&pty.contents()), shown, "the old rows");
    pty.send("r");
    pty.wait_frame("the rows in reverse order", |screen| {
        let text = screen.contents();
        !text.contains("sorting the rows") && text.contains("op11999")
    });
    pty.send(CTRL_C);
    assert_eq!(pty.wait_exit().code, 0);
}

/// A summary that nobody wants any more ends, and the next one is made.
#[test]
fn a_summary_that_hangs_is_cancelled_by_another() {
    let scratch = Scratch::new("cancelled");
    let path = trace_of(&scratch, 20_000);
    let mut pty = Pty::spawn(&[BIN, "open", &path], &[("PROFTUI_FAULT", "hang@view")], (80, 24));
    wait_ready(&pty);
    pty.send("5");
    pty.wait_for("computing the summary");
    pty.send(":pane.overview\r");
    pty.wait_for("20,000");
    pty.send(CTRL_C);
    assert_eq!(pty.wait_exit().code, 0);
}

#[test]
fn an_interrupt_ends_a_summary_on_the_command_line() {
    let mut pty = Pty::spawn(&[BIN, "summary", TRACE], &[("PROFTUI_FAULT", "hang@view")], (80, 24));
    eventually(|| used(pty.pid) > BUSY);
    kill_process(pty.pid, Signal::INT).unwrap();
    let exit = pty.wait_exit();
    assert!(exit.signal.as_deref().is_some_and(|signal| signal.starts_with("Interrupt")), "{exit:?}");
}
