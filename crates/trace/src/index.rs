//! Queries by time on the rows of a trace, answered by an implicit interval tree and a time mipmap for each
//! row, and the slices that a search found ([`Hits`]). [`idle`] has the idle time of devices and streams, by
//! cause.
//!
//! A row is a range of slice numbers, sorted by start. The index copies no column; every query takes the
//! columns that it was built from. All answers are exact, except the cells of crowded rows (error bounds:
//! [`RowIndex::cells`]) and of crowded hits ([`Hits::cells`]). Queries are fast if slices of a row hardly
//! overlap. Must not know lanes, names, colours or screens.

mod cells;
mod columns;
mod gaps;
pub mod idle;
mod mip;
mod names;
mod query;
mod results;
mod row;
mod trace;
mod tree;

#[cfg(test)]
use crate::model::SliceId;

#[cfg(test)]
mod brute;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_idle;
#[cfg(test)]
mod tests_mip;

pub use cells::edge;
pub use columns::Columns;
pub use names::Hits;
pub use results::{Cell, Sum};
pub use row::RowIndex;
pub use trace::Index;
