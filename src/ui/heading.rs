//! Draws the strip of a group's heading: how busy the device, or the busiest thread of the process, was in
//! each cell.
//!
//! Must not know the group's name.

use crate::app::State;
use crate::app::session::order;
use crate::app::view::busy;
use crate::app::view::geometry::Area;
use proftui_trace::model::{GroupId, GroupKind};

use super::idle;
use super::paint::Painter;
use super::row::eighths_of;
use super::theme::Token;

pub(super) fn draw(
    state: &State,
    group: GroupId,
    cells: &mut idle::Cells,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let kind = state.session.trace.groups[group].kind;
    let (shares, token) = match (kind, state.session.device(group)) {
        (GroupKind::Device, Some(device)) => {
            (idle::busy(group, device, state.timeline.viewport(), area.width, cells), Token::Kernel)
        }
        (GroupKind::Device, None) => return,
        (GroupKind::Process, _) if order::is_profilers(&state.session.trace, group) => return,
        (GroupKind::Process, _) => (of_threads(state, group, area.width), Token::Operator),
    };
    let heights: Vec<usize> = shares.into_iter().map(|share| eighths_of(share, area.height)).collect();
    painter.strip(area, &heights, token);
}

/// For each of `columns` columns over the viewport, the share of its time, 0 to 1, in which the process's
/// busiest thread there (Python layer, if it has no threads) was busy.
fn of_threads(state: &State, group: GroupId, columns: u16) -> Vec<f32> {
    let mut most = vec![0.0_f32; columns as usize];
    for row in busy::rows_of_threads(&state.session.trace, group) {
        let cells = state.timeline.cells(&state.session, row, columns);
        most.iter_mut().zip(&cells[..]).for_each(|(most, cell)| *most = most.max(cell.busy));
    }
    most
}
