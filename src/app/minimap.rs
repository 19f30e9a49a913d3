//! How busy the whole trace was, a share a column; worked out when the screen's width changes, not while drawing.

use rayon::prelude::*;

use crate::base::time::Span;
use crate::index::Cell;
use crate::model::RowId;

use super::session::Session;

/// Shares of each column's time in which anything ran.
#[derive(Debug, Default)]
pub struct Minimap {
    /// What the columns cover.
    pub span: Span,
    /// Of the busiest stream, 0 to 1.
    pub device: Vec<f32>,
    /// Of the busiest thread, 0 to 1.
    pub host: Vec<f32>,
}

impl Minimap {
    /// The whole trace in `columns` columns.
    pub fn of(session: &Session, columns: u16) -> Self {
        let span = session.trace.main_span;
        let busiest = |rows: &[RowId]| {
            let empty = || vec![0.0_f32; columns as usize];
            let larger = |mut all: Vec<f32>, one: Vec<f32>| {
                all.iter_mut().zip(one).for_each(|(most, share)| *most = most.max(share));
                all
            };
            let shares = rows.par_iter().map(|&row| {
                let mut cells = vec![Cell::EMPTY; columns as usize];
                session.index.cells(&session.trace, row, span, &mut cells);
                cells.into_iter().map(|cell| cell.busy).collect()
            });
            shares.reduce(empty, larger)
        };
        Self { span, device: busiest(&session.device_rows), host: busiest(&session.host_rows) }
    }
}
