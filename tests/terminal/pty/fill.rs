//! A trace fills in while it loads: lanes are there before the end is, keys are answered, and nobody is moved
//! by what comes.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, Mode};

use super::explorer::{BIN, quit};
use super::{CTRL_C, assert_left_clean};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// Events `from..to` of a trace, each ten microseconds after the last.
fn events(from: u32, to: u32) -> String {
    let event = |i: u32| {
        let (ts, name) = (10 * i, ["one", "two", "three"][i as usize % 3]);
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":8}},"#) + "\n"
    };
    (from..to).map(event).collect()
}

/// A stream that goes on until `is_over` is set.
struct Slow<'a> {
    path: &'a str,
    is_over: &'a AtomicBool,
}

impl Slow<'_> {
    fn write(&self) {
        let mut out = fs::File::options().write(true).open(self.path).unwrap();
        let mut written = 0;
        out.write_all(b"[").unwrap();
        while !self.is_over.load(Ordering::Relaxed) && written < 2_000_000 {
            // The reader may have gone.
            if out.write_all(events(written, written + 4000).as_bytes()).is_err() {
                return;
            }
            written += 4000;
            thread::sleep(Duration::from_millis(10));
        }
        let last = format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":2,"ts":{},"dur":8}}]"#,
            10 * written
        );
        let _ = out.write_all(last.as_bytes());
    }
}

fn on_a_slow_stream(name: &str, look: impl FnOnce(Pty, &AtomicBool)) {
    let scratch = Scratch::new(name);
    let path = scratch.path("stream");
    rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| Slow { path: &path, is_over: &is_over }.write());
        look(Pty::spawn(&[BIN, "open", &path], &[], (100, 30)), &is_over);
        is_over.store(true, Ordering::Relaxed);
    });
}

/// True where the screen shows so little time that the ruler states it in ns.
fn is_narrow(contents: &str) -> bool {
    let mut rulers = contents.lines().filter(|line| line.contains('▼'));
    rulers.any(|line| line.split("  ").next().is_some_and(|length| length.ends_with(" ns")))
}

#[test]
fn the_timeline_fills_in_and_keys_are_answered() {
    on_a_slow_stream("fill", |pty, is_over| {
        pty.wait_frame("a lane, and not the end", |screen| {
            let contents = screen.contents();
            contents.contains("thread 1") && contents.contains("reading")
        });
        pty.send("l");
        pty.wait_frame("the first event", |screen| screen.contents().contains("duration"));
        // Zoomed in to where the numbers are small.
        pty.send(&"w".repeat(40));
        pty.wait_frame("a narrow viewport", |screen| {
            let contents = screen.contents();
            contents.contains("reading") && is_narrow(&contents)
        });
        is_over.store(true, Ordering::Relaxed);
        pty.wait_frame("the end, in the same viewport", |screen| {
            let contents = screen.contents();
            contents.contains("data whole") && is_narrow(&contents) && contents.contains("duration")
        });
        pty.send("0");
        pty.wait_frame("the lane that came last", |screen| screen.contents().contains("thread 2"));
        quit(pty);
    });
}

#[test]
fn a_trace_can_be_left_while_it_loads() {
    for key in ["q", CTRL_C] {
        on_a_slow_stream("leave-loading", |mut pty, _| {
            pty.wait_frame("a lane, and not the end", |screen| {
                let contents = screen.contents();
                contents.contains("thread 1") && contents.contains("reading")
            });
            pty.send(key);
            let exit = pty.wait_exit();
            assert_eq!((exit.code, exit.signal), (0, None), "{key:?}");
            assert_left_clean(&pty);
        });
    }
}

/// How many MiB the badge says were read.
fn read_mib(contents: &str) -> f64 {
    let said = contents.split("reading ").nth(1).and_then(|rest| rest.split(" MiB").next());
    said.and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[test]
fn loading_again_keeps_the_whole_until_the_new_whole_is_there() {
    let scratch = Scratch::new("again");
    let path = scratch.path("stream");
    rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    let is_over = AtomicBool::new(true);
    let slow = Slow { path: &path, is_over: &is_over };
    thread::scope(|scope| {
        scope.spawn(|| slow.write());
        let pty = Pty::spawn(&[BIN, "open", &path], &[], (100, 30));
        pty.wait_frame("the whole", |screen| screen.contents().contains("thread 2"));
        is_over.store(false, Ordering::Relaxed);
        pty.send("R");
        scope.spawn(|| slow.write());
        // Far enough for a part of the new to have been shown, were it shown.
        pty.wait_frame("much was read", |screen| read_mib(&screen.contents()) > 12.0);
        let contents = pty.contents();
        assert!(contents.contains("thread 2") && !contents.contains("thread 1"), "{contents}");
        is_over.store(true, Ordering::Relaxed);
        pty.wait_frame("the new whole", |screen| {
            let contents = screen.contents();
            contents.contains("data whole") && contents.contains("thread 1")
        });
        quit(pty);
    });
}
