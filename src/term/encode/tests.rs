//! What a terminal shows after the encoder's bytes.

use std::num::NonZero;

use proptest::prelude::*;
use ratatui::style::Style;

use super::*;

const SIZE: (u16, u16) = (40, 12);
const AREA: Rect = Rect { x: 0, y: 0, width: SIZE.0, height: SIZE.1 };

/// A terminal, and the encoder that writes to it.
struct Screen {
    encoder: Encoder,
    terminal: vt100::Parser,
}

impl Screen {
    fn new(depth: Depth) -> Self {
        let [lines, columns] = [SIZE.1, SIZE.0].map(|n| NonZero::new(n).expect("a size"));
        let terminal = vt100::Parser::new(lines, columns, 0);
        Self { encoder: Encoder::new(depth, SIZE), terminal }
    }

    /// Shows a buffer; returns how many bytes that took.
    fn show(&mut self, next: &Buffer, moving: Rect) -> usize {
        let bytes = self.encoder.frame(next, moving).to_owned();
        self.terminal.process(bytes.as_bytes());
        self.check(next);
        bytes.len()
    }

    /// Holds every cell of the terminal against the buffer.
    fn check(&self, next: &Buffer) {
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                let (cell, shown) = (&next[(x, y)], self.terminal.screen().cell(y, x).expect("a cell"));
                if cell.symbol().is_empty() {
                    assert!(shown.is_wide_continuation(), "({x}, {y})");
                    continue;
                }
                let text = if shown.has_contents() { shown.contents() } else { " " };
                assert_eq!(text, cell.symbol(), "({x}, {y})");
                let reversed = cell.modifier.contains(Modifier::REVERSED);
                assert_eq!(shown.inverse(), reversed, "({x}, {y})");
                assert_eq!(shown.bgcolor(), of(cell.bg), "({x}, {y}): background");
                if cell.symbol() != " " || reversed {
                    assert_eq!(shown.fgcolor(), of(cell.fg), "({x}, {y}): foreground");
                    assert_eq!(shown.bold(), cell.modifier.contains(Modifier::BOLD), "({x}, {y})");
                    assert_eq!(shown.dim(), cell.modifier.contains(Modifier::DIM), "({x}, {y})");
                    assert_eq!(shown.underline(), cell.modifier.contains(Modifier::UNDERLINED), "({x}, {y})");
                }
            }
        }
    }
}

fn of(color: Color) -> vt100::Color {
    match color {
        Color::Reset => vt100::Color::Default,
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        Color::Indexed(index) => vt100::Color::Idx(index),
        color => vt100::Color::Idx(ansi(color)),
    }
}

/// The styles of random cells.
fn styles() -> Vec<Style> {
    let plain = Style::new();
    vec![
        plain,
        plain.fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(200, 100, 0)),
        plain.fg(Color::Indexed(208)).add_modifier(Modifier::BOLD),
        plain.bg(Color::LightBlue).fg(Color::Black),
        plain.fg(Color::DarkGray).add_modifier(Modifier::DIM),
        plain.add_modifier(Modifier::REVERSED | Modifier::BOLD),
        plain.fg(Color::Red).add_modifier(Modifier::UNDERLINED),
    ]
}

/// A buffer of runs: where each begins, its text, its style.
fn buffer(runs: &[(u16, u16, usize, usize)]) -> Buffer {
    let texts =
        ["a", "gemm 12", "          ", "▁▂▃▄", "日本", "é", "void at::native", "                         "];
    let styles = styles();
    let mut buffer = Buffer::empty(AREA);
    for &(x, y, text, style) in runs {
        let (x, y) = (x % SIZE.0, y % SIZE.1);
        // The tail of a wide character that is overwritten is blanked, as the painter does it.
        for glyph in texts[text % texts.len()].chars().enumerate() {
            let columns = glyph.1.to_string().width() as u16;
            let at = x + glyph.0 as u16 * columns;
            if at + columns > SIZE.0 {
                break;
            }
            for half in at..at + columns {
                heal(&mut buffer, half, y);
            }
            buffer[(at, y)].reset();
            buffer[(at, y)].set_char(glyph.1).set_style(styles[style % styles.len()]);
            if columns == 2 {
                buffer[(at + 1, y)].reset();
                buffer[(at + 1, y)].set_symbol("").set_style(styles[style % styles.len()]);
            }
        }
    }
    buffer
}

/// Blanks the other half of the wide character at a cell.
fn heal(buffer: &mut Buffer, x: u16, y: u16) {
    if buffer[(x, y)].symbol().is_empty() && x > 0 {
        buffer[(x - 1, y)].set_symbol(" ");
        buffer[(x, y)].set_symbol(" ");
    }
    if x + 1 < SIZE.0 && buffer[(x + 1, y)].symbol().is_empty() {
        buffer[(x + 1, y)].set_symbol(" ");
    }
}

/// The same buffer with the lines of `moving` moved: by some columns, blank where they came from, and by some lines.
fn moved(of: &Buffer, moving: Rect, columns: i32, lines: i32) -> Buffer {
    let mut next = of.clone();
    for y in moving.y..moving.bottom() {
        for x in 0..SIZE.0 {
            let from_y = i32::from(y) + lines;
            let from_x = if x >= moving.x { i32::from(x) + columns } else { i32::from(x) };
            let is_inside = from_y >= i32::from(moving.y) && from_y < i32::from(moving.bottom());
            let is_inside =
                is_inside && (x < moving.x || from_x >= i32::from(moving.x)) && from_x < i32::from(SIZE.0);
            next[(x, y)] = if is_inside { of[(from_x as u16, from_y as u16)].clone() } else { Cell::EMPTY };
        }
    }
    next
}

proptest! {
    #[test]
    fn the_terminal_shows_every_buffer(
        frames in prop::collection::vec(prop::collection::vec((0_u16..60, 0_u16..12, 0_usize..8, 0_usize..7), 0..60), 1..5),
        x in 0_u16..40,
    ) {
        let mut screen = Screen::new(Depth::True);
        for runs in &frames {
            screen.show(&buffer(runs), Rect { x, y: 2, width: SIZE.0 - x, height: 8 });
        }
    }

    #[test]
    fn lines_that_move_are_shown_where_they_went(
        runs in prop::collection::vec((0_u16..60, 0_u16..12, prop::sample::select(vec![0_usize, 1, 2, 3, 6]), 0_usize..7), 30..90),
        columns in -12_i32..12,
        lines in -5_i32..5,
    ) {
        let moving = Rect { x: 9, y: 2, width: SIZE.0 - 9, height: 9 };
        let mut screen = Screen::new(Depth::True);
        let first = buffer(&runs);
        screen.show(&first, moving);
        let second = moved(&first, moving, columns, lines);
        screen.show(&second, moving);
        screen.show(&first, moving);
    }
}

/// A screen full of lines that differ in every cell.
fn dense() -> Buffer {
    let mut buffer = Buffer::empty(AREA);
    for y in 0..SIZE.1 {
        for x in 0..SIZE.0 {
            let seed = u32::from(x) * 7 + u32::from(y) * 13 + u32::from(x) * u32::from(y);
            let style = styles()[(seed % 5) as usize];
            buffer[(x, y)].set_char(char::from(b'a' + (seed % 26) as u8)).set_style(style);
        }
    }
    buffer
}

#[test]
fn a_pan_and_a_scroll_cost_what_they_uncover() {
    let moving = Rect { x: 8, y: 1, width: SIZE.0 - 8, height: 10 };
    let mut screen = Screen::new(Depth::True);
    let first = dense();
    let whole = screen.show(&first, moving);
    assert_eq!(screen.show(&first, moving), 0, "nothing changed");
    let pan = screen.show(&moved(&first, moving, 4, 0), moving);
    assert!(pan * 3 < whole, "{pan} of {whole}");
    screen.show(&first, moving);
    let scroll = screen.show(&moved(&first, moving, 0, 2), moving);
    assert!(scroll * 8 < whole, "{scroll} of {whole}");
}

#[test]
fn sixteen_colours_are_short_and_without_colours_there_are_none() {
    let mut buffer = Buffer::empty(AREA);
    buffer[(0, 0)].set_char('x').set_style(Style::new().fg(Color::Red).bg(Color::LightCyan));
    let mut encoder = Encoder::new(Depth::Ansi16, SIZE);
    assert_eq!(encoder.frame(&buffer, Rect::ZERO), "\x1b[1H\x1b[31;106mx\x1b[m");
    let mut encoder = Encoder::new(Depth::Mono, SIZE);
    assert_eq!(encoder.frame(&buffer, Rect::ZERO), "\x1b[1Hx");
}

#[test]
fn control_characters_are_shown_as_question_marks() {
    for symbol in ["\x1b[2J", "\u{9b}", "\t"] {
        let mut buffer = Buffer::empty(AREA);
        buffer[(3, 3)].set_symbol(symbol);
        assert_eq!(Encoder::new(Depth::True, SIZE).frame(&buffer, Rect::ZERO), "\x1b[4;4H?", "{symbol:?}");
    }
}
