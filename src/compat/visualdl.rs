//! VisualDL's profiler pages, as its 2.5.3 works them out: one file a page's part, raw integers.
//!
//! Stands on Paddle's trees; `place` cuts them into steps and stages. Where VisualDL stops (no step, no stage, no device)
//! there is a table or a plain sentence all the same. Must not know how the tables are printed.

mod attributes;
mod device;
mod distributed;
mod events;
mod execution;
mod kernel;
mod memory;
mod operator;
mod place;
mod region;

#[cfg(test)]
mod tests;

use crate::import::Texts;
use crate::model::Trace;

use crate::analysis::{Scope, Table};
use crate::compat::paddle::forest::Forest;

use attributes::Attributes;
use events::Events;
use place::Places;

/// What can be asked for, in the order of `all`. The overview holds what `model` and `userdefined` show, too.
pub const VIEWS: &[&str] =
    &["overview", "model", "operator", "kernel", "distributed", "memory", "userdefined"];

/// What all tables share.
struct Ground<'a> {
    forest: Forest<'a>,
    places: Places,
    events: Events,
    attributes: Attributes,
    /// How many workers there are.
    workers: usize,
}

/// The tables of the views that `is_wanted` names; those with nothing to say are left out. `texts` are read once more where
/// kernels are asked for: what VisualDL tells of them stands in the events' arguments.
pub fn summaries(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Table> {
    let forest = Forest::of(trace, scope);
    let places = Places::of(&forest);
    let events = Events::of(&forest, &places);
    let (kernels, shapes) = (is_wanted("overview") || is_wanted("kernel"), is_wanted("operator"));
    let attributes = Attributes::of(&forest, texts, kernels, shapes);
    let ground = Ground { forest, places, events, attributes, workers: scope.workers(trace) };
    let page = is_wanted("overview");
    let mut tables = Vec::new();
    if page {
        tables.push(device::table(&ground));
    }
    if page || is_wanted("model") {
        tables.push(execution::summary(&ground));
        tables.extend(execution::breakdown(&ground));
    }
    if page {
        tables.extend(events::summary(&ground));
        tables.extend(events::matrix(&ground));
    }
    if page || is_wanted("userdefined") {
        tables.extend(region::table(&ground));
    }
    if is_wanted("operator") {
        tables.extend(operator::tables(&ground));
    }
    if is_wanted("kernel") {
        tables.extend(kernel::tables(&ground));
    }
    if is_wanted("distributed") {
        tables.extend(distributed::table(&ground));
    }
    if is_wanted("memory") {
        tables.extend(memory::tables(&ground));
    }
    tables
}
