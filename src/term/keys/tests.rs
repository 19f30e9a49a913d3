//! What bytes are read as, down to the keys that the explorer knows.

use std::time::Duration;

use proptest::prelude::*;

use super::super::Event;
use super::super::translate::translate;
use super::paste::{LONGEST_PASTE, PATIENCE};
use super::*;
use crate::app::input::key::Key;
use crate::app::input::mouse::{Mouse, MouseAction};

fn inputs(bytes: &[u8]) -> Vec<Input> {
    let mut reader = Reader::default();
    let mut inputs = reader.take(bytes);
    inputs.extend(reader.quiet(PATIENCE));
    inputs
}

/// What the loop hears of the inputs.
fn heard(inputs: Vec<Input>) -> Vec<Event> {
    let event = |input| if let Input::Event(raw) = input { translate(raw) } else { None };
    inputs.into_iter().filter_map(event).collect()
}

fn read(bytes: &[u8]) -> Vec<Event> {
    heard(inputs(bytes))
}

#[test]
fn keys_are_read() {
    for (sent, key) in [
        ("w", Key::Char('w')),
        ("W", Key::Char('W')),
        ("卷", Key::Char('卷')),
        (" ", Key::Char(' ')),
        ("\r", Key::Enter),
        ("\t", Key::Tab),
        ("\x03", Key::Ctrl('c')),
        ("\x00", Key::Ctrl(' ')),
        ("\x1c", Key::Ctrl('4')),
        ("\x7f", Key::Backspace),
        ("\x1b", Key::Esc),
        ("\x1b[", Key::Alt('[')),
        ("\x1bx", Key::Alt('x')),
        ("\x1bé", Key::Alt('é')),
        ("\x1b\r", Key::Enter),
        ("\x1b[D", Key::Left),
        ("\x1b[1;5D", Key::Left),
        ("\x1bOA", Key::Up),
        ("\x1bOP", Key::F(1)),
        ("\x1b[[E", Key::F(5)),
        ("\x1b[Z", Key::BackTab),
        ("\x1b[H", Key::Home),
        ("\x1b[4~", Key::End),
        ("\x1b[3~", Key::Delete),
        ("\x1b[5~", Key::PageUp),
        ("\x1b[15~", Key::F(5)),
        ("\x1b[17;2~", Key::F(6)),
        ("\x1b[24~", Key::F(12)),
    ] {
        assert_eq!(read(sent.as_bytes()), [Event::Key(key)], "{sent:?}");
    }
}

#[test]
fn keys_that_come_as_numbers_are_read() {
    for (sent, key) in [
        ("\x1b[27u", Key::Esc),
        ("\x1b[97;5u", Key::Ctrl('a')),
        ("\x1b[99;133u", Key::Ctrl('c')),
        ("\x1b[97;2u", Key::Char('A')),
        ("\x1b[97:65;2u", Key::Char('A')),
        ("\x1b[49:33;4u", Key::Alt('!')),
        ("\x1b[97;3:2u", Key::Alt('a')),
        ("\x1b[1089::99;5u", Key::Ctrl('c')),
        ("\x1b[9;2u", Key::BackTab),
        ("\x1b[32;5u", Key::Ctrl(' ')),
        ("\x1b[57399u", Key::Char('0')),
        ("\x1b[57414u", Key::Enter),
        ("\x1b[57417;129u", Key::Left),
        ("\x1b[57426u", Key::Delete),
    ] {
        assert_eq!(read(sent.as_bytes()), [Event::Key(key)], "{sent:?}");
    }
}

#[test]
fn what_is_of_no_interest_is_dropped() {
    for sent in [
        &b"\x1b[97;1:3u"[..],
        b"\x1b[1;1:3A",
        b"\x1b[2~",
        b"\x1b[I",
        b"\x1b[O",
        b"\x1b[?62;4c",
        b"\x1b[201~",
        b"\xff",
        b"\x1b[57427u",
        b"\x1b[57441u",
        b"\x1b[99;9u",
    ] {
        assert_eq!(read(sent), [], "{sent:?}");
    }
    let q = Input::Event(character('q'));
    assert_eq!(inputs(b"\x1b[0nq"), [Input::Answer, q]);
    assert_eq!(read(b"\x1b\x1b[A"), [Key::Esc, Key::Up].map(Event::Key));
    assert_eq!(read(b"\x1b[12\x1b[A"), [Event::Key(Key::Up)]);
    assert_eq!(inputs(b"\x1b[I"), [Input::Event(crossterm::event::Event::FocusGained)]);
    let mut long = b"\x1b[".to_vec();
    long.extend([b'1'; 200]);
    assert!(inputs(&long).len() < 200);
}

#[test]
fn the_mouse_is_read() {
    for (sent, action, x, y) in [
        ("\x1b[<0;1;1M", MouseAction::Press, 0, 0),
        ("\x1b[<0;200;50m", MouseAction::Release, 199, 49),
        ("\x1b[<32;12;3M", MouseAction::Drag, 11, 2),
        ("\x1b[<64;12;3M", MouseAction::WheelUp, 11, 2),
        ("\x1b[<81;12;3M", MouseAction::WheelDown, 11, 2),
    ] {
        assert_eq!(read(sent.as_bytes()), [Event::Mouse(Mouse { action, x, y })], "{sent:?}");
    }
    for sent in ["\x1b[<1;1;1M", "\x1b[<0;0;1M", "\x1b[<0;1M", "\x1b[<35;1;1M", "\x1b[<;;M", "\x1b[<66;1;1M"]
    {
        assert_eq!(read(sent.as_bytes()), [], "{sent:?}");
    }
}

#[test]
fn pasted_text_is_no_key() {
    let pasted = Event::Paste("a\n\x1b[A\x03é".to_owned());
    let sent = "\x1b[200~a\n\x1b[A\x03é\x1b[201~q".as_bytes();
    assert_eq!(read(sent), [pasted.clone(), Event::Key(Key::Char('q'))]);
    // Also where it is cut behind the byte of Ctrl-C, and the rest comes soon.
    let cut = sent.iter().position(|byte| *byte == 3).expect("it is there") + 1;
    let mut reader = Reader::default();
    assert_eq!(reader.take(&sent[..cut]), []);
    assert_eq!(reader.quiet(Duration::from_millis(10)), []);
    assert_eq!(heard(reader.take(&sent[cut..])), [pasted, Event::Key(Key::Char('q'))]);
}

#[test]
fn a_paste_without_its_end_can_be_left() {
    for ctrl_c in ["\x03", "\x1b[99;5u"] {
        let mut reader = Reader::default();
        assert_eq!(reader.take(b"\x1b[200~text"), []);
        assert_eq!(reader.take(b"q"), [], "a key is text");
        assert_eq!(reader.quiet(PATIENCE / 2), []);
        assert_eq!(reader.take(ctrl_c.as_bytes()), []);
        let patience = reader.patience().expect("it waits");
        assert!(patience < Duration::from_millis(50), "{patience:?}");
        assert_eq!(heard(reader.quiet(patience)), [Event::Key(Key::Ctrl('c'))], "{ctrl_c:?}");
    }
}

#[test]
fn a_paste_without_its_end_ends_by_itself() {
    let mut reader = Reader::default();
    assert_eq!(reader.take(b"\x1b[200~text"), []);
    assert_eq!(reader.patience(), Some(PATIENCE));
    assert_eq!(heard(reader.quiet(PATIENCE)), [Event::Paste("text".to_owned())]);
    assert_eq!(reader.patience(), None);
    assert_eq!(heard(reader.take(b"q\x1b[201~")), [Event::Key(Key::Char('q'))]);
    reader.take(b"\x1b[200~text\x1b[0n");
    assert_eq!(reader.quiet(PATIENCE)[0], Input::Answer, "the answer is not lost");
}

#[test]
fn a_paste_that_goes_on_and_on_can_be_left() {
    let mut reader = Reader::default();
    assert_eq!(reader.take(b"\x1b[200~"), []);
    for _ in 0..=LONGEST_PASTE / 4096 {
        assert_eq!(reader.take(&[b'q'; 4096]), []);
    }
    assert_eq!(heard(reader.take(b"qq\x03qq")), [Event::Key(Key::Ctrl('c'))]);
    let ended = heard(reader.quiet(PATIENCE));
    assert!(matches!(&ended[..], [Event::Paste(text)] if text.len() == LONGEST_PASTE));
    assert_eq!(heard(reader.take(b"w")), [Event::Key(Key::Char('w'))]);
}

proptest! {
    /// However the bytes are cut, the same is read.
    #[test]
    fn pieces_are_put_together(cuts in prop::collection::vec(0_usize..60, 0..6)) {
        let sent = "w\x1b[1;5D\x1bx卷\x1b[200~é\x1b[201~\x1b[0n\x1bOP\x1b\x1b[27u".as_bytes();
        let mut reader = Reader::default();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(sent.len())).collect();
        cuts.extend([0, sent.len()]);
        cuts.sort_unstable();
        let mut pieces: Vec<Input> = cuts.windows(2).flat_map(|cut| reader.take(&sent[cut[0]..cut[1]])).collect();
        pieces.extend(reader.quiet(PATIENCE));
        prop_assert_eq!(pieces, inputs(sent));
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = inputs(&bytes);
    }
}
