//! The tables, a file each.
//!
//! Must not know formats of files.

mod allocations;
mod collectives;
mod counters;
mod devices;
mod idle;
mod lanes;
mod links;
mod quality;
mod slices;
mod steps;
mod workers;

use super::table::Table;

/// All tables, in the order of the documentation.
pub static TABLES: &[&dyn Table] = &[
    &workers::TABLE,
    &devices::TABLE,
    &lanes::TABLE,
    &slices::TABLE,
    &links::TABLE,
    &steps::TABLE,
    &idle::TABLE,
    &collectives::TABLE,
    &counters::TABLE,
    &allocations::TABLE,
    &quality::TABLE,
];
