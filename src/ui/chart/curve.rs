//! Draws bytes over time: a filled curve for the first series, marks for the others; each column shows the
//! most bytes within its time.
//!
//! Must not know what the bytes are.

use std::collections::BTreeMap;

use crate::app::State;
use crate::app::pane::table_pane::TablePane;
use crate::app::view::geometry::Area;
use crate::ui::paint::{EIGHTHS, Painter};
use crate::ui::theme::Token;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::table::curve::{Curve, Series};
use proftui_insight::report::text;

/// The fewest lines of a curve, with its name and its axis, if several curves are drawn.
const LINES: u16 = 7;
/// The most columns of the scale at the left of a curve.
const SCALE: u16 = 11;

/// Draws the curves of as many rows as there is room for, one below the other, scrolled to the focused row.
pub(super) fn draw(
    state: &State,
    pane: &TablePane,
    curves: &BTreeMap<String, Curve>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let name =
        |position: usize| pane.table.rows.get(pane.rows.nth(position)?)?.cells.first().map(text::value);
    let line = pane.line.min(pane.rows.len().saturating_sub(1));
    let focused = pane.rows.path(line).and_then(|path| pane.rows.position_of(*path.first()?));
    let focus = focused.unwrap_or_default();
    let count = pane.table.rows.len().min(usize::from(area.height / LINES)).max(1);
    let from = (focus + 1).saturating_sub(count);
    let height = area.height / saturate::<u16>(count);
    for (at, row) in (from..from + count).enumerate() {
        let Some(name) = name(row) else { break };
        let y = area.y + saturate::<u16>(at) * height;
        if let Some(curve) = curves.get(name.as_str()) {
            let is_here = row == focus && state.panes.region() == crate::app::Region::Pane;
            draw_curve(state, &name, curve, is_here, Area { y, height, ..area }, painter);
        }
    }
}

/// Draws the curve of one row, below its name and its peaks and, if there is room, above a time axis.
fn draw_curve(
    state: &State,
    name: &SafeText<'_>,
    curve: &Curve,
    is_here: bool,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let theme = painter.theme;
    let (dim, title) = (theme.text(Token::Dim), theme.text(Token::Title));
    // The smallest power of ten that is at least a ten-thousandth of the time range.
    let resolution = (0..18)
        .map(|digits| 10_i64.pow(digits))
        .find(|&resolution| resolution >= curve.span.len() / 10_000)
        .unwrap_or(1);
    let when = |t| state.looks.time_format().show(&state.session.trace, state.worker(), t, resolution);
    let style = if is_here { theme.chosen() } else { title };
    let mut x =
        painter.text(area.x, area.y, area.width / 3, &name.elide_middle(usize::from(area.width / 3)), style);
    let right = area.x + area.width;
    for (series, glyph) in curve.series.iter().zip(['█', '·']) {
        let (ts, bytes) = series.peak;
        painter.glyph(
            x + 2,
            area.y,
            glyph,
            theme.text(if glyph == '█' { Token::Memory } else { Token::Mark }),
        );
        let peak = format!("{}, peak {} at {}", series.title, fmt::bytes(bytes), when(ts));
        x = painter.str(x + 4, area.y, right.saturating_sub(x + 4), &peak, dim);
    }
    let has_axis = area.height > 3;
    let scale = SCALE.min(area.width / 4);
    let plot = Area {
        x: area.x + scale,
        y: area.y + 1,
        width: area.width - scale,
        height: area.height.saturating_sub(1 + u16::from(has_axis)),
    };
    if plot.height == 0 || plot.width == 0 {
        return;
    }
    let columns: Vec<Vec<Option<i64>>> =
        curve.series.iter().map(|series| series.columns(usize::from(plot.width))).collect();
    let known = || columns.iter().flatten().flatten().copied();
    let (low, high) = (known().min().unwrap_or(0).min(0), known().max().unwrap_or(0).max(1));
    let mut label = |y: u16, bytes: i64| {
        let text = fmt::bytes(bytes);
        let blank = scale.saturating_sub(saturate::<u16>(text.chars().count()) + 1);
        painter.str(area.x + blank, y, scale.saturating_sub(1), &text, dim);
    };
    label(plot.y, high);
    if plot.height > 1 {
        label(plot.y + plot.height - 1, low);
    }
    let height = |bytes: i64| {
        let share = (bytes as f64 - low as f64) / (high as f64 - low as f64);
        let eighths = saturate::<u16>((share * f64::from(plot.height) * 8.0).round());
        eighths.max(u16::from(bytes > low))
    };
    for (x, &bytes) in (plot.x..).zip(&columns[0]) {
        let Some(bytes) = bytes else { continue };
        let eighths = height(bytes);
        for row in 0..eighths.div_ceil(8) {
            let glyph = EIGHTHS[usize::from((eighths - row * 8).min(8))];
            painter.glyph(x, plot.y + plot.height - 1 - row, glyph, theme.text(Token::Memory));
        }
    }
    for (x, &bytes) in columns.iter().skip(1).flat_map(|columns| (plot.x..).zip(columns)) {
        let Some(bytes) = bytes else { continue };
        let row = height(bytes).saturating_sub(1) / 8;
        let y = plot.y + plot.height - 1 - row;
        if painter.is_blank(x, y) {
            painter.glyph(x, y, '·', theme.text(Token::Mark));
        }
    }
    if has_axis {
        axis(curve, when, Area { y: plot.y + plot.height, height: 1, ..plot }, painter);
    }
}

/// Draws the time axis below a curve, with a mark under the first series' peak and, where they fit beside the
/// mark, the times of start and end.
fn axis(curve: &Curve, when: impl Fn(i64) -> String, area: Area, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let dim = theme.text(Token::Dim);
    for x in area.x..area.x + area.width {
        painter.glyph(x, area.y, '─', dim);
    }
    let peak = curve.series.first().and_then(|series| peak_column(series, area.width));
    let (start, end) = (when(curve.span.start), when(curve.span.end));
    let width = |text: &str| saturate::<u16>(text.chars().count());
    let last = area.width.saturating_sub(width(&end));
    // A time that would cover or touch the mark is left out.
    if peak.is_none_or(|peak| peak > width(&start)) {
        painter.str(area.x, area.y, area.width, &start, dim);
    }
    if peak.is_none_or(|peak| peak + 1 < last) {
        painter.str(area.x + last, area.y, area.width - last, &end, dim);
    }
    if let Some(peak) = peak {
        painter.glyph(area.x + peak, area.y, '▲', theme.text(Token::Warn));
    }
}

/// The first column (from 0) of `width` that shows the series' peak; none if no column does.
fn peak_column(series: &Series, width: u16) -> Option<u16> {
    let columns = series.columns(usize::from(width));
    columns.iter().position(|&bytes| bytes == Some(series.peak.1)).map(saturate::<u16>)
}
