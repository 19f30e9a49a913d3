//! What a terminal shows after the bytes of a frame is the frame, whatever stood there before.

use std::num::NonZeroU16;

use super::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

const WIDTH: u16 = 40;
const HEIGHT: u16 = 9;
/// What cells show: text, blocks, wide and combined characters; mostly blanks.
const SYMBOLS: [&str; 12] = [" ", " ", " ", " ", "a", "7", "█", "▎", "é", "卷", "e\u{301}", "─"];

fn colour(depth: u8) -> BoxedStrategy<Color> {
    match depth {
        0 => Just(Color::Reset).boxed(),
        1 => {
            prop::sample::select(vec![Color::Reset, Color::Black, Color::Gray, Color::DarkGray, Color::White])
                .boxed()
        }
        2 => (16_u8..20).prop_map(Color::Indexed).boxed(),
        _ => (0_u8..3).prop_map(|shade| Color::Rgb(shade, 0, 255)).boxed(),
    }
}

/// Pieces of lines: where each begins, its text, its length and its look.
type Piece = (u16, u16, u16, &'static str, Color, Color, Modifier);

fn pieces(depth: u8) -> impl Strategy<Value = Vec<Piece>> {
    let modifier = prop::sample::select(vec![
        Modifier::empty(),
        Modifier::empty(),
        Modifier::BOLD,
        Modifier::DIM | Modifier::UNDERLINED,
        Modifier::REVERSED,
        Modifier::REVERSED | Modifier::BOLD,
        Modifier::BOLD | Modifier::DIM,
    ]);
    let symbol = prop::sample::select(SYMBOLS.to_vec());
    let piece = (0..WIDTH, 0..HEIGHT, 1..WIDTH, symbol, colour(depth), colour(depth), modifier);
    prop::collection::vec(piece, 0..20)
}

/// A screen with these pieces, moved by so many columns and lines.
fn drawn(pieces: &[Piece], (dx, dy): (i16, i16)) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
    for &(x, y, len, symbol, fg, bg, modifier) in pieces {
        for x in (x..(x + len).min(WIDTH)).step_by(symbol.width().max(1)) {
            let at = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if let Some(cell) = buffer.cell_mut(at) {
                cell.set_symbol(symbol);
                (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
            }
        }
    }
    buffer
}

fn screen() -> vt100::Parser {
    vt100::Parser::new(NonZeroU16::new(HEIGHT).unwrap(), NonZeroU16::new(WIDTH).unwrap(), 0)
}

fn seen(colour: Color) -> vt100::Color {
    match colour {
        Color::Reset => vt100::Color::Default,
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        Color::Black => vt100::Color::Idx(0),
        Color::Gray => vt100::Color::Idx(7),
        Color::DarkGray => vt100::Color::Idx(8),
        _ => vt100::Color::Idx(15),
    }
}

/// Compares every cell of the terminal with the buffer, in what is seen of it.
fn assert_shows(terminal: &vt100::Parser, buffer: &Buffer) {
    for (at, cell) in buffer.content.iter().enumerate() {
        let (x, y) = (at as u16 % WIDTH, at as u16 / WIDTH);
        let shown = terminal.screen().cell(y, x).unwrap();
        if cell.symbol().is_empty() {
            assert!(shown.is_wide_continuation(), "{x} {y}");
            continue;
        }
        let text = if shown.has_contents() { shown.contents() } else { " " };
        assert_eq!(text, cell.symbol(), "{x} {y}");
        assert_eq!(shown.bgcolor(), seen(cell.bg), "{x} {y}");
        let has = |modifier| cell.modifier.contains(modifier);
        assert_eq!(shown.inverse(), has(Modifier::REVERSED), "{x} {y}");
        assert_eq!(shown.underline(), has(Modifier::UNDERLINED), "{x} {y}");
        if !Code::of(cell).is_blank() {
            assert_eq!(shown.fgcolor(), seen(cell.fg), "{x} {y}");
            assert_eq!((shown.bold(), shown.dim()), (has(Modifier::BOLD), has(Modifier::DIM)), "{x} {y}");
        }
    }
}

proptest! {
    #[test]
    fn the_terminal_shows_each_frame(
        can_edit: bool,
        frames in (0_u8..4).prop_flat_map(|depth| prop::collection::vec((pieces(depth), -9_i16..9, -3_i16..3), 1..5)),
    ) {
        let (mut encoder, mut terminal) = (Encoder::new((WIDTH, HEIGHT), can_edit, true), screen());
        for (pieces, dx, dy) in frames {
            // Each screen, then the same moved: with new cells at one end.
            for by in [(0, 0), (dx, 0), (dx, dy)] {
                let (mut tidied, mut out) = (drawn(&pieces, by), Vec::new());
                encoder.frame(&mut tidied, &mut out);
                terminal.process(&out);
                assert_shows(&terminal, &tidied);
            }
        }
    }
}

/// The bytes of the frame `after`, shown after `before`.
fn bytes(before: &Buffer, after: &Buffer) -> String {
    let mut encoder = Encoder::new((WIDTH, HEIGHT), true, true);
    encoder.frame(&mut before.clone(), &mut Vec::new());
    let mut out = Vec::new();
    encoder.frame(&mut after.clone(), &mut out);
    String::from_utf8(out).unwrap()
}

fn text(lines: &[&str]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
    for (y, line) in lines.iter().enumerate() {
        for (x, c) in line.chars().enumerate() {
            buffer[(x as u16, y as u16)].set_char(c);
        }
    }
    buffer
}

#[test]
fn few_bytes_are_sent() {
    let line = "label  the quick brown fox jumps over a!";
    for (before, after, sent) in [
        (vec![line], vec![line], ""),
        (vec!["abc def"], vec!["abX dYf"], "\x1b[5DX dY"),
        (vec![line], vec!["label"], "\x1b[1;8H\x1b[K"),
        (vec![line], vec!["label  quick brown fox jumps over a!...."], "\x1b[1;8H\x1b[4P\x1b[29C...."),
        (
            vec!["top", "one", "two", "three", "four", "five"],
            vec!["top", "two", "three", "four", "five", "six"],
            "\x1b[2H\x1b[1M\x1b[4B\x1b[1Lsix",
        ),
    ] {
        assert_eq!(bytes(&text(&before), &text(&after)), sent);
    }
}

#[test]
fn cells_are_scrubbed() {
    for (symbol, expected) in [
        ("a", "a"),
        ("é", "é"),
        ("█", "█"),
        ("\x1b[2J", "?"),
        ("\u{9b}", "?"),
        ("\t", "?"),
        ("\u{a0}", "\u{a0}"),
    ] {
        let mut cell = Cell::default();
        cell.set_symbol(symbol).set_fg(Color::Red);
        let mut codes = [Code::BLANK];
        tidy(std::slice::from_mut(&mut cell), false, &mut codes);
        assert_eq!((cell.symbol(), cell.fg), (expected, Color::Reset), "{symbol:?}");
        assert_eq!(codes, [Code::of(&cell)], "{symbol:?}");
    }
}

/// tmux leaves old characters where more than half of the rest of a line is inserted.
#[test]
fn at_most_half_of_the_rest_of_a_line_is_moved_in() {
    let screen = |text: String| {
        let line: String = text.chars().chain(std::iter::repeat(' ')).take(80).collect();
        Buffer::with_lines([line.as_str(); 3])
    };
    let name = "some-folder/a-name-of-a-file.json";
    let mut most = 0;
    for by in 0..60 {
        let mut encoder = Encoder::new((80, 3), true, true);
        encoder.frame(&mut screen(format!("          {name}")), &mut Vec::new());
        let mut sent = Vec::new();
        encoder.frame(&mut screen(format!("          {}{name}", " ".repeat(by))), &mut sent);
        let sent = String::from_utf8(sent).expect("text");
        let before =
            sent.match_indices('@').filter_map(|(at, _)| sent[..at].rsplit_once('[')?.1.parse().ok());
        most = most.max(before.max().unwrap_or(0));
    }
    // From the column of the name on, 70 columns are left.
    assert!((20..=35).contains(&most), "{most}");
}

#[test]
fn narrow_is_what_every_terminal_shows_in_one_column() {
    for c in ('\0'..=char::MAX).take(0x30000) {
        let is_narrow = matches!(c, ' '..='~' | '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{2010}'..='\u{2027}'
            | '\u{2190}'..='\u{2199}' | '\u{2500}'..='\u{25fc}');
        let mut cell = Cell::EMPTY;
        cell.set_char(c);
        assert_eq!(Code::of(&cell).is_surely_narrow(), is_narrow, "{c:?}");
    }
    for long in ["", "ab", "e\u{301}", "─\u{301}", "👩‍👩‍👧‍👧"] {
        let mut cell = Cell::EMPTY;
        cell.set_symbol(long);
        assert!(!Code::of(&cell).is_surely_narrow(), "{long}");
    }
}
