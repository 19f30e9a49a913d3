//! Draws one row of slices: a cell shows how busy its time range was (height) and the slice that took most of
//! it (colour).
//!
//! A slice shorter than a cell's time range does not fill the cell if most of that time was idle; a gap wider
//! than a cell is always visible. `name` shortens the names of slices.

mod name;

use std::ops::Range;
use std::rc::Rc;

use ratatui::style::{Modifier, Style};

use crate::app::State;
use crate::app::finding::search::Others;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_trace::index::Cell;
use proftui_trace::model::{RowId, SliceId};

use name::Label;

use super::color;
use super::paint::{EIGHTHS, LEFT, Painter};
use super::theme::{Detail, Token};

/// Converts a share, 0 to 1, to eighths of a cell: 0 only for 0, 8 only for what rounds to 100 %.
pub(super) fn eighths(share: f32) -> usize {
    eighths_of(share, 1)
}

/// Converts a share, 0 to 1, to eighths of a cell's height for a strip of so many rows: 0 only for 0, all
/// only for what rounds to 100 %.
pub(super) fn eighths_of(share: f32, rows: u16) -> usize {
    let full = 8 * i32::from(rows);
    // Without branches, which would often be mispredicted.
    let nearest = saturate::<i32>(share * full as f32 + 0.5).clamp(1, full - 1);
    let is_full = i32::from(share >= 0.995);
    let eighths = (nearest + is_full * (full - nearest)) * i32::from(share > 0.0);
    saturate::<usize>(eighths)
}

/// How many columns at either edge of a row are kept for the tags of links, and so have no slice's name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reserved {
    pub left: u16,
    pub right: u16,
}

/// The most linked events of one row that [`mark_short`] marks.
const MARKED: usize = 1000;

/// The fewest columns in which a slice's name is written.
const LABEL: usize = 4;

/// Draws one row of slices, or several merged on one line. No slice's name is written into the `reserved`
/// columns.
pub(super) fn draw(state: &State, rows: &[RowId], reserved: Reserved, area: Area, painter: &mut Painter<'_>) {
    let (cells, dimmed) = cells(state, rows, area.width);
    // All at once, before any is drawn: in a large trace each is far from the others in memory, and so they
    // are read side by side.
    let token = |cell: &Cell| (cell.dominant != SliceId::NONE).then(|| color::token(state, cell.dominant));
    let tokens: Vec<Option<Token>> = cells.iter().map(token).collect();
    let mut x = 0;
    while x < cells.len() {
        let cell = cells[x];
        let Some(token) = tokens[x] else {
            x += 1;
            continue;
        };
        let left_is_other = x > 0 && cells[x - 1].dominant != SliceId::NONE;
        let look = Look::of(state, (cell.dominant, token), dimmed[x], painter);
        if cell.count != 1 {
            draw_cell(&cell, &look, (area.x + saturate::<u16>(x), area.y), left_is_other, painter);
            x += 1;
            continue;
        }
        // A run is a series of cells that one slice covers alone.
        let alone = |at: &usize| {
            cells[*at].dominant == cell.dominant && cells[*at].count == 1 && dimmed[*at] == dimmed[x]
        };
        let run = (x..cells.len()).take_while(alone).count();
        let names = (area.x + reserved.left)..(area.x + area.width).saturating_sub(reserved.right);
        let label = Label { rows, at: x..x + run, columns: area.width, within: names };
        let cells = &cells[x..x + run];
        draw_run(state, cells, &look, (area.x + saturate::<u16>(x), area.y), &label, left_is_other, painter);
        x += run;
    }
    rows.iter().for_each(|&row| mark_short(state, row, area, painter));
}

/// The cells of a line of one row, or of several merged, and whether each is dimmed since a search found
/// nothing there.
fn cells(state: &State, rows: &[RowId], columns: u16) -> (Rc<[Cell]>, Vec<bool>) {
    let all = |row: RowId| state.timeline.cells(&state.session, row, columns);
    let Some(search) = state.finding.search().filter(|_| state.finding.others() != Others::Shown) else {
        return (merged(rows, all), vec![false; columns as usize]);
    };
    let found = |row: RowId| {
        let mut cells = vec![Cell::EMPTY; columns as usize];
        search.hits.cells(&state.session.trace, row, state.timeline.viewport(), &mut cells);
        cells.into()
    };
    let mut cells = merged(rows, found).to_vec();
    let is_hit: Vec<bool> = cells.iter().map(|cell| cell.count > 0).collect();
    if state.finding.others() == Others::Dimmed {
        let others = merged(rows, all);
        cells
            .iter_mut()
            .zip(&others[..])
            .filter(|(cell, _)| cell.count == 0)
            .for_each(|(cell, other)| *cell = *other);
    }
    (cells.into(), is_hit.into_iter().map(|is_hit| !is_hit).collect())
}

/// Merges the cells that `of` makes of each row: a cell is that of the row that was busiest there, with the
/// sum of the rows' numbers of slices.
fn merged(rows: &[RowId], of: impl Fn(RowId) -> Rc<[Cell]>) -> Rc<[Cell]> {
    let Some((&first, others)) = rows.split_first() else { return Rc::default() };
    let first = of(first);
    if others.is_empty() {
        return first;
    }
    let mut merged = first.to_vec();
    for &row in others {
        for (cell, other) in merged.iter_mut().zip(&of(row)[..]) {
            let count = cell.count.saturating_add(other.count);
            if other.busy > cell.busy || cell.dominant == SliceId::NONE {
                *cell = *other;
            }
            cell.count = count;
        }
    }
    merged.into()
}

/// Marks the selected event, and events linked to the selected event or gap, in `row` that are shorter than
/// two cells, since another slice may dominate their cell.
fn mark_short(state: &State, row: RowId, area: Area, painter: &mut Painter<'_>) {
    let slices = &state.session.trace.slices;
    let ids = state.session.trace.rows[row].slices();
    let linked = state.selected.details().targets_in(ids).iter().map(|&id| (id, Token::Link));
    let selected = state.selected.slice().filter(|id| ids.contains(*id)).map(|id| (id, Token::Selection));
    for (id, token) in linked.take(MARKED).chain(selected) {
        let cell = (state.timeline.viewport().len() / i64::from(area.width.max(1))).max(1);
        if slices.dur[id] >= 2 * cell {
            continue;
        }
        let Some(column) = viewport::column(state.timeline.viewport(), area.width, slices.start[id]) else {
            continue;
        };
        let here = Area { x: area.x + column, y: area.y, width: 1, height: 1 };
        if painter.is_plain(here.x, here.y) {
            painter.glyph(here.x, here.y, EIGHTHS[1], painter.theme.text(token));
        } else {
            painter.style(here, painter.theme.text(token).add_modifier(Modifier::BOLD));
        }
    }
}

/// Draws with this look a cell of several slices. `left_is_other` is true if the cell at the left shows a
/// slice.
#[inline]
fn draw_cell(cell: &Cell, look: &Look, (x, y): (u16, u16), left_is_other: bool, painter: &mut Painter<'_>) {
    let share = eighths(cell.busy);
    let is_split = share == 8 && left_is_other && !painter.theme.has_shades();
    if is_split {
        painter.glyph(x, y, edge(painter.theme.detail), look.block);
    } else {
        painter.bar(x, y, share, look.block, look.partial);
    }
}

/// The character at the left of a filled cell that parts it from the slice before.
fn edge(detail: Detail) -> char {
    if detail == Detail::Full { '▏' } else { '|' }
}

/// Draws with this look the consecutive cells, from (x, y) on, that one slice covers alone and, if there is
/// room, the slice's name.
fn draw_run(
    state: &State,
    cells: &[Cell],
    look: &Look,
    (x, y): (u16, u16),
    label: &Label<'_>,
    left_is_other: bool,
    painter: &mut Painter<'_>,
) {
    let id = cells[0].dominant;
    let mut full_from = x;
    let mut full_to = x;
    for (i, cell) in cells.iter().enumerate() {
        let at = x + saturate::<u16>(i);
        let is_end = cells.len() > 1 && (i == 0 || i + 1 == cells.len());
        let share = match eighths(cell.busy) {
            share if !is_end || painter.theme.detail == Detail::Full => share,
            share if share < 4 => continue,
            _ => 8,
        };
        let is_edge = is_end && share < 8;
        if share == 8 {
            painter.glyph(at, y, ' ', look.block);
            if full_to != at {
                full_from = at;
            }
            full_to = at + 1;
        } else if is_edge && i == 0 {
            // The slice begins within the cell: its empty left part is drawn in the background's colour.
            painter.glyph(at, y, LEFT[8 - share], look.partial.add_modifier(Modifier::REVERSED));
        } else if is_edge {
            painter.glyph(at, y, LEFT[share], look.partial);
        } else {
            painter.bar(at, y, share, look.block, look.partial);
        }
    }
    let is_split = left_is_other && full_from == x && !painter.theme.has_shades();
    if is_split && full_to > full_from {
        painter.glyph(full_from, y, edge(painter.theme.detail), look.block);
    }
    let (from, to) = (full_from.max(label.within.start), full_to.min(label.within.end));
    if usize::from(to.saturating_sub(from)) >= LABEL {
        let margin = u16::from(is_split && from == full_from);
        write_name(state, id, label, (from + margin..to, y), look.block, painter);
    }
}

/// Writes the slice's name into `columns` of the line `y`, cut if it does not fit; in full detail also its
/// duration if both fit.
fn write_name(
    state: &State,
    id: SliceId,
    label: &Label<'_>,
    (columns, y): (Range<u16>, u16),
    style: Style,
    painter: &mut Painter<'_>,
) {
    let (from, width) = (columns.start, columns.end - columns.start);
    let room = usize::from(width);
    let name = name::of(state, id);
    let took = fmt::duration(state.session.trace.slices.dur[id]);
    let with_time = name.width() + took.chars().count() + 2;
    if with_time <= room && painter.theme.detail == Detail::Full {
        let x = painter.text(from, y, width, &name, style);
        painter.str(x + 1, y, columns.end - x - 1, &took, style.add_modifier(Modifier::DIM));
    } else if let Some(name) = label.cut(state, &name, room) {
        painter.text(from, y, width, &name, style);
    }
}

/// The styles of a slice's cells: `block` for cells that are filled, `partial` for cells filled in part.
struct Look {
    block: Style,
    partial: Style,
}

impl Look {
    /// The look of slice `id`: that of the selected event, or of a linked, dimmed or found event, whichever
    /// applies first; else that of `token`.
    fn of(state: &State, (id, token): (SliceId, Token), is_dimmed: bool, painter: &Painter<'_>) -> Self {
        let theme = painter.theme;
        let is_odd = id.get() % 2 == 1;
        if state.selected.slice() == Some(id) {
            let selected = theme.selected();
            return Self { block: selected, partial: theme.text(Token::Selection) };
        }
        if state.selected.details().is_linked(id) {
            return Self {
                block: theme.block(Token::Link, false).add_modifier(Modifier::BOLD),
                partial: theme.text(Token::Link),
            };
        }
        if is_dimmed {
            return Self { block: theme.block(Token::Frame, is_odd), partial: theme.text(Token::Dim) };
        }
        if state.finding.search().is_some_and(|search| search.has(&state.session.trace, id)) {
            let block = theme.block(Token::Match, is_odd);
            return Self { block, partial: theme.partial(Token::Match, is_odd) };
        }
        Self { block: theme.block(token, is_odd), partial: theme.partial(token, is_odd) }
    }
}

/// Draws the visible part of the selected gap as a line over its blank cells, with the gap's length in the
/// middle if there is room.
pub(super) fn draw_gap(state: &State, gap: proftui_base::time::Span, area: Area, painter: &mut Painter<'_>) {
    let start = gap.start.max(state.timeline.viewport().start);
    let end = (gap.end - 1).min(state.timeline.viewport().end - 1);
    let (Some(from), Some(to)) = (
        viewport::column(state.timeline.viewport(), area.width, start),
        viewport::column(state.timeline.viewport(), area.width, end),
    ) else {
        return;
    };
    let style = painter.theme.text(Token::Cursor);
    for x in from..=to {
        if painter.is_blank(area.x + x, area.y) {
            painter.glyph(area.x + x, area.y, '─', style);
        }
    }
    let label = format!(" {} ", fmt::duration(gap.len()));
    let width = saturate::<u16>(label.chars().count());
    let room = to + 1 - from;
    if width + 2 <= room {
        painter.str(area.x + from + (room - width) / 2, area.y, width, &label, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighths_never_lie() {
        assert_eq!(eighths(0.0), 0);
        assert_eq!(eighths(1e-6), 1, "more than 0 is never drawn as 0");
        for percent in [94, 95, 96, 97, 98, 99] {
            assert_eq!(eighths(percent as f32 / 100.0), 7, "{percent} %: nearly full is not full");
        }
        assert_eq!(eighths(0.5), 4);
        assert_eq!(eighths(1.0), 8);
        assert_eq!([0.0, 1e-6, 0.25, 0.99, 1.0].map(|share| eighths_of(share, 4)), [0, 1, 8, 31, 32]);
    }
}
