//! Draws the idle time of a device: a cell shows how much of its time range the device was idle (height), and
//! the cause of most of that (colour). The name of the cause stands where it has room.
//!
//! Costs O(log n) for each cell. Must not know why a device was idle.

use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use crate::app::{Selection, State};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::sparse::Hint;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::ledger::{Cause, DeviceLedger};
use proftui_trace::index::idle::{Before, Idle};
use proftui_trace::model::GroupId;

use super::paint::Painter;
use super::row::eighths;
use super::theme::Token;

/// With more pieces of idle time per cell than this, on average, the ends of cells may be moved a little,
/// which a screen hardly shows.
const CROWDED_PIECES: usize = 256;
/// The fewest columns in which a cause's name is written.
const LABEL: usize = 4;

/// What a cell on the line of a device's idle time shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    /// The share of the cell's time in which the device was idle, 0 to 1.
    idle: f32,
    /// The cause with the most idle time in the cell; none if the device was not idle there.
    cause: Option<Cause>,
    /// The index of the only piece of idle time in the cell; none if the cell has none or several.
    only: Option<usize>,
}

impl Cell {
    const EMPTY: Self = Self { idle: 0.0, cause: None, only: None };

    /// The cell for the time between two points, from the idle time before each.
    fn between(from: &Before, to: &Before) -> Self {
        let pieces = from.pieces..to.pieces + usize::from(to.is_within);
        if pieces.is_empty() {
            return Self::EMPTY;
        }
        let (mut all, mut most, mut cause) = (0, -1, u8::MAX);
        for (number, ns) in (0..).zip(from.times.iter().zip(&to.times).map(|(from, to)| to - from)) {
            all += ns;
            if ns > most {
                (most, cause) = (ns, number);
            }
        }
        let only = (pieces.len() == 1).then_some(pieces.start);
        let idle = all as f32 / (to.at - from.at).max(1) as f32;
        Self { idle, cause: Some(Cause::from_u8(cause)), only }
    }
}

/// The time ranges of the columns over `view`, each at least 1 ns long.
fn spans(view: Span, columns: u16) -> impl Iterator<Item = Span> {
    (0..columns).map(move |column| {
        let start = viewport::time(view, columns, column);
        Span { start, end: viewport::time(view, columns, column + 1).max(start + 1) }
    })
}

/// The cells of a line of `columns` columns over `view`. Where pieces of idle time are many, the ends of
/// cells may be moved a little.
fn cells(idle: &Idle, view: Span, columns: u16) -> Vec<Cell> {
    let pieces = idle.before(view.end).pieces - idle.before(view.start).pieces;
    let has_many = pieces > CROWDED_PIECES * usize::from(columns);
    let within = if has_many { view.len() / i64::from(columns.max(1)) / 8 } else { 0 };
    let mut hint = Hint::default();
    let mut near = |t: Ns| idle.near(t, within, &mut hint);
    let mut last = (view.start, near(view.start));
    let cell = |span: Span| {
        let from = if last.0 == span.start { last.1 } else { near(span.start) };
        last = (span.end, near(span.end));
        Cell::between(&from, &last.1)
    };
    spans(view, columns).map(cell).collect()
}

/// The cells of the device drawn last, kept for its heading and its line of idle time.
#[derive(Debug, Default)]
pub(super) struct Cells {
    group: Option<GroupId>,
    cells: Vec<Cell>,
}

impl Cells {
    fn of(&mut self, group: GroupId, idle: &Idle, view: Span, columns: u16) -> &[Cell] {
        if self.group != Some(group) {
            *self = Self { group: Some(group), cells: cells(idle, view, columns) };
        }
        &self.cells
    }
}

/// For each of `columns` columns over `view`, the share of its time in which the device had work, 0 to 1.
/// Keeps the device's cells in `cells`.
pub(super) fn busy(
    group: GroupId,
    device: &DeviceLedger,
    view: Span,
    columns: u16,
    cells: &mut Cells,
) -> Vec<f32> {
    let covered = |span: Span| {
        let recorded = &device.run.recorded;
        let from = recorded.partition_point(|time| time.end <= span.start);
        let within = recorded[from..].iter().take_while(|time| time.start < span.end);
        within.map(|time| time.end.min(span.end) - time.start.max(span.start)).sum::<Ns>() as f32
            / span.len() as f32
    };
    let idle = cells.of(group, &device.idle, view, columns);
    spans(view, columns).zip(idle).map(|(span, cell)| (covered(span) - cell.idle).max(0.0)).collect()
}

pub(super) fn draw(state: &State, group: GroupId, cells: &mut Cells, area: Area, painter: &mut Painter<'_>) {
    let Some(DeviceLedger { idle, .. }) = state.session.device(group) else { return };
    let cells = cells.of(group, idle, state.timeline.viewport(), area.width);
    let mut x = 0;
    while x < cells.len() {
        let cell = cells[x];
        let Some(cause) = cell.cause else {
            x += 1;
            continue;
        };
        let same = |other: &&Cell| cell.only.is_some() && other.only == cell.only;
        let run = cells[x..].iter().take_while(same).count().max(1);
        draw_run(idle, cause, &cells[x..x + run], Area { x: area.x + saturate::<u16>(x), ..area }, painter);
        x += run;
    }
    if let Some(Selection::Idle(of, gap)) = state.selected.selection()
        && of == group
    {
        mark(state, gap, area, painter);
    }
}

/// Draws consecutive cells in the colour of `cause` and, if they are of one piece of idle time and have room,
/// the cause's name, also with the piece's length if that fits.
fn draw_run(idle: &Idle, cause: Cause, cells: &[Cell], area: Area, painter: &mut Painter<'_>) {
    let token = Token::of_cause(cause);
    // Two causes next to each other may have one colour.
    let is_odd = cause as u8 % 2 == 1;
    let (block, partial) = (painter.theme.block(token, is_odd), painter.theme.partial(token, is_odd));
    for (x, cell) in (area.x..).zip(cells) {
        painter.bar(x, area.y, eighths(cell.idle), block, partial);
    }
    let full = |cell: &&Cell| eighths(cell.idle) == 8;
    let before = cells.iter().take_while(|cell| !full(cell)).count();
    let room = cells[before..].iter().take_while(full).count();
    let Some(piece) = cells[0].only.filter(|_| room >= LABEL).map(|at| idle.piece(at)) else { return };
    let (title, took) = (SafeText::new(cause.title()), fmt::duration(piece.span.len()));
    let with_time = SafeText::from(format!("{title} {took}"));
    let label = if with_time.width() <= room { with_time } else { title.elide_end(room).into_owned() };
    painter.text(area.x + saturate::<u16>(before), area.y, saturate::<u16>(room), &label, block);
}

/// Gives the cells of the selected gap the colour of the selection; they keep their heights.
fn mark(state: &State, gap: Span, area: Area, painter: &mut Painter<'_>) {
    let last = state.timeline.viewport().end - 1;
    let column = |t: Ns| {
        viewport::column(
            state.timeline.viewport(),
            area.width,
            t.clamp(state.timeline.viewport().start, last),
        )
    };
    if !state.timeline.viewport().overlaps(gap) {
        return;
    }
    let (Some(from), Some(to)) = (column(gap.start), column(gap.end - 1)) else { return };
    for x in area.x + from..=area.x + to {
        let is_full =
            !painter.is_blank(x, area.y) && (painter.is_plain(x, area.y) || painter.has_text(x, area.y));
        let style = if is_full { painter.theme.selected() } else { painter.theme.text(Token::Selection) };
        painter.style(Area { x, width: 1, ..area }, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::index::idle::{IdleBuilder, Piece};

    fn idle(gaps: &[(Ns, Ns, Cause)]) -> Idle {
        let mut builder = IdleBuilder::default();
        for &(start, end, cause) in gaps {
            builder.gap([Piece { span: Span { start, end }, cause: cause as u8 }]);
        }
        builder.finish()
    }

    #[test]
    fn a_cell_is_as_high_as_the_device_was_idle_and_has_the_colour_of_most_of_it() {
        let few =
            idle(&[(0, 10, Cause::DataLoading), (15, 30, Cause::BlockingSync), (90, 200, Cause::Graph)]);
        let view = Span { start: 0, end: 200 };
        let cells = cells(&few, view, 4);
        assert_eq!(cells[0], Cell { idle: 0.5, cause: Some(Cause::BlockingSync), only: None });
        assert_eq!(cells[1], Cell { idle: 0.2, cause: Some(Cause::Graph), only: Some(2) });
        assert_eq!((cells[2].idle, cells[3].idle, cells[3].only), (1.0, 1.0, Some(2)));
        let gaps: Vec<_> = (0..1000).map(|at| (at * 10, at * 10 + 4, Cause::LaunchDelay)).collect();
        let many = idle(&gaps);
        let view = Span { start: 0, end: 10_000 };
        for view in [view, Span { start: 0, end: 50 }] {
            let cell = super::cells(&many, view, 1)[0];
            assert_eq!((cell.idle, cell.cause, cell.only), (0.4, Some(Cause::LaunchDelay), None));
        }
        assert_eq!(super::cells(&many, Span { start: 5, end: 9 }, 1), [Cell::EMPTY]);
    }

    #[test]
    fn a_time_range_of_few_ns_has_no_empty_cells() {
        let all = idle(&[(0, 100, Cause::Compile)]);
        let cells = cells(&all, Span { start: 10, end: 20 }, 80);
        assert!(
            cells.iter().all(|cell| *cell == Cell { idle: 1.0, cause: Some(Cause::Compile), only: Some(0) })
        );
    }
}
