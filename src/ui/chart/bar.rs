//! A bar divided into parts, to an eighth of a cell where colours distinguish the parts, and its legend.
//!
//! A number identifies each part in the bar and in the legend, so that a chart can be read without colours.

use ratatui::style::Style;

use crate::app::view::geometry::Area;
use crate::ui::paint::{LEFT, Painter};
use crate::ui::theme::{Theme, Token};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::table::chart::Tint;

/// The colours of parts with [`Tint::Nth`], which repeat after the last.
const PALETTE: [Token; 10] = [
    Token::Operator,
    Token::Copy,
    Token::Backward,
    Token::Communication,
    Token::Kernel,
    Token::Python,
    Token::Dataloader,
    Token::User,
    Token::Forward,
    Token::Memory,
];
/// The fewest columns in which a part's name is written in a bar.
const NAME: u16 = 4;

/// One part of a bar.
pub(super) struct Part {
    /// The part's number in the bar's labels and in the legend, from 1; it may be 0 in a bar without labels.
    pub number: usize,
    pub name: SafeText<'static>,
    /// The part's share of the bar's whole width, where 1 is all of it.
    pub size: f64,
    pub tint: Tint,
}

fn token(tint: Tint) -> Token {
    match tint {
        Tint::Category(category) => Token::of(category),
        Tint::Nth(n) => PALETTE[n % PALETTE.len()],
        Tint::Remainder => Token::Other,
        Tint::Idle => Token::Dim,
    }
}

impl Part {
    /// The style of a cell that the part fills.
    fn block(&self, theme: &Theme) -> Style {
        match self.tint {
            Tint::Idle => theme.text(Token::Dim),
            _ => theme.block(token(self.tint), false),
        }
    }

    /// The character of a cell that the part fills: a line for idle time, else a blank.
    fn fill(&self) -> char {
        if self.tint == Tint::Idle { '─' } else { ' ' }
    }

    /// The part's number and, if there is room, its name, in at most `room` columns. None if the number,
    /// usually with a blank beside it, does not fit.
    fn label(&self, room: u16, has_colors: bool) -> Option<SafeText<'static>> {
        let number = self.number.to_string();
        let digits = saturate::<u16>(number.len());
        if room >= digits + 1 + NAME {
            let name = self.name.elide_middle(usize::from(room - digits - 1));
            return Some(SafeText::from(format!("{number} {}", name.as_str())));
        }
        (room > digits || room == 1 && digits == 1 && has_colors).then(|| SafeText::from(number))
    }
}

/// The end of each part of a bar of `width` columns, in eighths of cells from the bar's start.
fn ends(parts: &[Part], width: u16) -> Vec<usize> {
    let whole = usize::from(width) * 8;
    let mut sum = 0.0;
    let end = |part: &Part| {
        sum += part.size;
        let end = saturate::<usize>((sum * whole as f64).round().clamp(0.0, whole as f64));
        if sum > 0.0 { end.max(1) } else { 0 }
    };
    parts.iter().map(end).collect()
}

/// Draws the parts side by side in `area`'s first line, with their labels if `has_labels`, as far as these
/// fit.
pub(super) fn draw(parts: &[Part], has_labels: bool, area: Area, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let ends = ends(parts, area.width);
    let is_fine = theme.utf8 && theme.has_colors();
    // The cells that each part fills.
    let mut filled: Vec<Option<(u16, u16)>> = vec![None; parts.len()];
    let mut left = 0;
    for x in 0..area.width {
        let (from, to) = (usize::from(x) * 8, usize::from(x) * 8 + 8);
        let after = |at: usize, eighth: usize| (at..parts.len()).find(|&i| ends[i] > eighth);
        let Some(first) = after(left, from) else { break };
        left = first;
        let next = if ends[first] < to { after(first + 1, ends[first]) } else { None };
        let eighths = ends[first].min(to) - from;
        let owner = match next {
            Some(next) if !is_fine && eighths < 4 => next,
            None | Some(_) => first,
        };
        let part = &parts[owner];
        if eighths == 8 || part.tint == Tint::Idle || next.is_some() && !is_fine {
            painter.glyph(area.x + x, area.y, part.fill(), part.block(theme));
            let start = filled[owner].map_or(x, |(start, _)| start);
            filled[owner] = Some((start, x + 1));
        } else {
            // The part that ends in the cell is the block, the part that begins in the cell is the
            // background.
            let behind = next.map(|next| parts[next].block(theme)).and_then(|block| block.bg);
            let style = theme.partial(token(part.tint), false);
            let style = behind.map_or(style, |color| style.bg(color));
            painter.glyph(area.x + x, area.y, LEFT[eighths], style);
        }
    }
    for (part, (from, to)) in parts.iter().zip(filled).filter_map(|(part, cells)| Some((part, cells?))) {
        if let Some(label) = part.label(to - from, theme.has_colors()).filter(|_| has_labels) {
            painter.text(area.x + from, area.y, to - from, &label, part.block(theme));
        }
    }
}

/// Draws a legend: the title and, as far as there is room, the number and name of each part, with the parts'
/// texts if all may fit. Returns the number of lines used.
pub(super) fn legend(
    title: &SafeText<'_>,
    parts: &[(Part, String)],
    area: Area,
    painter: &mut Painter<'_>,
) -> u16 {
    let theme = painter.theme;
    let (dim, plain) = (theme.text(Token::Dim), theme.text(Token::Text));
    let title = title.elide_middle(usize::from(area.width / 3));
    let full = |(part, text): &(Part, String)| SafeText::from(format!("{} {text}", part.name.as_str()));
    let short = |(part, _): &(Part, String)| part.name.clone();
    let number = |part: &Part| part.number.to_string();
    let width = |part: &Part, text: &SafeText<'_>| saturate::<u16>(number(part).len() + 1 + text.width() + 2);
    let all = |text: &dyn Fn(&(Part, String)) -> SafeText<'static>| {
        parts.iter().map(|part| usize::from(width(&part.0, &text(part)))).sum::<usize>() + title.width()
    };
    let text: &dyn Fn(&(Part, String)) -> SafeText<'static> =
        if all(&full) > usize::from(area.width) * usize::from(area.height) { &short } else { &full };
    let right = area.x + area.width;
    let (mut x, mut y) = (painter.text(area.x, area.y, area.width, &title, dim) + 2, area.y);
    for part in parts {
        let (text, part) = (text(part), &part.0);
        if x + width(part, &text) > right + 2 {
            if y + 1 == area.y + area.height {
                painter.glyph(x.min(right) - 1, y, '…', dim);
                break;
            }
            (x, y) = (area.x, y + 1);
        }
        x = painter.str(x, y, right.saturating_sub(x), &number(part), part.block(theme)) + 1;
        x = painter.text(x, y, right.saturating_sub(x), &text, plain) + 2;
    }
    y + 1 - area.y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Background, Depth};
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    fn part(number: usize, size: f64, tint: Tint) -> Part {
        Part { number, name: SafeText::from("part".to_owned()), size, tint }
    }

    /// Draws the parts as a bar of ten cells; returns the text of the cells.
    fn drawn(parts: &[Part], depth: Depth) -> String {
        let area = Rect::new(0, 0, 10, 1);
        let mut buffer = Buffer::empty(area);
        let theme = Theme::new(depth, Background::Dark, true);
        let mut painter = Painter::new(&mut buffer, area, &theme);
        draw(parts, true, Area { x: 0, y: 0, width: 10, height: 1 }, &mut painter);
        buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn parts_end_where_they_end() {
        let parts = [part(1, 0.25, Tint::Nth(0)), part(2, 0.5, Tint::Idle), part(3, 0.2, Tint::Remainder)];
        assert_eq!(drawn(&parts, Depth::True), "1 ▌2────3▌", "a cell of two parts shows where one ends");
        assert_eq!(ends(&parts, 10), [20, 60, 76]);
    }

    #[test]
    fn without_colours_a_cell_belongs_to_one_part() {
        let parts = [part(1, 0.26, Tint::Nth(0)), part(2, 0.04, Tint::Nth(1)), part(3, 0.4, Tint::Idle)];
        assert_eq!(drawn(&parts, Depth::Mono), "1  3───   ", "the one that has more of it");
    }

    #[test]
    fn a_little_is_never_nothing_and_nothing_never_a_little() {
        assert_eq!(drawn(&[part(1, 1e-9, Tint::Remainder)], Depth::True).trim_end(), "▏");
        assert_eq!(drawn(&[part(1, 0.0, Tint::Remainder)], Depth::True).trim_end(), "");
        assert_eq!(ends(&[part(1, 7.0, Tint::Remainder)], 10), [80], "no more than all");
    }
}
