//! Paddle's summaries, as `Profiler.summary` of PaddlePaddle works them out: one file a table, raw integers.
//!
//! `forest` brings a trace of any producer into the shape they are defined on, a tree a thread. Where Paddle raises (no
//! step, no time, deep nesting) there is a table all the same. Must not know how the tables are printed.

pub(super) mod distributed;
pub(super) mod forest;
mod kernel;
pub(super) mod memory;
mod model;
mod operator;
mod overview;
pub mod print;
mod region;
pub(super) mod sums;
pub(super) mod tally;
pub mod timer;
pub(super) mod utilization;

#[cfg(test)]
mod tests;

use crate::base::time::Ns;
use crate::model::Trace;

use crate::analysis::{Scope, Table};

use forest::Forest;

pub use sums::SortKey;

/// What can be asked for, in the order of `all`.
pub const VIEWS: &[&str] =
    &["device", "overview", "model", "distributed", "operator", "kernel", "memcpy", "userdefined", "memory"];

/// How the tables are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What operators, kernels and ranges are sorted by.
    pub sorted_by: SortKey,
    /// True to keep the threads of operators and ranges apart.
    pub by_thread: bool,
    /// True to leave out what is inside operators.
    pub no_detail: bool,
}

/// What all tables share.
struct Ground<'a> {
    forest: Forest<'a>,
    options: Options,
    /// The time that at least one step covers, ns: what most ratios are of.
    total: Ns,
}

/// The tables of the views that `is_wanted` names; those with nothing to say are left out.
pub fn summaries(
    trace: &Trace,
    scope: &Scope,
    options: Options,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Table> {
    let forest = Forest::of(trace, scope);
    let total = crate::analysis::time::covered(forest.ranges_of(crate::model::Category::ProfileStep));
    let ground = Ground { forest, options, total };
    let tables = VIEWS.iter().filter(|view| is_wanted(view)).map(|&view| match view {
        "device" => Some(utilization::table(&ground)),
        "overview" => Some(overview::table(&ground)),
        "model" => model::table(&ground),
        "distributed" => distributed::table(&ground),
        "operator" => operator::table(&ground),
        "kernel" => kernel::table(&ground),
        "memcpy" => region::memory_manipulation(&ground),
        "userdefined" => region::user_defined(&ground),
        _ => memory::table(&ground),
    });
    tables.flatten().collect()
}
