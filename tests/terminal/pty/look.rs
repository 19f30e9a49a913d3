//! What the explorer writes while it lives: colours, characters, sizes, nothing.

use std::time::Duration;

use super::explorer::{BIN, TRACE, assert_whole, explore, picture, plain, quit, sync, wait_ready};
use super::{assert_left_clean, eventually, is_colour, sgr};
use crate::rig::Pty;
use crate::scratch::Scratch;

/// To the first line.
const HOME: &str = "\x1b[H";

#[test]
fn no_color_means_none() {
    for (env, coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false), (&[("NO_COLOR", "")], true)] {
        let pty = explore(TRACE, env, (80, 24));
        pty.send("?");
        pty.send("ll\r2o");
        sync(&pty);
        let numbers = sgr(&pty.text());
        assert_eq!(numbers.iter().any(|n| is_colour(*n)), coloured, "{env:?}: {numbers:?}");
        quit(pty);
    }
}

/// The flag goes before the variable, which the library that knows the colours' sequences obeys by itself.
#[test]
fn colours_that_are_asked_for_go_before_no_color() {
    let command = [BIN, "open", "--color", "256", TRACE];
    let pty = Pty::spawn(&command, &[("NO_COLOR", "1")], (80, 24));
    wait_ready(&pty);
    let numbers = sgr(&pty.text());
    assert!(numbers.windows(2).any(|pair| pair == [38, 5]), "{numbers:?}");
    quit(pty);
}

/// By the locale or by the flag.
#[test]
fn ascii_means_ascii() {
    let by_flag = || Pty::spawn(&[BIN, "open", "--ascii", TRACE], &[], (120, 40));
    let by_locale = || Pty::spawn(&[BIN, "open", TRACE], &[("LC_ALL", "C")], (120, 40));
    for pty in [by_flag(), by_locale()] {
        wait_ready(&pty);
        for keys in ["lll\r", "123", "o", "o", "f", "tttt", "?\x1b[6~", "/aten", "g+3us\r", "]["] {
            pty.send(keys);
            sync(&pty);
        }
        let text = pty.text();
        let at = text.find(|c: char| !c.is_ascii());
        assert_eq!(at, None, "{:?}", at.map(|at| text[at..].chars().take(80).collect::<String>()));
        quit(pty);
    }
}

#[test]
fn idle_writes_nothing() {
    let pty = plain();
    sync(&pty);
    let before = pty.log().len();
    assert!(pty.quiet(Duration::from_secs(10)));
    assert_eq!(pty.log().len(), before);
    quit(pty);
}

#[test]
fn survives_every_size() {
    let pty = plain();
    sync(&pty);
    let first = assert_whole(&pty);
    for size in [(1, 1), (2, 2), (500, 1), (1, 500), (0, 0), (65535, 65535), (10, 4), (3, 80), (80, 24)] {
        let before = pty.log().len();
        pty.resize(size);
        eventually(|| pty.log().len() > before);
        // Keys that draw much, on every size.
        pty.send("l2o?\x1b[27u3oo/a\x1b[27u1\x1b[27u0");
    }
    sync(&pty);
    let last = assert_whole(&pty);
    let title = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(title(&first), title(&last));
    quit(pty);
}

/// Sizes that follow each other faster than frames, as while a window is dragged: all small ones, then the
/// largest.
#[test]
fn a_storm_of_sizes_ends_with_the_last() {
    let pty = plain();
    sync(&pty);
    let first = assert_whole(&pty);
    let small = (0..=40).flat_map(|width| (0..=12).map(move |height| (width, height)));
    for (number, size) in small.chain([(1000, 400)]).enumerate() {
        pty.resize(size);
        if number % 20 == 0 {
            pty.send("d2a1");
        }
    }
    let before = pty.log().len();
    pty.resize((80, 24));
    pty.wait_bytes(before, "\x1b[2J");
    pty.send("\x1b[27u0");
    let last = assert_whole(&pty);
    // Keys move the cursor; its step stands in the title behind the name of the trace.
    let title = |text: &str| text.split_once(" › ").map(|(title, _)| title.to_owned());
    assert_eq!(title(&first), title(&last));
    quit(pty);
}

/// Scrolled to where it was, the screen is as it was.
#[test]
fn comes_back_from_every_size() {
    let pty = plain();
    pty.send(HOME);
    sync(&pty);
    let first = pty.look(picture);
    for size in [(1, 1), (2, 2), (500, 1), (0, 0), (200, 50)] {
        for size in [size, (80, 24)] {
            let before = pty.log().len();
            pty.resize(size);
            pty.wait_bytes(before, "\x1b[2J");
        }
        pty.send(HOME);
        pty.wait_frame(&format!("the screen after {size:?}"), |screen| picture(screen) == first);
    }
    quit(pty);
}

#[test]
fn starts_on_every_size() {
    for size in [(0, 0), (1, 1), (2, 2), (500, 1), (1, 200)] {
        let mut pty = Pty::spawn(&[BIN, "open", TRACE], &[], size);
        pty.wait_frame("a frame", |_| true);
        pty.send("q");
        assert_eq!(pty.wait_exit().code, 0, "{size:?}");
        assert_left_clean(&pty);
    }
}

/// The trace comes through a pipe, the keys from the terminal.
#[test]
fn a_trace_on_standard_input_leaves_the_keyboard() {
    let script = format!("cat {TRACE} | {BIN} open -");
    let pty = Pty::spawn(&["sh", "-c", &script], &[], (80, 24));
    wait_ready(&pty);
    pty.send("wdl");
    sync(&pty);
    assert_whole(&pty);
    quit(pty);
}

/// As from a clipboard: more than the keyboard library reads at once.
#[test]
fn a_burst_of_keys_arrives() {
    let pty = plain();
    pty.send(&format!("/{}{}", "x".repeat(1500), super::ESC));
    wait_ready(&pty);
    sync(&pty);
    quit(pty);
}

/// A directory has captures of two programs, hours apart: one is shown; the other is chosen from a list, and
/// loaded again.
#[test]
fn a_directory_offers_its_traces() {
    let folder = Scratch::new("offers");
    for (name, pid, hour) in [("first.json", 66, 0), ("second.json", 77, 4)] {
        let ts = 1_751_410_800_000_000_u64 + hour * 3_600_000_000;
        let event =
            format!(r#"[{{"ph":"X","cat":"cpu_op","name":"op","ts":{ts},"dur":80,"pid":{pid},"tid":9}}]"#);
        folder.file(name, event);
    }
    let pty = Pty::spawn(&[BIN, "open", &folder.path("")], &[], (80, 24));
    let title = |text: &'static str| pty.wait_frame(text, |screen| screen.contents().starts_with(text));
    title("first › 1 of 2 traces");
    pty.wait_frame("what to do", |screen| screen.contents().contains("T chooses another"));
    pty.send("Tj\r");
    title("second › 2 of 2 traces");
    wait_ready(&pty);
    pty.send("R");
    assert!(assert_whole(&pty).starts_with("second › 2 of 2 traces"), "the same, loaded again");
    quit(pty);
}

/// Files that are named open as one.
#[test]
fn several_files_open_as_one() {
    let pty = Pty::spawn(&[BIN, "open", TRACE, "demo-traces/torch-cnn-cpu.pt.trace.json.gz"], &[], (120, 40));
    wait_ready(&pty);
    sync(&pty);
    assert_whole(&pty);
    quit(pty);
}
