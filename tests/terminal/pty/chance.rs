//! Signals at moments that a generator of random numbers chooses: at the start, while a trace is loaded,
//! while frames are written, while a prompt is open. Whatever the moment, the terminal is restored.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::deadly::DEADLY;
use super::explorer::{BIN, HOSTILE, TRACE};
use super::{assert_left_clean, demo_bin};
use crate::rig::Pty;

/// Keys of the explorer that draw much, open prompts, panes and help, load the trace again, and suspend.
const KEYS: [&str; 12] = ["w", "s", "d", "/aten", "\x1b[27u", "?", "2", "1", "\x0c", "]", "r", "\x1a"];

/// What the shell says once the program has ended.
const ENDED: &str = "it has ended";

/// A generator of pseudo-random numbers (xorshift64*): the same seed gives the same run.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Waits until the shell runs the program; its process.
fn wait_for_program(pty: &Pty, program: &str) -> Pid {
    let shell = pty.pid.as_raw_nonzero();
    loop {
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        let child = children.trim().parse().ok().and_then(Pid::from_raw);
        let runs = |pid: &Pid| {
            let running = std::fs::read_link(format!("/proc/{}/exe", pid.as_raw_nonzero()));
            running.is_ok_and(|running| running == std::path::Path::new(program))
        };
        if let Some(pid) = child.filter(runs) {
            return pid;
        }
        thread::sleep(Duration::from_micros(200));
    }
}

/// Runs a program, types, and sends it one or two signals at a random moment. Returns what it was doing at
/// the end.
fn try_one(seed: u64) -> &'static str {
    let mut chance = Chance::new(seed);
    let is_demo = chance.below(3) == 0;
    let trace = chance.of(&[TRACE, HOSTILE]);
    let command = if is_demo { demo_bin().to_owned() } else { format!("{BIN} open {trace}") };
    // Under a shell that stays, as users run it: the end of the first process of a session hangs up its
    // terminal, and the kernel then drops what was written and not yet read.
    let mut pty = Pty::spawn(
        &["sh", "-c", &format!("{command}; code=$?; echo {ENDED}; read line; exit $code")],
        &[],
        chance.of(&[(80, 24), (200, 60), (20, 5)]),
    );
    let pid = wait_for_program(&pty, if is_demo { demo_bin() } else { BIN });
    // Two thirds of the moments are within the first 60 ms, in which the program starts, enters the terminal
    // and loads.
    let span = chance.of(&[8_000, 60_000, 600_000]);
    let mut left = chance.below(span);
    while left > 0 {
        let step = left.min(chance.below(40_000));
        thread::sleep(Duration::from_micros(step));
        left -= step;
        pty.send(if is_demo { "F" } else { chance.of(&KEYS) });
    }
    let (first, name) = chance.of(&DEADLY);
    let second = (chance.below(4) == 0).then(|| chance.of(&DEADLY));
    let was_entered = pty.look(vt100::Screen::alternate_screen);
    let _ = kill_process(pid, first);
    if let Some((second, _)) = second {
        let _ = kill_process(pid, second);
    }
    // Ctrl-Z stops no program that has no shell above it, but a second signal may come in the midst of it.
    let _ = kill_process(pid, Signal::CONT);
    // Rust's own handler of these two, set until the terminal is opened, lets a program live that did not
    // fail.
    if [Signal::SEGV, Signal::BUS].contains(&first) && !was_entered {
        thread::sleep(Duration::from_millis(300));
        let _ = kill_process(pid, first);
    }
    pty.wait_for(ENDED);
    pty.send("\n");
    let exit = pty.wait_exit();
    // The status by which a shell reports an end by a signal.
    let ended_by = |signal: Signal| exit.code == 128 + signal.as_raw().cast_unsigned();
    let is_either = ended_by(first) || second.is_some_and(|(other, _)| ended_by(other));
    assert!(is_either, "sent {name} and {second:?}: {exit:?}");
    if pty.text().contains('\x1b') {
        assert_left_clean(&pty);
    } else {
        assert_eq!(pty.settings(), pty.found, "termios");
    }
    match (was_entered, is_demo) {
        (false, _) => "not entered yet",
        (true, true) => "frames being written",
        (true, false) => "explorer on the screen",
    }
}

/// Tries all seeds from 0 on; prints what the program was doing, and fails with all that were not restored.
fn try_all(count: u64) {
    let (next, failures) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let moments = Mutex::new(BTreeMap::<&str, u32>::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        return;
                    }
                    match catch_unwind(AssertUnwindSafe(|| try_one(seed))) {
                        Ok(moment) => *moments.lock().unwrap().entry(moment).or_default() += 1,
                        Err(_) => failures.lock().unwrap().push(seed),
                    }
                }
            });
        }
    });
    let (moments, failures) = (moments.into_inner().unwrap(), failures.into_inner().unwrap());
    println!(
        "{count} programs ended by signals, by what they were doing: {moments:?}; not restored: {failures:?}"
    );
    assert!(failures.is_empty(), "the seeds that failed: {failures:?}");
}

#[test]
fn signals_at_random_moments_restore_the_terminal() {
    try_all(60);
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn a_thousand_signals_at_random_moments_restore_the_terminal() {
    try_all(1000);
}
