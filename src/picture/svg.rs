//! A screen as an SVG image. Every text has the width of its cells, so that it stays in its columns in any
//! font.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};

use crate::ui::theme::Background;
use proftui_base::saturate::saturate;

use super::blocks::{block, strokes};
use super::cells::{characters, escaped, rows};
use super::palette::{Look, Rgb, defaults, hex};

/// Width and height of a cell, in pixels.
const CELL: (f64, f64) = (8.0, 17.0);
/// The baseline of a cell's text, from the top of the cell, in pixels.
const BASELINE: f64 = 13.0;
/// The space around the cells, in pixels.
const MARGIN: f64 = 8.0;
const FONT: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/// The SVG image of a screen that was drawn for a terminal with this background, with `title` as its title.
pub(super) fn of(buffer: &Buffer, background: Background, title: &str) -> String {
    let (text, paper) = defaults(background);
    let (columns, lines) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let (width, height) = (columns * CELL.0 + 2.0 * MARGIN, lines * CELL.1 + 2.0 * MARGIN);
    let mut shapes = Shapes::default();
    let mut texts = String::new();
    for (row, y) in rows(buffer).zip(0_u16..) {
        line(row, y, background, &mut shapes, &mut texts);
    }
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{}\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n",
        escaped(title),
        hex(paper)
    );
    for ((color, opacity), path) in &shapes.filled {
        let opacity = if *opacity == 100 { String::new() } else { format!(" fill-opacity=\".{opacity}\"") };
        let _ = writeln!(svg, "<path fill=\"{}\"{opacity} d=\"{path}\"/>", hex(*color));
    }
    for ((color, is_thick), path) in &shapes.lines {
        let thickness = if *is_thick { " stroke-width=\"2\"" } else { "" };
        let _ = writeln!(svg, "<path stroke=\"{}\"{thickness} d=\"{path}\"/>", hex(*color));
    }
    let _ = writeln!(
        svg,
        "<g style=\"font:13px {FONT}\" fill=\"{}\" xml:space=\"preserve\">\n{texts}</g>\n</g>\n</svg>",
        hex(text)
    );
    svg
}

/// The shapes of an image as path data: areas by colour and opacity in percent, and lines by colour and true
/// for thick ones.
#[derive(Default)]
struct Shapes {
    filled: BTreeMap<(Rgb, u8), String>,
    lines: BTreeMap<(Rgb, bool), String>,
}

impl Shapes {
    fn fill(&mut self, color: Rgb, opacity: u8, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let path = self.filled.entry((color, opacity)).or_default();
        let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
    }

    fn stroke(&mut self, color: Rgb, is_thick: bool, from: (f64, f64), (right, down): (f64, f64)) {
        let path = self.lines.entry((color, is_thick)).or_default();
        let _ = match (right > 0.0, down > 0.0) {
            (true, _) => write!(path, "M{} {}h{right}", from.0, from.1),
            _ => write!(path, "M{} {}v{down}", from.0, from.1),
        };
    }
}

/// Draws line `y` of the screen: its text into `texts`, backgrounds, blocks and lines of boxes into `shapes`.
fn line(row: &[Cell], y: u16, background: Background, shapes: &mut Shapes, texts: &mut String) {
    let look = |cell: &Cell| Look::of(cell, background);
    let top = f64::from(y) * CELL.1;
    let mut at = 0;
    while at < row.len() {
        let ground = look(&row[at]).ground;
        let end = (at..row.len()).find(|&x| look(&row[x]).ground != ground).unwrap_or(row.len());
        if let Some(ground) = ground {
            shapes.fill(ground, 100, (at as f64 * CELL.0, top), ((end - at) as f64 * CELL.0, CELL.1));
        }
        at = end;
    }
    at = 0;
    while at < row.len() {
        let (symbol, first) = (row[at].symbol(), look(&row[at]));
        let same = |x: &usize| row[*x].symbol() != symbol || look(&row[*x]) != first;
        let left = at as f64 * CELL.0;
        if symbol == " " && !first.is_underlined {
            at += 1;
        } else if let Some(block) = block(symbol) {
            let is_whole = block.width == 8;
            let end = if is_whole { (at..row.len()).find(same).unwrap_or(row.len()) } else { at + 1 };
            let eighths = |size: f64, n: u8| size * f64::from(n) / 8.0;
            let from = (left + eighths(CELL.0, block.x), top + eighths(CELL.1, block.y));
            let width = (end - at - 1) as f64 * CELL.0 + eighths(CELL.0, block.width);
            let cover = saturate::<u8>(block.cover * 100.0);
            shapes.fill(first.ink, cover, from, (width, eighths(CELL.1, block.height)));
            at = end;
        } else if let Some((sides, is_thick)) = strokes(symbol) {
            let is_rule = sides == [true, true, false, false];
            let end = if is_rule { (at..row.len()).find(same).unwrap_or(row.len()) } else { at + 1 };
            let middle = (left + CELL.0 / 2.0, top + CELL.1 / 2.0);
            let width = (end - at) as f64 * CELL.0;
            let [is_left, is_right, is_up, is_down] = sides;
            let mut stroke = |from, by| shapes.stroke(first.ink, is_thick, from, by);
            match (is_left, is_right) {
                (true, true) => stroke((left, middle.1), (width, 0.0)),
                (true, false) => stroke((left, middle.1), (CELL.0 / 2.0, 0.0)),
                (false, true) => stroke(middle, (CELL.0 / 2.0, 0.0)),
                (false, false) => (),
            }
            match (is_up, is_down) {
                (true, true) => stroke((middle.0, top), (0.0, CELL.1)),
                (true, false) => stroke((middle.0, top), (0.0, CELL.1 / 2.0)),
                (false, true) => stroke(middle, (0.0, CELL.1 / 2.0)),
                (false, false) => (),
            }
            at = end;
        } else {
            let end = text_end(row, at, first, background);
            text(&row[at..end], left, top + BASELINE, first, background, texts);
            at = end;
        }
    }
}

/// The column behind the text that begins in column `at` and is drawn as one element: cells in the look
/// `first`, without blocks and lines of boxes; unless underlined, without long blanks or blanks at its end.
fn text_end(row: &[Cell], at: usize, first: Look, background: Background) -> usize {
    let is_text = |x: usize| {
        let symbol = row[x].symbol();
        block(symbol).is_none() && strokes(symbol).is_none()
    };
    let is_blank = |x: usize| row.get(x).is_none_or(|cell| cell.symbol() == " ");
    let mut end = at + 1;
    while end < row.len()
        && is_text(end)
        && Look::of(&row[end], background) == first
        && !(is_blank(end) && is_blank(end + 1) && !first.is_underlined)
    {
        end += 1;
    }
    while end > at + 1 && row[end - 1].symbol() == " " && !first.is_underlined {
        end -= 1;
    }
    end
}

fn text(cells: &[Cell], x: f64, y: f64, look: Look, background: Background, texts: &mut String) {
    let width = cells.len() as f64 * CELL.0;
    let fill = if look.ink == defaults(background).0 {
        String::new()
    } else {
        format!(" fill=\"{}\"", hex(look.ink))
    };
    let weight = if look.is_bold { " font-weight=\"bold\"" } else { "" };
    let line = if look.is_underlined { " text-decoration=\"underline\"" } else { "" };
    let _ = writeln!(
        texts,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{width}\" \
         lengthAdjust=\"spacingAndGlyphs\"{fill}{weight}{line}>{}</text>",
        escaped(&characters(cells))
    );
}
