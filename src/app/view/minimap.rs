//! The minimap: how busy devices and host were over the whole trace, one share per column. Computed when the
//! session or the screen's width changes, not while drawing.
//!
//! Must not know cells of the screen.

use std::sync::Arc;

use rayon::prelude::*;

use proftui_base::cancel;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::views::gpu::columns as device;
use proftui_trace::index::Cell;
use proftui_trace::model::RowId;

use super::viewport;
use crate::app::run::Run;
use crate::app::session::Session;

/// The job of computing a minimap.
#[derive(Clone, Debug)]
pub struct MinimapJob {
    pub(crate) session: Arc<Session>,
    /// How many columns the minimap has.
    pub(crate) columns: u16,
}

impl Run for MinimapJob {
    type Done = Minimap;

    /// About 12 ns for each column of each host row and each group, and 25 ns for each slice on a stream of a
    /// device.
    fn cost(&self) -> u64 {
        let Session { trace, device_rows, host_rows, .. } = &*self.session;
        let rows = (host_rows.len() + trace.groups.len()) as u64;
        let on_devices: u64 = device_rows.iter().map(|&row| u64::from(trace.rows[row].len)).sum();
        12 * rows * u64::from(self.columns) + 25 * on_devices
    }

    fn run(self) -> Minimap {
        Minimap::of(&self.session, self.columns)
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.columns == other.columns
    }
}

/// The minimap: for each of its columns, how busy devices and host threads were.
#[derive(Debug, Default)]
pub struct Minimap {
    /// The time range that all columns together cover: the trace without far outliers.
    pub span: Span,
    /// For each column, the share of the devices' recorded time in which they were busy: 0 to 1.
    pub device: Vec<f32>,
    /// For each column, the largest share of time in which one of [`Session::host_rows`] was busy: 0 to 1;
    /// may be approximate.
    pub host: Vec<f32>,
}

impl Minimap {
    /// Computes a minimap of `columns` columns, on all cores.
    pub fn of(session: &Session, columns: u16) -> Self {
        let (span, token) = (session.trace.main_span, cancel::current());
        let busiest = |rows: &[RowId]| {
            let empty = || vec![0.0_f32; columns as usize];
            let larger = |mut all: Vec<f32>, one: Vec<f32>| {
                all.iter_mut().zip(one).for_each(|(most, share)| *most = most.max(share));
                all
            };
            let shares = rows.par_iter().map(|&row| {
                token.check();
                let mut cells = vec![Cell::EMPTY; columns as usize];
                session.index.cells(&session.trace, row, span, &mut cells);
                cells.into_iter().map(|cell| cell.busy).collect()
            });
            shares.reduce(empty, larger)
        };
        let edges: Vec<Ns> = (0..=columns).map(|column| viewport::time(span, columns, column)).collect();
        let device = device::columns(&session.trace, &edges).into_iter().map(device::Column::share).collect();
        Self { span, device, host: busiest(&session.host_rows) }
    }
}
