//! Draws the links of the selected event, and of no other, as lines on the timeline.

use crate::app::State;
use crate::app::pane::links::Link;
use crate::app::view::geometry::Area;
use crate::app::view::lines::Line;
use crate::app::view::viewport;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

use super::paint::Painter;
use super::row::Reserved;
use super::theme::Token;

/// The most links that are drawn as lines; more would hide the timeline.
const DRAWN: usize = 12;

pub(super) fn draw(state: &State, tags: &Tags, area: Area, visible: &[usize], painter: &mut Painter<'_>) {
    let Some(id) = state.selected.slice() else { return };
    let trace = &state.session.trace;
    let start = |id: SliceId| trace.slices.start[id];
    let links = state.selected.details().links.iter().filter(|link| on_screen(state, link.target));
    for link in links.take(DRAWN) {
        let is_back = !link.kind.is_forward();
        let (from, to) = if is_back { (link.target, id) } else { (id, link.target) };
        let (Some(from_y), Some(to_y)) =
            (line_of(state, from, area, visible), line_of(state, to, area, visible))
        else {
            continue;
        };
        let column = |t: Ns| {
            viewport::column(
                state.timeline.viewport(),
                area.width,
                t.clamp(state.timeline.viewport().start, state.timeline.viewport().end - 1),
            )
        };
        let (Some(from_x), Some(to_x)) = (column(start(from)), column(start(to))) else { continue };
        draw_link((area.x + from_x, from_y), (area.x + to_x, to_y), painter);
    }
    if let Some(y) = line_of(state, id, area, visible) {
        tags.draw(y, area, painter);
    }
}

fn on_screen(state: &State, id: SliceId) -> bool {
    let span = state.session.trace.slices.span(id);
    state.timeline.viewport().overlaps(span) || state.timeline.viewport().contains(span.start)
}

/// The line of the screen (from 0) that shows the row of slice `id`; none if the row is off the screen.
fn line_of(state: &State, id: SliceId, area: Area, visible: &[usize]) -> Option<u16> {
    let row = state.session.trace.row_of(id);
    let shows = |line: &Line| state.timeline.lines().rows_of(line).contains(&row);
    let at = visible.iter().position(|&line| state.timeline.lines().get(line).is_some_and(shows))?;
    Some(area.y + saturate::<u16>(at))
}

/// Draws a link between different lines of the screen: up or down from its start, then along the line where
/// it ends. Covers only blank cells and vertical lines.
fn draw_link((from_x, from_y): (u16, u16), (to_x, to_y): (u16, u16), painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Link);
    let mut put = |x: u16, y: u16, glyph: char| {
        if painter.is_blank(x, y) || painter.is_cursor(x, y) {
            painter.glyph(x, y, glyph, style);
        }
    };
    for y in from_y.min(to_y) + 1..from_y.max(to_y) {
        put(from_x, y, '│');
    }
    if from_y == to_y {
        return;
    }
    if from_x != to_x {
        put(from_x, to_y, if to_y > from_y { '└' } else { '┌' });
    }
    for x in from_x.min(to_x) + 1..from_x.max(to_x) {
        put(x, to_y, '─');
    }
    if to_x > from_x + 1 {
        put(to_x - 1, to_y, '▶');
    }
}

/// The tags at the edges of the selected event's row, which point to linked events outside the viewport.
#[derive(Debug, Default)]
pub(super) struct Tags {
    left: String,
    right: String,
}

impl Tags {
    /// The tags for a row of `columns` columns; a tag is empty if no linked event is beyond its edge of the
    /// viewport.
    pub(super) fn of(state: &State, columns: u16) -> Self {
        let slices = &state.session.trace.slices;
        let beyond = |is_left: bool| {
            let is_beyond = move |link: &&Link| {
                let span = slices.span(link.target);
                if is_left {
                    span.end <= state.timeline.viewport().start
                } else {
                    span.start >= state.timeline.viewport().end
                }
            };
            let links = state.selected.details().links.iter().filter(is_beyond);
            links.map(|link| (link, slices.start[link.target]))
        };
        let choose = |forms: [String; 3]| {
            let [.., last] = &forms;
            let last = last.clone();
            forms
                .into_iter()
                .find(|form| form.chars().count() <= usize::from(columns) * 2 / 5)
                .unwrap_or(last)
        };
        let right = beyond(false).min_by_key(|&(_, t)| t).map(|(link, t)| {
            let (kind, far) = (link.kind.title(), fmt::duration(t.saturating_sub(state.timeline.cursor())));
            choose([format!(" {kind} {far} ▶"), format!(" {far} ▶"), " ▶".into()])
        });
        let left = beyond(true).max_by_key(|&(_, t)| t).map(|(link, t)| {
            let (kind, far) = (link.kind.title(), fmt::duration(state.timeline.cursor().saturating_sub(t)));
            choose([format!("◀ {far} {kind} "), format!("◀ {far} "), "◀ ".into()])
        });
        Self { left: left.unwrap_or_default(), right: right.unwrap_or_default() }
    }

    /// The columns that the tags take at either edge, in which no slice's name is written.
    pub(super) fn reserved(&self) -> Reserved {
        let columns = |text: &str| saturate::<u16>(text.chars().count());
        Reserved { left: columns(&self.left), right: columns(&self.right) }
    }

    /// Writes the tags into the selected event's row, which is on line `y` of the screen.
    fn draw(&self, y: u16, area: Area, painter: &mut Painter<'_>) {
        let style = painter.theme.text(Token::Link);
        let Reserved { right, .. } = self.reserved();
        painter.str(area.x, y, area.width, &self.left, style);
        painter.str((area.x + area.width).saturating_sub(right).max(area.x), y, right, &self.right, style);
    }
}
