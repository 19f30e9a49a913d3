//! Draws the lower part of the screen: the pane that is shown, below the line of tabs.

use crate::app::input::bindings;
use crate::app::pane::details::{DetailLine, Tone};
use crate::app::pane::table_pane::{Half, ScopeChoice, TablePane};
use crate::app::view::geometry::{Area, Geometry};
use crate::app::{Pane, Region, State};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::VIEWS;
use proftui_insight::analysis::views::verdict;

use super::paint::Painter;
use super::theme::{Detail, Token};
use super::{chart, findings, table, tabs};

/// The most columns of the labels in the Details pane.
const LABELS: u16 = 18;
/// The fewest columns for a value that is cut while its note stays whole.
const VALUE: usize = 12;
/// The most columns that the name of the lanes that summaries cover, such as a device, takes in the tab line.
const GROUP: usize = 24;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    // Over a slow link a snapshot is soon replaced.
    let is_early = painter.theme.detail > Detail::Full && state.source.is_snapshot();
    let is_drawn = geometry.pane.height > 0 && !is_early;
    let hidden = if is_drawn { draw_pane(state, geometry.pane, painter) } else { 0 };
    let facts = facts(state, hidden, geometry, painter.theme.utf8);
    tabs::draw(state, geometry.tabs, &facts, painter);
}

/// Draws the pane that is shown; returns how many columns of its table had no room, 0 if it has no table.
fn draw_pane(state: &State, area: Area, painter: &mut Painter<'_>) -> usize {
    match (state.panes.shown(), state.table()) {
        (Pane::Table(_) | Pane::Found, Some(pane)) => return draw_summary(state, pane, area, painter),
        (Pane::Table(_) | Pane::Found, None) => {
            let Area { x, y, width, .. } = area;
            let work = state.pending_work().unwrap_or_default();
            painter.str(x + 1, y, width, work, painter.theme.text(Token::Dim));
        }
        (Pane::Details, _) => draw_details(state, area, painter),
    }
    0
}

/// Draws a summary's table, a chart of it, or two of these beside each other. Returns how many columns of the
/// table had no room.
fn draw_summary(state: &State, pane: &TablePane, area: Area, painter: &mut Painter<'_>) -> usize {
    let (left, right) = pane.halves(area.width);
    let mut draw = |half: Half<'_>, pane: &TablePane, area: Area| match half {
        Half::Table if pane.table.view == verdict::VIEW && !pane.table.rows.is_empty() => {
            findings::draw(state, pane, area, painter);
            0
        }
        Half::Table => table::draw(state, pane, area, painter),
        Half::Chart(chart) => {
            chart::draw(state, pane, chart, area, painter);
            0
        }
    };
    let Some(right) = right else { return draw(left, pane, area) };
    let width = area.width / 2;
    let hidden = draw(left, pane, Area { width, ..area });
    let x = area.x + width + 1;
    // Each of two charts has its own order.
    let ordered = match right {
        Half::Chart(chart) => pane.in_order_of(chart),
        Half::Table => None,
    };
    hidden + draw(right, ordered.as_ref().unwrap_or(pane), Area { x, width: area.width - width - 1, ..area })
}

/// The facts at the end of the tab line, such as the focused row, each with its importance.
fn facts(state: &State, hidden: usize, geometry: &Geometry, utf8: bool) -> Vec<(u8, String)> {
    let Some(pane) = state.table() else {
        let lines = state.selected.details().lines.len();
        let is_long = lines > geometry.pane.height as usize;
        let line = is_long.then(|| (1, format!("line {} of {lines}", state.selected.line() + 1)));
        return line.into_iter().collect();
    };
    let grouping = match (state.panes.shown(), pane.grouping) {
        (Pane::Table(view), Some(at)) if !VIEWS[view].starts_grouped => {
            VIEWS[view].groupings.get(at).map(|grouping| grouping.title)
        }
        _ => None,
    };
    let more = (hidden > 0).then(|| {
        let next = state.keys.label_in(bindings::NEXT_COLUMNS, utf8);
        match state.panes.region() {
            Region::Pane => format!("+{hidden} {next}"),
            Region::Timeline => {
                format!("+{hidden} {} {next}", state.keys.label_in(bindings::FOCUS_PANE, utf8))
            }
        }
    });
    // Where keys act on the pane, and nothing is being made.
    let is_asked = state.panes.region() == Region::Pane && state.pending_work().is_none();
    // A search says itself what it covers.
    let is_summary = state.panes.shown() != Pane::Found;
    let lanes = state.summaries.group_choice().title(&state.session.trace).filter(|_| is_summary);
    let time = state.summaries.scope_choice();
    let is_whole = time == ScopeChoice::Whole;
    let (shown, all) = (state.timeline.viewport(), state.session.trace.main_span);
    let is_part = shown.start > all.start || shown.end < all.end;
    let of_all = (is_summary && is_whole && is_part).then(|| time.title().to_owned());
    let time = (is_summary && !is_whole).then(|| time.title().to_owned());
    let row = format!("row {} of {}", (pane.line + 1).min(pane.rows.len()), pane.rows.len());
    let facts = [
        (6, state.pending_work().map(str::to_owned)),
        (3, grouping.map(str::to_owned)),
        (tabs::NEEDED, lanes.map(|title| title.elide_middle(GROUP).to_string())),
        // Without their unit the numbers of the pane say nothing.
        (7, state.looks.unit().map(|unit| format!("times in {}", unit.symbol()))),
        (tabs::NEEDED, time),
        // More than the screen shows.
        (4, of_all),
        (1, Some(row).filter(|_| pane.flame_shown().is_none())),
        (2, (!pane.rows.choice.filter.is_empty()).then(|| "filtered".to_owned())),
        (if is_asked { tabs::NEEDED } else { 0 }, more),
    ];
    facts.into_iter().filter_map(|(importance, fact)| Some((importance, fact?))).collect()
}

fn draw_details(state: &State, area: Area, painter: &mut Painter<'_>) {
    let lines = &state.selected.details().lines;
    if lines.is_empty() {
        let (next, help) = (state.keys.label(bindings::NEXT_EVENT), state.keys.label(bindings::HELP));
        let text =
            format!("nothing is selected; on a row of events, {next} selects the next; {help} lists keys");
        let text = SafeText::new(&text);
        let lines = text.wrap_at_spaces(usize::from(area.width.saturating_sub(2)));
        for (y, line) in (area.y..area.y + area.height).zip(lines) {
            painter.text(area.x + 1, y, area.width, &line, painter.theme.text(Token::Dim));
        }
        return;
    }
    let is_focused = state.panes.region() == Region::Pane;
    let focus = state.selected.line().min(lines.len() - 1);
    // The focused line is shown in full; above it are as many lines as fit.
    let rows = |number: usize| rows_of(&lines[number], is_focused && number == focus, area).len().max(1);
    let mut top = focus;
    let mut room = (area.height as usize).saturating_sub(rows(focus));
    while top > 0 && rows(top - 1) <= room {
        top -= 1;
        room -= rows(top);
    }
    let bottom = area.y + area.height;
    let mut y = area.y;
    for (number, line) in lines.iter().enumerate().skip(top) {
        if y >= bottom {
            break;
        }
        let is_here = is_focused && number == focus;
        let parts = rows_of(line, is_here, area);
        let height = saturate::<u16>(parts.len().max(1)).min(bottom - y);
        draw_detail(line, &parts, is_here, Area { y, height, ..area }, painter);
        y += height;
    }
}

/// The column, from the area's left, at which a line's value begins.
fn indent(line: &DetailLine, area: Area) -> u16 {
    match line.tone {
        Tone::Title | Tone::Heading => 1,
        Tone::Link => 3 + LABELS.min(area.width / 3),
        Tone::Plain | Tone::Warning => 1 + LABELS.min(area.width / 3),
    }
}

/// Splits a line of the details, its value and its note, into lines of the screen, and cuts what does not
/// fit. A line gets as many as the area has if `is_focused`, else one, a title two.
fn rows_of(line: &DetailLine, is_focused: bool, area: Area) -> Vec<SafeText<'static>> {
    let room = area.width.saturating_sub(indent(line, area)).max(1) as usize;
    let most = match line.tone {
        _ if is_focused => usize::from(area.height.max(1)),
        Tone::Title => 2,
        _ => 1,
    };
    let text = line.text();
    // One part more than is shown, to see whether the value is cut; a value may be far longer than the
    // screen.
    let mut parts: Vec<SafeText<'_>> = text.wrap(room).take(most + 1).collect();
    if parts.len() > most {
        // All lines but the last are complete; the last one is cut in the middle.
        let shown: usize = parts.iter().take(most - 1).map(|part| part.as_str().len()).sum();
        let for_value = room.saturating_sub(line.note.width());
        let cut = match line.value.as_str().get(shown..) {
            Some(value) if for_value >= VALUE => {
                SafeText::from(format!("{}{}", SafeText::new(value).elide_middle(for_value), line.note))
            }
            _ => SafeText::new(&text.as_str()[shown..]).elide_middle(room).into_owned(),
        };
        parts.truncate(most - 1);
        parts.push(cut);
    }
    parts.into_iter().map(SafeText::into_owned).collect()
}

fn draw_detail(
    line: &DetailLine,
    parts: &[SafeText<'_>],
    is_focused: bool,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let theme = painter.theme;
    let style = match line.tone {
        Tone::Title | Tone::Heading => theme.text(Token::Title),
        Tone::Plain => theme.text(Token::Text),
        Tone::Link => theme.text(Token::Link),
        Tone::Warning => theme.text(Token::Warn),
    };
    let x = area.x + indent(line, area);
    if !matches!(line.tone, Tone::Title | Tone::Heading) {
        let labels = LABELS.min(area.width / 3);
        let dim = theme.text(Token::Dim);
        painter.text(
            area.x + 1,
            area.y,
            labels,
            &line.label.elide_end(labels.saturating_sub(1) as usize),
            dim,
        );
    }
    if line.tone == Tone::Link {
        painter.glyph(x - 2, area.y, '→', style);
    }
    let room = area.width.saturating_sub(x);
    for (y, part) in (area.y..area.y + area.height).zip(parts) {
        painter.text(x, y, room, part, style);
    }
    if is_focused {
        painter.style(area, theme.chosen());
    }
}
