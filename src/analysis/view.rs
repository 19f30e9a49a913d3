//! The list of all views: what `--view` names, what the panes show, what help lists.

use crate::model::Trace;

use super::gpu::{busy, idle, kinds, launches, overlap, queue};
use super::{
    Scope, Table, allocation, device, kernel, memory, model, operator, overview, perf, quality, steps,
};

/// One summary that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its name on the command line.
    pub name: &'static str,
    /// The name of the command that shows its pane.
    pub command: &'static str,
    /// Its name on the pane's tab.
    pub tab: &'static str,
    /// What it tells, in a few words.
    pub title: &'static str,
    /// Makes its table.
    pub run: fn(&Trace, &Scope) -> Table,
    /// The columns of which one is shown for each of several ranks or traces, side by side: the first that says anything in each.
    /// None for a view with a row a rank, device or stream; those rows stand below each other.
    pub compared: &'static [&'static str],
}

macro_rules! view {
    ($name:literal, $tab:literal, $title:literal, $run:expr $(, by $column:literal)*) => {
        View {
            name: $name,
            command: concat!("pane.", $name),
            tab: $tab,
            title: $title,
            run: $run,
            compared: &[$($column),*],
        }
    };
}

/// All views, in the order of `all` and of the panes.
pub const VIEWS: &[View] = &[
    view!("overview", "Overview", "Totals by category", overview::overview, by "time"),
    view!("device", "Device", "Devices and how busy they were", device::devices),
    view!("model", "Model", "Stages of training: data, forward, backward, optimizer", model::stages, by "total"),
    view!("operator", "Operator", "Operators by name", operator::operators, by "device_own", by "own"),
    view!("kernel", "Kernel", "Kernels by name", kernel::kernels, by "total"),
    view!("memcpy", "Copies", "Copies and fills by name", kernel::copies, by "total"),
    view!("userdefined", "Ranges", "Ranges that the script named", kernel::user_ranges, by "total"),
    view!("memory", "Memory", "Memory by place", memory::memory, by "peak", by "allocated"),
    view!(
        "allocations",
        "Allocations",
        "Allocations: taken and given back, with their operators",
        allocation::allocations
    ),
    view!("steps", "Steps", "Steps: each step's time by stage", steps::steps, by "time"),
    view!("perf", "Speed", "Steps: length, loading of data, rate", perf::perf),
    view!("busy", "Busy", "Device time: computing, other work, idle", busy::table),
    view!("idle", "Idle", "Why streams stand still", idle::table),
    view!("distributed", "Distributed", "Communication hidden behind computation", overlap::table),
    view!("kinds", "Kinds", "Device time by kinds of work at once", kinds::table, by "time"),
    view!("launches", "Launches", "Launches of device work", launches::table, by "call_time"),
    view!("queue", "Queue", "Launched work in front of each stream", queue::table),
    view!("quality", "Quality", "What was lost, repaired or odd", |trace, _| quality::quality(trace)),
];

impl View {
    /// The view of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }
}
