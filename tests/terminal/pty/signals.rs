//! How the terminal layer takes signals and the loss of its terminal.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use super::{CTRL_Z, SOON, assert_left_clean, demo_bin, eventually, plain, state, within};
use crate::rig::Pty;
use crate::scratch::Scratch;

#[test]
fn dies_by_the_signal_it_was_sent() {
    for (signal, name) in [(Signal::TERM, "Terminated"), (Signal::INT, "Interrupt"), (Signal::QUIT, "Quit")] {
        within(SOON, name, || {
            let mut demo = plain();
            let sent = Instant::now();
            demo.signal(signal);
            let exit = demo.wait_exit();
            assert!(exit.signal.as_deref().is_some_and(|s| s.starts_with(name)), "{name}: {exit:?}");
            assert_left_clean(&demo);
            exit.at - sent
        });
    }
}

#[test]
fn hup_leaves_silently_with_129() {
    let mut demo = plain();
    demo.signal(Signal::HUP);
    let exit = demo.wait_exit();
    assert_eq!((exit.code, exit.signal), (129, None));
    assert_left_clean(&demo);
    assert!(demo.text().ends_with("\x1b[?1049l"), "not a word");
}

/// The example with the signal of a hang-up ignored, as under `nohup`.
fn ignoring_hup() -> String {
    format!("trap '' HUP; exec {}", demo_bin())
}

#[test]
fn a_hang_up_ends_the_program() {
    let exec = ignoring_hup();
    for command in [&[demo_bin()][..], &["sh", "-c", &exec]] {
        within(SOON, command[0], || {
            let mut demo = Pty::spawn(command, &[], (80, 24));
            demo.wait_for("size 80x24");
            let gone = Instant::now();
            demo.hang_up();
            let exit = demo.wait_exit();
            assert_eq!((exit.code, exit.signal), (129, None), "{command:?}");
            exit.at - gone
        });
    }
}

/// The line is lost in the middle of a frame.
#[test]
fn a_hang_up_while_frames_are_written_ends_the_program() {
    within(SOON, "busy", || {
        let mut demo = Pty::spawn(&["sh", "-c", &ignoring_hup()], &[], (200, 60));
        demo.wait_for("size 200x60");
        demo.send("F");
        demo.wait_until("a full screen", |screen| screen.contents().lines().count() > 50);
        let gone = Instant::now();
        demo.hang_up();
        let exit = demo.wait_exit();
        assert_eq!((exit.code, exit.signal), (129, None));
        exit.at - gone
    });
}

/// The session leader ignores the signal and the program, not being the leader, gets none: only
/// the watch can notice. The leader writes down how the program ended and what it cost.
#[test]
fn a_hang_up_without_a_signal_ends_the_program_without_a_spin() {
    let scratch = Scratch::new("hangup");
    let report = scratch.path("report");
    let bin = demo_bin();
    let script = format!("trap '' HUP; {bin}; code=$?; times >{report}; echo code=$code >>{report}");
    within(SOON, "leader", || {
        let mut demo = Pty::spawn(&["bash", "-c", &script], &[], (80, 24));
        demo.wait_for("size 80x24");
        let gone = Instant::now();
        demo.hang_up();
        demo.wait_exit().at - gone
    });
    let text = std::fs::read_to_string(&report).unwrap();
    assert!(text.contains("code=129"), "{text}");
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    let cpu: f64 = text.lines().nth(1).unwrap().split_whitespace().map(seconds).sum();
    assert!(cpu < 0.2, "{text}");
}

/// A shell with job control starts the program, goes through `between` when it stops, and waits
/// for a line before it brings the program back.
fn under_a_shell(between: &str) -> (Pty, Pid) {
    let bin = demo_bin();
    let script = format!("set -m; {bin}; echo stopped=$?; {between} read line; fg >/dev/null; echo end=$?");
    let demo = Pty::spawn(&["bash", "-c", &script], &[], (80, 24));
    demo.wait_for("size 80x24");
    demo.wait_for("pid ");
    let contents = demo.contents();
    let pid = contents.lines().find_map(|line| line.strip_prefix("pid ")).unwrap();
    (demo, Pid::from_raw(pid.trim().parse().unwrap()).unwrap())
}

#[test]
fn stops_truly_and_comes_back() {
    for typed in [true, false] {
        let (mut demo, pid) = under_a_shell("");
        demo.send("w");
        demo.wait_for("key w #1");
        if typed {
            demo.send(CTRL_Z);
        } else {
            kill_process(pid, Signal::TSTP).unwrap();
        }
        demo.wait_for("stopped=147");
        demo.settle();
        assert_left_clean(&demo);
        eventually(|| state(pid) == 'T');
        demo.resize((90, 30));
        demo.send("\n");
        demo.wait_for("size 90x30");
        assert!(demo.look(|screen| screen.alternate_screen() && screen.hide_cursor()));
        assert_ne!(demo.settings(), demo.found, "raw mode is back");
        demo.send("s");
        demo.wait_for("key s");
        demo.send("q");
        demo.wait_for("end=0");
        demo.wait_exit();
        assert_left_clean(&demo);
    }
}

#[test]
fn sent_to_the_background_it_stops_and_draws_nothing() {
    let (mut demo, pid) = under_a_shell("read line; bg >/dev/null; echo background;");
    demo.send(CTRL_Z);
    demo.wait_for("stopped=147");
    demo.send("\n");
    demo.wait_for("background");
    demo.settle();
    eventually(|| state(pid) == 'T');
    assert_left_clean(&demo);
    demo.send("\n");
    demo.wait_for("size 80x24");
    demo.send("q");
    demo.wait_for("end=0");
    demo.wait_exit();
    assert_left_clean(&demo);
}

/// As after `kill -STOP` under a shell that takes its line settings back.
#[test]
fn a_stop_without_warning_is_survived() {
    let mut demo = plain();
    demo.settle();
    let raw = demo.settings();
    demo.signal(Signal::STOP);
    eventually(|| state(demo.pid) == 'T');
    demo.cook();
    let before = demo.log().len();
    demo.signal(Signal::CONT);
    eventually(|| demo.settings() == raw);
    demo.wait_bytes(before, "80x24");
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}

/// The terminal saves colours with the cursor when it enters the alternate screen: those of a frame that was
/// half written at the time must not come back at the end.
#[test]
fn going_on_in_the_midst_of_a_frame_leaves_no_colours() {
    let mut demo = Pty::spawn(&[demo_bin()], &[], (200, 60));
    demo.wait_for("size 200x60");
    demo.send("FFF");
    for _ in 0..50 {
        demo.signal(Signal::CONT);
        std::thread::sleep(std::time::Duration::from_millis(7));
    }
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}

#[test]
fn where_nobody_could_continue_it_a_suspension_is_ignored() {
    let mut demo = plain();
    demo.send(CTRL_Z);
    demo.wait_for("key Ctrl-Z");
    let before = demo.log().len();
    demo.signal(Signal::TSTP);
    demo.wait_bytes(before, "\x1b[?1049h");
    demo.send("w");
    demo.wait_for("key w");
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}
