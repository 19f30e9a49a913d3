//! What the terminal layer writes while it lives: keys, sizes, colours, frames, nothing.

use std::time::Duration;

use super::{assert_left_clean, eventually, is_colour, plain, sgr};

#[test]
fn keys_arrive() {
    let mut demo = plain();
    for (sent, shown) in [
        ("w", "key w"),
        ("W", "key W"),
        ("\x1b[D", "key ←"),
        (" ", "key Space"),
        ("\x1bx", "key Alt-x"),
        ("\x1b[Z", "key Shift-Tab"),
    ] {
        demo.send(sent);
        demo.wait_for(shown);
    }
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
}

#[test]
fn survives_every_size() {
    let mut demo = plain();
    for (size, shown) in [
        ((500, 1), Some("size 500x1")),
        ((1, 1), None),
        ((1, 500), None),
        ((65535, 65535), Some("size 1000x400")),
        ((0, 0), None),
        ((2, 2), None),
        ((80, 24), Some("size 80x24")),
    ] {
        let before = demo.log().len();
        demo.resize(size);
        match shown {
            Some(text) => demo.wait_for(text),
            None => eventually(|| demo.log().len() > before),
        }
        assert!(demo.log().len() > before, "{size:?} is drawn");
        assert!(demo.ended().is_none(), "{size:?}");
    }
    demo.send("w");
    demo.wait_for("key w");
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}

#[test]
fn starts_on_a_terminal_without_a_size() {
    let mut demo = super::demo(&[], (0, 0));
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
    assert_left_clean(&demo);
}

#[test]
fn no_color_means_none() {
    for (env, coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false), (&[("NO_COLOR", "")], true)] {
        let mut demo = super::demo(env, (80, 24));
        demo.settle();
        demo.send("q");
        demo.wait_exit();
        let numbers = sgr(&demo.text());
        assert_eq!(numbers.iter().any(|n| is_colour(*n)), coloured, "{env:?}: {numbers:?}");
        assert!(numbers.contains(&1), "bold stays");
    }
}

#[test]
fn idle_writes_nothing() {
    let mut demo = plain();
    demo.settle();
    let before = demo.log().len();
    assert!(demo.quiet(Duration::from_secs(1)));
    assert_eq!(demo.log().len(), before);
    demo.send("w");
    demo.wait_for("key w");
    demo.send("q");
    assert_eq!(demo.wait_exit().code, 0);
}

#[test]
fn a_frame_is_one_block() {
    let mut demo = plain();
    demo.send("w");
    demo.wait_for("key w");
    demo.settle();
    let text = demo.text();
    let (opened, closed) = (text.matches("\x1b[?2026h").count(), text.matches("\x1b[?2026l").count());
    assert_eq!((opened, closed), (2, 2), "first frame and the key's: {text:?}");
    demo.send("q");
    demo.wait_exit();
}

#[test]
fn no_cell_steers_the_terminal() {
    let mut demo = plain();
    demo.send("h");
    demo.wait_for("key h");
    demo.settle();
    assert!(!demo.text().contains("owned"));
    demo.send("q");
    demo.wait_exit();
}
