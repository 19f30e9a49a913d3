//! The list of all views, for `--view`, the explorer's panes and the help texts.

use crate::model::Trace;

use super::gpu::{busy, idle, kinds, launches, overlap, queue};
use super::{
    Scope, Table, allocation, device, kernel, memory, model, operator, overview, perf, quality, steps,
};

/// A view: one of our summaries, selected by its name with `--view`.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Name of the view for `--view`, and `view` in JSON.
    pub name: &'static str,
    /// Further names for `--view`: the label of the view's tab in lower case, if it differs from `name`.
    pub aliases: &'static [&'static str],
    /// The id of the explorer's command that shows the view.
    pub command: &'static str,
    /// The label of the view's tab in the explorer.
    pub tab: &'static str,
    /// Short description of the view for lists of views.
    pub title: &'static str,
    /// Builds the view's table for a scope of the trace.
    pub run: fn(&Trace, &Scope) -> Table,
    /// Ids of the columns that can stand side by side when ranks or traces are compared;
    /// [`comparable_column`](super::compare::comparable_column) chooses one. Empty for a view whose rows have no counterpart
    /// in another trace (devices, streams, allocations): its rows are listed below each other.
    pub compared: &'static [&'static str],
}

macro_rules! view {
    ($name:literal $(or $alias:literal)?, $tab:literal, $title:literal, $run:expr $(, by $column:literal)*) => {
        View {
            name: $name,
            aliases: &[$($alias)?],
            command: concat!("pane.", $name),
            tab: $tab,
            title: $title,
            run: $run,
            compared: &[$($column),*],
        }
    };
}

/// All views, in the order in which `--view all` and the panes show them.
pub const VIEWS: &[View] = &[
    view!("overview", "Overview", "Event count and time by category", overview::overview, by "time"),
    view!("device", "Device", "Device utilization", device::devices),
    view!("model", "Model",
        "Training phases: data loading, forward, backward, optimizer", model::phases, by "total"),
    view!("operator", "Operator", "Operators by name", operator::operators, by "device_own", by "own"),
    view!("kernel", "Kernel", "Kernels by name", kernel::kernels, by "total"),
    view!("memcpy" or "copies", "Copies", "Copies and memsets by name", kernel::copies, by "total"),
    view!("userdefined" or "ranges", "Ranges",
        "User-defined ranges by name (NVTX, record_function)", kernel::user_ranges, by "total"),
    view!("memory", "Memory", "Memory by device and operator", memory::memory, by "peak", by "allocated"),
    view!(
        "allocations",
        "Allocations",
        "Allocations, with the operators that allocated and freed the memory",
        allocation::allocations
    ),
    view!("steps", "Steps", "Steps: time of each step by phase", steps::steps, by "time"),
    view!("perf" or "speed", "Speed",
        "Training speed: step time, data loading time, steps per second", perf::perf),
    view!("busy", "Busy", "Device time by activity: computation, other work, idle", busy::table),
    view!("idle", "Idle", "Idle time of streams by cause", idle::table),
    view!("distributed", "Distributed", "Overlap of communication and computation", overlap::table),
    view!("kinds", "Kinds",
        "Device time by kinds of work that ran at the same time", kinds::table, by "time"),
    view!("launches", "Launches",
        "Calls that launch device work, with their launch delays", launches::table, by "call_time"),
    view!("queue", "Queue", "Queue length of each stream: work launched but not started", queue::table),
    view!("quality", "Quality", "Data quality: lost, repaired and unusual events", |trace, _| {
        quality::quality(trace)
    }),
];

impl View {
    /// The view with this name or alias.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name || view.aliases.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_named_by_its_tab() {
        for view in VIEWS {
            let tab = view.tab.to_lowercase();
            assert_eq!(View::named(&tab).map(|view| view.name), Some(view.name), "{tab}");
            assert!(view.aliases.iter().all(|alias| VIEWS.iter().all(|view| view.name != *alias)));
        }
    }
}
