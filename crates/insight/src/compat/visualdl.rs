//! The tables of VisualDL's profiler pages, by the rules of VisualDL 2.5.3: one file per table or two, raw
//! integers.
//!
//! They are made from Paddle's trees; `step_phase` finds the step and phase of each event. Where VisualDL
//! stops with an error (no step, no phase, no device) a table or a note is made anyway. Must not know how the
//! tables are printed.

mod attributes;
mod context;
mod device;
mod distributed;
mod event_tables;
mod events;
mod execution;
mod kernel;
mod memory;
mod operator;
mod region;
mod step_phase;

#[cfg(test)]
mod tests;

use proftui_trace::import::Texts;
use proftui_trace::model::Trace;

use crate::analysis::table::compare::{NamedTable, stacked};
use crate::analysis::{Scope, Table};
use crate::compat::paddle::forest::Forest;

use attributes::Attributes;
use context::Context;
use events::Events;
pub use operator::MISSING;
use step_phase::StepPhases;

/// The names of the views, in the order in which `all` shows them. The overview includes the tables of
/// `model` and `userdefined`.
pub const VIEWS: &[&str] =
    &["overview", "model", "operator", "kernel", "distributed", "memory", "userdefined"];

/// Builds the tables of the views for which `is_wanted` is true, except those for which the trace has no
/// events; the overview's first table and the execution summary (of `overview` and `model`) are always built.
/// Of several workers each has its own figures, as in VisualDL, which shows one at a time: the rows of all
/// are below each other. For kernels and input shapes the trace's files (`texts`) are read once more, since
/// both are in the events' arguments.
pub fn summaries(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Table> {
    let workers = scope.workers(trace);
    if workers.len() < 2 {
        return of_worker(trace, texts, scope, 1, is_wanted);
    }
    let mut found: Vec<Vec<NamedTable>> = Vec::new();
    for &worker in &workers {
        let is_own = |lane| scope.has_lane(lane) && trace.groups[trace.lanes[lane].group].worker == worker;
        let own = Scope { span: scope.span, ..Scope::of_lanes(trace, is_own) };
        for table in of_worker(trace, texts, &own, workers.len(), &is_wanted) {
            let same = found.iter_mut().find(|tables| tables[0].table.title == table.title);
            let title = trace.meta.workers.get(worker).cloned().unwrap_or_default();
            let named = NamedTable { title, table };
            match same {
                Some(tables) => tables.push(named),
                None => found.push(vec![named]),
            }
        }
    }
    found.iter().filter_map(|tables| stacked(tables)).collect()
}

/// The tables of the one worker in a scope; `workers` is the number of all.
fn of_worker(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    workers: usize,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Table> {
    let forest = Forest::of(trace, scope);
    let step_phases = StepPhases::of(&forest);
    let events = Events::of(&forest, &step_phases);
    let (kernels, shapes) = (is_wanted("overview") || is_wanted("kernel"), is_wanted("operator"));
    let attributes = Attributes::of(&forest, texts, kernels, shapes);
    let of_first = trace.cycles.iter().find(|cycle| cycle.file == 0).map(|cycle| cycle.worker);
    let is_first = of_first.is_none_or(|worker| scope.workers(trace).first() == Some(&worker));
    let context = Context { forest, step_phases, events, attributes, workers, is_first };
    let page = is_wanted("overview");
    let mut tables = Vec::new();
    if page {
        tables.push(device::table(&context));
    }
    if page || is_wanted("model") {
        tables.push(execution::summary(&context));
        tables.extend(execution::breakdown(&context));
    }
    if page {
        tables.extend(event_tables::summary(&context));
        tables.extend(event_tables::matrix(&context));
    }
    if page || is_wanted("userdefined") {
        tables.extend(region::table(&context));
    }
    if is_wanted("operator") {
        tables.extend(operator::tables(&context));
    }
    if is_wanted("kernel") {
        tables.extend(kernel::tables(&context));
    }
    if is_wanted("distributed") {
        tables.extend(distributed::table(&context));
    }
    if is_wanted("memory") {
        tables.extend(memory::tables(&context));
    }
    tables
}
