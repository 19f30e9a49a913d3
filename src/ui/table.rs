//! Draws a summary's table in aligned columns: the focused row marked, nested rows indented, notes last.

use crate::app::pane::clicks::{Click, Clicks};
use crate::app::pane::table_pane::TablePane;
use crate::app::view::geometry::Area;
use proftui_base::fmt::TimeUnit;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::views::verdict;
use proftui_insight::analysis::{ColumnKind, Value};
use proftui_insight::report::text::{self, Page};

use crate::app::{Region, State};

use super::paint::Painter;
use super::theme::Token;

/// The width of a full bar beside a row, in columns.
const BAR: u16 = 8;

/// One row of the table as it is drawn.
struct Line {
    /// The index of the line in the pane.
    number: usize,
    indent: usize,
    /// True if the row's children are shown; none for a row without children.
    fold: Option<bool>,
    cells: Vec<SafeText<'static>>,
    /// The whole name, if the first cell shows a short one.
    name: Option<SafeText<'static>>,
    /// The length of the row's bar, 0 to 1; none for a row without a bar.
    bar: Option<f64>,
}

/// Draws the summary's table, scrolled to the focused line. Returns how many columns had no room.
/// Of so many rows of a pane, one is for each text of the focused row that is written in full.
const FULL: u16 = 4;

pub(super) fn draw(state: &State, pane: &TablePane, area: Area, painter: &mut Painter<'_>) -> usize {
    let (unit, is_focused) = (state.looks.unit(), state.panes.region() == Region::Pane);
    let area = headline(pane, area, painter);
    if area.height == 0 {
        return 0;
    }
    // The notes of a table without rows say what would fill it; the columns' titles say nothing then.
    if pane.table.rows.is_empty() {
        notes(pane, 0, area, area.y + area.height, painter);
        return 0;
    }
    let height = area.height.saturating_sub(1) as usize;
    // Lines below the focused row, for its texts that do not fit their columns.
    let top = pane.line.saturating_sub(height.saturating_sub(if is_focused { 3 } else { 1 }));
    // Only visible rows decide the widths of columns: a table may have millions of rows.
    let lines: Vec<Line> =
        (top..pane.rows.len()).take(height).filter_map(|line| self::line(pane, line, unit)).collect();
    let mark = |at: usize| usize::from(pane.rows.order.is_some_and(|order| order.0 == at));
    let titles = pane.table.columns.iter().enumerate();
    let mut widths: Vec<usize> = titles.map(|(at, column)| column.title.chars().count() + mark(at)).collect();
    for line in &lines {
        for (i, (cell, width)) in line.cells.iter().zip(&mut widths).enumerate() {
            *width = (*width).max(cell.width() + if i == 0 { line.indent + 2 } else { 0 });
        }
    }
    let bar = if pane.rows.bars.is_some() { usize::from(BAR) + 2 } else { 0 };
    let ordered = pane.rows.order.map(|(column, _)| column);
    let room = usize::from(area.width).saturating_sub(bar + 2);
    let mut pages = text::pages(&widths, &pane.table, room, ordered);
    let page = pages.swap_remove(pane.page.rem_euclid(saturate::<isize>(pages.len().max(1))) as usize);
    heading(pane, &page, &state.clicks, area, painter);
    let mut y = area.y + 1;
    let bottom = area.y + area.height;
    for (number, line) in (top..).zip(&lines) {
        if y >= bottom {
            break;
        }
        let is_here = is_focused && number == pane.line;
        let cut = row(pane, line, &page, Area { y, height: 1, ..area }, painter);
        state.clicks.note(Area { y, height: 1, ..area }, Click::Line(number));
        let from = y;
        y += 1;
        // Below the focused row: in full, its texts that were cut.
        for text in cut.iter().filter(|_| is_here) {
            let most = usize::from(bottom - y).min(usize::from(area.height / FULL).max(1));
            for part in text.wrap_within(area.width.saturating_sub(4) as usize, most) {
                painter.text(
                    area.x + 3,
                    y,
                    area.width.saturating_sub(4),
                    &part,
                    painter.theme.text(Token::Dim),
                );
                y += 1;
            }
        }
        if is_here {
            painter.style(Area { y: from, height: y - from, ..area }, painter.theme.chosen());
        }
    }
    notes(pane, top.saturating_sub(pane.rows.len()), Area { y, ..area }, area.y + area.height, painter);
    pane.table.columns.len() - page.columns.len()
}

/// Draws the table's headline, the sentence above the rows; returns the rest of the area.
fn headline(pane: &TablePane, area: Area, painter: &mut Painter<'_>) -> Area {
    // The verdict stands above the timeline.
    if pane.table.view == verdict::VIEW {
        return area;
    }
    let width = area.width.saturating_sub(2);
    let most = usize::from(area.height.saturating_sub(3).max(1));
    let style = painter.theme.text(Token::Warn);
    let mut y = area.y;
    for part in SafeText::new(&pane.table.headline).wrap_within(usize::from(width), most) {
        painter.text(area.x + 1, y, width, &part, style);
        y += 1;
    }
    Area { y, height: (area.y + area.height).saturating_sub(y), ..area }
}

fn line(pane: &TablePane, line: usize, unit: Option<TimeUnit>) -> Option<Line> {
    let row = pane.row(line)?;
    let finding = pane.finding(line).filter(|number| *number <= 9);
    let mut cells: Vec<_> = row.cells.iter().map(|cell| text::value_in(cell, unit)).collect();
    let mut name = None;
    if let (Some(first), Some(Value::Text(whole))) = (cells.first_mut(), row.cells.first()) {
        name = Some(whole.clone()).filter(|whole| pane.shown(0, whole) != whole);
        *first = pane.shown(0, whole).clone();
    }
    if let (Some(number), Some(title)) = (finding, cells.first_mut()) {
        *title = SafeText::from(format!("!{number} {title}"));
    }
    Some(Line {
        number: line,
        indent: 2 * pane.rows.depth(line),
        fold: (!row.children.is_empty()).then(|| pane.is_open(line)),
        cells,
        name,
        bar: pane.rows.bars.and_then(|bars| bars.share(row)),
    })
}

fn heading(pane: &TablePane, page: &Page, clicks: &Clicks, area: Area, painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Title);
    let mut x = area.x + 1;
    for &i in &page.columns {
        let column = &pane.table.columns[i];
        let mark = match pane.rows.order {
            Some((at, is_ascending)) if at == i => {
                if is_ascending {
                    "▴"
                } else {
                    "▾"
                }
            }
            _ => "",
        };
        let mark = if painter.theme.utf8 {
            mark
        } else if mark.is_empty() {
            ""
        } else {
            "*"
        };
        let title = format!("{}{mark}", column.title);
        let width = page.widths[i];
        let indent =
            if column.kind == ColumnKind::Text { 0 } else { width.saturating_sub(title.chars().count()) };
        let at = x + saturate::<u16>(indent);
        painter.str(at, area.y, (area.x + area.width).saturating_sub(at), &title, style);
        clicks.note(Area { x, width: saturate::<u16>(width), height: 1, ..area }, Click::Column(i));
        x += saturate::<u16>(width) + 2;
    }
    if let Some(bars) = pane.rows.bars.filter(|bars| !page.columns.contains(&bars.column)) {
        let column = SafeText::new(&pane.table.columns[bars.column].title);
        let room = BAR.min((area.x + area.width).saturating_sub(x));
        painter.text(x, area.y, room, &column.elide_end(usize::from(room)), painter.theme.text(Token::Link));
    }
}

/// Draws the cells of one row that are on the page; returns in full the texts that were cut, and the name if
/// a short one is drawn.
fn row<'a>(
    pane: &TablePane,
    line: &'a Line,
    page: &Page,
    area: Area,
    painter: &mut Painter<'_>,
) -> Vec<&'a SafeText<'static>> {
    // A short name in full below the row is the whole name.
    let mut cut: Vec<&SafeText<'static>> = line.name.iter().collect();
    let theme = painter.theme;
    let style = theme.text(if line.indent > 0 { Token::Dim } else { Token::Text });
    let mut x = area.x + 1;
    for &i in &page.columns {
        let mut left = x;
        let mut width = page.widths[i];
        if i == 0 {
            left += saturate::<u16>(line.indent);
            if let Some(is_open) = line.fold {
                let sign = match (theme.utf8, is_open) {
                    (true, true) => '▾',
                    (true, false) => '▸',
                    (false, true) => '-',
                    (false, false) => '+',
                };
                painter.glyph(left, area.y, sign, theme.text(Token::Dim));
            }
            left += 2;
            width = width.saturating_sub(line.indent + 2);
        }
        let cell = &line.cells[i];
        let shortened = (cell.width() > width).then(|| pane.shortened(line.number, i, width));
        let cell = shortened.as_ref().map_or(cell.borrowed(), |shortened| shortened.of(cell));
        if shortened.is_some() && (i > 0 || line.name.is_none()) {
            cut.push(&line.cells[i]);
        }
        if pane.table.columns[i].kind != ColumnKind::Text {
            left += saturate::<u16>(width - cell.width().min(width));
        }
        painter.text(left, area.y, (area.x + area.width).saturating_sub(left), &cell, style);
        x += saturate::<u16>(page.widths[i]) + 2;
    }
    if let Some(share) = line.bar {
        let eighths = saturate::<u16>((share.clamp(0.0, 1.0) * f64::from(BAR * 8)).round());
        for cell in 0..eighths.div_ceil(8) {
            let part = (eighths - cell * 8).min(8);
            if x + cell < area.x + area.width {
                painter.glyph(x + cell, area.y, bar_glyph(part, theme.utf8), theme.text(Token::Link));
            }
        }
    }
    cut
}

fn bar_glyph(eighths: u16, utf8: bool) -> char {
    if !utf8 {
        return '#';
    }
    ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'][usize::from(eighths.clamp(1, 8) - 1)]
}

/// Draws a remark on the table, if it needs one, and usually the table's notes from index `from` on, above
/// the line `bottom`.
pub(super) fn notes(pane: &TablePane, from: usize, area: Area, bottom: u16, painter: &mut Painter<'_>) {
    let mut y = area.y;
    let has_rows = !pane.table.rows.is_empty();
    let remark = match (pane.rows.is_empty(), pane.rows.choice.filter.is_empty(), pane.is_snapshot) {
        (true, _, true) if !has_rows => Some("reading …: nothing that belongs here is read so far"),
        (true, false, _) if has_rows => Some("(no matching rows)"),
        (true, ..) if pane.table.notes.is_empty() => Some("(no rows)"),
        (false, _, true) => Some("reading …: this is about the part that is read so far"),
        _ => None,
    };
    // What an empty table says about the trace is not known before all of it is read.
    let is_known = !(pane.is_snapshot && pane.table.rows.is_empty());
    let notes = pane.table.notes.iter().skip(from).filter(|_| is_known);
    for note in remark.into_iter().chain(notes.map(String::as_str)) {
        for part in SafeText::new(note).wrap_at_spaces(area.width.saturating_sub(2) as usize) {
            if y >= bottom {
                return;
            }
            painter.text(area.x + 1, y, area.width.saturating_sub(1), &part, painter.theme.text(Token::Dim));
            y += 1;
        }
    }
}
