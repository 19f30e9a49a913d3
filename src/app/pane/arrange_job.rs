//! The job of arranging the rows of a table: sorting, filtering, unfolding.
//!
//! Must not know how rows are drawn.

use std::sync::Arc;

use proftui_base::fault::{self, Point};
use proftui_insight::analysis::vocabulary::short_names::ShortNames;

use super::rows::{RowChoice, Rows};
use super::table_pane::SharedTable;
use crate::app::run::Run;

/// Estimated time of ordering and filtering the rows of a table, ns per row.
const PER_ROW: u64 = 1_000;

/// The job of arranging the rows of a table: ordering, filtering, unfolding.
#[derive(Clone, Debug)]
pub struct ArrangeJob {
    pub(crate) table: SharedTable,
    /// How many rows the table has, nested rows included.
    pub(crate) count: usize,
    /// The order, the filter and the unfolded rows that the user chose.
    pub(crate) choice: RowChoice,
    /// The short names of kernels.
    pub(crate) short: Arc<ShortNames>,
}

impl Run for ArrangeJob {
    type Done = Arranged;

    fn cost(&self) -> u64 {
        PER_ROW * self.count as u64
    }

    fn run(self) -> Arranged {
        fault::at(Point::Rows);
        let rows = Rows::of(&self.table, &self.choice, &self.short);
        Arranged { table: self.table, rows }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.choice == other.choice
    }
}

/// The result of an [`ArrangeJob`]: the table, and which of its rows are shown in which order.
#[derive(Debug)]
pub struct Arranged {
    pub(crate) table: SharedTable,
    pub(crate) rows: Rows,
}
