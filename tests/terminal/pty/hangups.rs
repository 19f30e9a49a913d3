//! Fifty hang-ups at different moments, with the signal of a hang-up at its default, ignored, blocked, or
//! handled by another program above: each time the explorer is gone, with the same status.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::explorer::{BIN, TRACE, wait_ready};
use super::{SOON, within};
use crate::rig::Pty;

/// Ways to start the explorer: what a shell runs. Where the shell stays above it, it hands the status on.
fn ways() -> [String; 4] {
    let explorer = format!("{BIN} open {TRACE}");
    [
        format!("exec {explorer}"),
        format!("trap '' HUP; exec {explorer}"),
        format!("exec env --block-signal=HUP {explorer}"),
        format!("trap : HUP; {explorer}; exit $?"),
    ]
}

/// Starts the explorer, does something, and takes the terminal away; how long the end took.
fn hang_up(number: usize) -> Duration {
    let ways = ways();
    let way = &ways[number % ways.len()];
    let mut pty = Pty::spawn(&["bash", "-c", way], &[], (120, 40));
    let moment = number / ways.len() % 4;
    match moment {
        // At the start, while it loads.
        0 => thread::sleep(Duration::from_millis(3 * number as u64)),
        1 => wait_ready(&pty),
        2 => {
            wait_ready(&pty);
            pty.send("wwwddd/aten");
        }
        // The terminal takes no more bytes.
        _ => {
            wait_ready(&pty);
            pty.send(&"\x0cd2".repeat(100));
            pty.pause();
        }
    }
    let gone = Instant::now();
    pty.hang_up();
    let exit = pty.wait_exit();
    // A program that has not read its settings yet is ended by the signal itself, or finds no terminal.
    let is_right = exit.code == 129 && exit.signal.is_none();
    assert!(is_right || moment == 0, "{number}, {way}: {exit:?}");
    exit.at - gone
}

#[test]
fn fifty_hang_ups_end_the_explorer() {
    let left = Mutex::new(0..50);
    let slowest = Mutex::new(Duration::ZERO);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(number) = { left.lock().unwrap().next() } {
                    within(SOON, "a hang-up", || {
                        let took = hang_up(number);
                        let mut slowest = slowest.lock().unwrap();
                        *slowest = took.max(*slowest);
                        took
                    });
                }
            });
        }
    });
    println!("50 of 50 gone, the slowest after {:?}", slowest.into_inner().unwrap());
}
