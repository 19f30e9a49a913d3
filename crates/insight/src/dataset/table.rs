//! A table: its columns, and its rows in batches.
//!
//! Must not know which tables there are, nor formats of files.

use rayon::prelude::*;

use proftui_trace::import::VisitError;

use super::column::{Column, Description, Values};
use super::source::{Source, Texts};

/// The version of the schema. It grows when a column loses its name, its type or its meaning; columns and
/// tables may be added without that.
pub const VERSION: u32 = 1;

/// The most rows of a batch.
const BATCH: usize = 1 << 16;

/// A table of a trace.
pub trait Table: Sync {
    /// The table's name: of its file, and in SQL.
    fn name(&self) -> &'static str;

    /// What a row of the table is.
    fn about(&self) -> &'static str;

    /// The table's columns.
    fn columns(&self) -> Vec<Description>;

    /// The table's rows, in batches of columns.
    ///
    /// # Errors
    /// When the trace's files have to be read again and cannot be.
    fn batches<'s>(&'s self, source: &'s Source<'_>) -> Result<Batches<'s>, VisitError>;
}

/// The batches of a table, in order. There is at least one, so that the writer learns the texts of columns.
pub type Batches<'s> = Box<dyn Iterator<Item = Vec<Values>> + 's>;

/// The keys of a table's rows, in order.
pub(super) type Keys<'s, K> = Box<dyn Iterator<Item = K> + 's>;

/// A table whose rows have keys of type `K`.
pub(super) struct Of<K: 'static> {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) columns: &'static [Column<K>],
    pub(super) keys: for<'s> fn(&'s Source<'_>) -> Result<Keys<'s, K>, VisitError>,
}

impl<K: Copy + Send + Sync> Table for Of<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn columns(&self) -> Vec<Description> {
        self.columns.iter().map(Column::description).collect()
    }

    fn batches<'s>(&'s self, source: &'s Source<'_>) -> Result<Batches<'s>, VisitError> {
        let mut keys = (self.keys)(source)?;
        let texts: Vec<Texts> = self.columns.iter().map(|column| column.texts(source)).collect();
        let mut is_first = true;
        Ok(Box::new(std::iter::from_fn(move || {
            let keys: Vec<K> = keys.by_ref().take(BATCH).collect();
            if keys.is_empty() && !std::mem::take(&mut is_first) {
                return None;
            }
            is_first = false;
            let columns = self.columns.par_iter().zip(&texts);
            Some(columns.map(|(column, texts)| column.values(source, &keys, texts)).collect())
        })))
    }
}
