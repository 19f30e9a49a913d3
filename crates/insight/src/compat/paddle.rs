//! The tables of `Profiler.summary` of PaddlePaddle, by Paddle's rules: one file per table, raw integers.
//!
//! Paddle defines them on one tree of events per thread; `forest` builds such trees from a trace of any
//! producer. Where Paddle raises an error (no step, no time, deep nesting), a table is made anyway. `print`
//! prints the tables as Paddle does; `timer` is Paddle's benchmark timer. Only `print` knows the printed
//! layout.

mod context;
pub(super) mod distributed;
pub(super) mod forest;
mod kernel;
pub(super) mod memory;
mod model;
mod operator;
pub mod options;
mod overview;
pub mod print;
mod region;
pub(super) mod sums;
pub(super) mod tally;
pub mod timer;
pub(super) mod utilization;

#[cfg(test)]
mod tests;

use proftui_trace::model::{Category, Trace};

use crate::analysis::part::time::covered;
use crate::analysis::{Scope, Table};

use context::Context;
use forest::Forest;

pub use options::{Options, SortKey};
pub use utilization::note;

/// The names of the views, in the order in which `all` shows them.
pub const VIEWS: &[&str] =
    &["device", "overview", "model", "distributed", "operator", "kernel", "memcpy", "userdefined", "memory"];

/// Builds the tables of the views for which `is_wanted` is true, except those for which the trace has no
/// events.
pub fn summaries(
    trace: &Trace,
    scope: &Scope,
    options: Options,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Table> {
    let forest = Forest::of(trace, scope);
    let total = covered(forest.spans_of(Category::ProfileStep));
    let context = Context { forest, options, total };
    let tables = VIEWS.iter().filter(|view| is_wanted(view)).map(|&view| match view {
        "device" => Some(utilization::table(&context)),
        "overview" => Some(overview::table(&context)),
        "model" => model::table(&context),
        "distributed" => distributed::table(&context),
        "operator" => operator::table(&context),
        "kernel" => kernel::table(&context),
        "memcpy" => region::memory_manipulation(&context),
        "userdefined" => region::user_defined(&context),
        _ => memory::table(&context),
    });
    let mut tables: Vec<Table> = tables.flatten().collect();
    let workers = scope.workers(trace).len();
    for table in tables.iter_mut().filter(|_| workers > 1) {
        table.notes.push(of_ranks(table.view, workers));
    }
    tables
}

/// What the figures of a table are where there are several ranks, of which Paddle prints each by itself.
fn of_ranks(view: &str, workers: usize) -> String {
    let what = match view {
        "overview" => {
            "phases and calls are sums over the ranks, so ratios of phases may be above 100%; of the other \
             rows, time in which events of several ranks ran counts once"
        }
        "device" | "distributed" => "time in which events of several ranks ran counts once",
        "memory" => "figures are sums over the ranks; a peak is the highest of any rank",
        "model" => {
            "calls and times are sums over the ranks, but Others and the CPU ratios are of the time in which \
             at least one rank ran a step, so Others may be negative and ratios above 100%"
        }
        _ => {
            "calls and times are sums over the ranks; CPU ratios of ranges are of the time in which at least \
             one rank ran a step, and may exceed 100%"
        }
    };
    format!("These are {workers} ranks: {what}. --rank shows one of them.")
}
