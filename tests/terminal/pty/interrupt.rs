//! Ctrl-C while a summary is made: it is answered at once, whether the summary is made by the event loop or on another thread.
//!
//! `cargo test --test terminal interrupt -- --nocapture` prints the processor time after the key.

use std::fmt::Write as _;
use std::fs;

use proftui::analysis::VIEWS;
use rustix::process::{Pid, Signal, kill_process};

use super::explorer::{BIN, TRACE, wait_ready};
use super::{CTRL_C, assert_left_clean, eventually};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// The most processor time after the key, in ms: 50 are promised, the rest is for how coarsely the system counts on a busy machine.
const MOST: u64 = 500;
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

/// A trace so large that its summaries are made on another thread.
fn large(scratch: &Scratch) -> String {
    let mut text = String::from("[");
    for at in 0..20_000 {
        let _ = write!(text, r#"{{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":{at},"dur":1}},"#);
    }
    text.pop();
    text.push(']');
    let path = scratch.path("large.json");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn ctrl_c_is_answered_during_every_view() {
    let scratch = Scratch::new("interrupt");
    let (report, large) = (scratch.path("report"), large(&scratch));
    for (view, trace) in VIEWS.iter().flat_map(|view| [(view, TRACE), (view, large.as_str())]) {
        let script = format!("{BIN} open {trace}; code=$?; times >{report}; exit $code");
        let mut pty = Pty::spawn(&["bash", "-c", &script], &[("PROFTUI_FAULT", "hang@view")], (80, 24));
        wait_ready(&pty);
        let explorer = child(pty.pid);
        let before = used(explorer);
        pty.send(&format!(":{}\r", view.command));
        eventually(|| used(explorer) > before + BUSY);
        let before = used(explorer);
        pty.send(CTRL_C);
        assert_eq!(pty.wait_exit().code, 0, "{}", view.name);
        assert_left_clean(&pty);
        let after = of_children(&fs::read_to_string(&report).unwrap()).saturating_sub(before);
        println!("{:12} {:5} {after:4} ms", view.name, if trace == TRACE { "small" } else { "large" });
        assert!(after < MOST, "{}: {after} ms", view.name);
    }
}

/// A summary that nobody wants any more ends, and the next one is made.
#[test]
fn a_summary_that_hangs_is_cancelled_by_another() {
    let scratch = Scratch::new("cancelled");
    let path = large(&scratch);
    let mut pty = Pty::spawn(&[BIN, "open", &path], &[("PROFTUI_FAULT", "hang@view")], (80, 24));
    wait_ready(&pty);
    pty.send("5");
    pty.wait_for("computing the summary");
    pty.send("2");
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
