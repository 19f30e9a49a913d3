//! Draws a flame: one row of cells per depth, each frame as wide as what it weighs, the heaviest at the left,
//! and above them, where there is room, a line on the frame with the focus and one on the flame.
//!
//! The cost grows with the cells of the area: those narrower than half a column are drawn as one.

use crate::app::pane::table_pane::TablePane;
use crate::app::view::geometry::Area;
use crate::app::{Region, State};
use crate::ui::paint::Painter;
use crate::ui::theme::Token;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::flame::{Direction, Flame};
use proftui_insight::analysis::views::flame::amount;
use proftui_insight::report::text;

/// The fewest columns of a frame whose name is written.
const NAME: u16 = 3;

struct Sheet<'a> {
    state: &'a State,
    flame: &'a Flame,
    focus: u32,
    /// The depth of the frames in the first row that is drawn.
    top: u32,
    area: Area,
}

/// Draws the flame, or of it only the zoomed frame and those in it, scrolled to the focused frame; above it,
/// if there is room, lines about that frame and the flame.
pub(super) fn draw(state: &State, pane: &TablePane, flame: &Flame, area: Area, painter: &mut Painter<'_>) {
    let focus = pane.icicle.focus.min(saturate::<u32>(flame.frames.len().saturating_sub(1)));
    let Some(frame) = flame.frames.get(focus as usize) else { return };
    let lines = if area.height > 6 { 2 } else { u16::from(area.height > 1) };
    let heads = [line_of(state, flame, focus), heading(state, pane, flame)];
    for (y, head) in (area.y..area.y + lines).zip(&heads) {
        let token = if y == area.y { Token::Title } else { Token::Dim };
        painter.text(
            area.x,
            y,
            area.width,
            &head.elide_end(usize::from(area.width)),
            painter.theme.text(token),
        );
    }
    let area = Area { y: area.y + lines, height: area.height - lines, ..area };
    let first = pane.icicle.zoom.map_or(0, |zoom| flame.frames[zoom as usize].depth);
    let scrolled = (frame.depth + 1).saturating_sub(u32::from(area.height));
    let sheet = Sheet { state, flame, focus, top: first.max(scrolled), area };
    let whole = (f64::from(area.x), f64::from(area.width));
    match pane.icicle.zoom {
        Some(zoom) => sheet.frame(zoom, whole, false, painter),
        None => sheet.below(None, flame.total, whole, painter),
    }
}

/// The line about frame `at`: its weight and share of the flame's weight, how much of it no frame below has,
/// its calls and its name.
fn line_of(state: &State, flame: &Flame, at: u32) -> SafeText<'static> {
    let frame = &flame.frames[at as usize];
    let shown = |weight| text::value_in(&amount(flame.weight, weight), state.looks.unit()).to_string();
    let share = frame.total as f64 / flame.total.max(1) as f64 * 100.0;
    let (total, own) = (shown(frame.total), shown(frame.own));
    let calls = fmt::counted(frame.calls, "call");
    let name = flame.title(&state.session.trace, frame);
    let own_is = match flame.direction {
        Direction::TopDown => "self",
        Direction::BottomUp => "callers end here",
    };
    SafeText::from(format!("{total}  {share:.1}%  {own_is} {own}  {calls}  {}", name.as_str()))
}

/// The line about the flame: how frames are stacked, in which direction, by which weight, and the whole
/// weight.
fn heading(state: &State, pane: &TablePane, flame: &Flame) -> SafeText<'static> {
    let all = text::value_in(&amount(flame.weight, flame.total), state.looks.unit()).to_string();
    let (stacking, direction) = (flame.stacking.title(), flame.direction.title());
    let so_far = if pane.is_snapshot { "reading …: " } else { "" };
    SafeText::from(format!("{so_far}frames {stacking}, {direction}, by {}: {all}", flame.weight.title()))
}

impl Sheet<'_> {
    /// Draws the frame `at` from column `from` on, `width` columns wide, and the frames in it, as far as they
    /// are in sight. `is_odd` selects the shade of its colour.
    fn frame(&self, at: u32, (from, width): (f64, f64), is_odd: bool, painter: &mut Painter<'_>) {
        let frame = &self.flame.frames[at as usize];
        let (left, right) = (saturate::<u16>(from.round()), saturate::<u16>((from + width).round()));
        let Some(row) = self.row(frame.depth).filter(|_| right > left) else {
            if frame.depth < self.top {
                self.below(Some(at), frame.total, (from, width), painter);
            }
            return;
        };
        let theme = painter.theme;
        let cells = Area { x: left, y: row, width: right - left, height: 1 };
        let style = theme.block(Token::of(frame.category), is_odd);
        for x in left..right {
            painter.glyph(x, row, ' ', style);
        }
        let room = cells.width;
        // Without colours an edge separates neighbours.
        if !theme.has_colors() {
            painter.glyph(left, row, '|', style);
        }
        if room >= NAME {
            let name = self.flame.title(&self.state.session.trace, frame);
            let name = self.state.session.short_names.of_text(&name).unwrap_or(&name);
            painter.text(left + 1, row, room - 1, &name.elide_middle(usize::from(room - 1)), style);
        }
        if at == self.focus && self.state.panes.region() == Region::Pane {
            painter.style(cells, theme.chosen());
        }
        self.below(Some(at), frame.total, (from, width), painter);
    }

    /// Draws the frames in `around`, or the outermost ones if that is `None`, side by side. `width` columns
    /// stand for the weight `total`.
    fn below(
        &self,
        around: Option<u32>,
        total: i64,
        (mut from, width): (f64, f64),
        painter: &mut Painter<'_>,
    ) {
        let scale = width / total.max(1) as f64;
        let (mut is_odd, mut left) = (false, total);
        if let Some(around) = around {
            left -= self.flame.frames[around as usize].own;
            if self.flame.frames[around as usize].depth + 1 >= self.top + u32::from(self.area.height) {
                return;
            }
        }
        for at in self.flame.below(around) {
            let of_frame = self.flame.frames[at as usize].total as f64 * scale;
            if of_frame < 0.5 {
                return self.others(at, (from, left as f64 * scale), painter);
            }
            self.frame(at, (from, of_frame), is_odd, painter);
            from += of_frame;
            left -= self.flame.frames[at as usize].total;
            is_odd = !is_odd;
        }
    }

    /// Draws as one the frame `first` and its later siblings, none heavier, each of which is too narrow on
    /// its own.
    fn others(&self, first: u32, (from, width): (f64, f64), painter: &mut Painter<'_>) {
        let frame = &self.flame.frames[first as usize];
        let Some(row) = self.row(frame.depth) else { return };
        let (left, right) = (saturate::<u16>(from.round()), saturate::<u16>((from + width).round()));
        let end = frame.parent.map_or(saturate::<u32>(self.flame.frames.len()), |parent| {
            self.flame.frames[parent as usize].end
        });
        let is_here = (first..end).contains(&self.focus) && self.state.panes.region() == Region::Pane;
        let right = if is_here { right.max(left + 1).min(self.area.x + self.area.width) } else { right };
        let style = if is_here { painter.theme.chosen() } else { painter.theme.text(Token::Dim) };
        let glyph = if painter.theme.utf8 { '░' } else { '.' };
        for x in left..right {
            painter.glyph(x, row, glyph, style);
        }
    }

    /// The line of the screen on which frames of this depth are; `None` outside of the area.
    fn row(&self, depth: u32) -> Option<u16> {
        let row = u16::try_from(depth.checked_sub(self.top)?).ok().filter(|&row| row < self.area.height)?;
        Some(self.area.y + row)
    }
}
