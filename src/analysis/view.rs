//! The list of all views: what `--view` names, what the panes show, what help lists.

use crate::model::Trace;

use super::{Scope, Table, device, kernel, memory, operator, overview, quality};

/// One summary that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it tells, in a few words.
    pub title: &'static str,
    /// Makes its table.
    pub run: fn(&Trace, &Scope) -> Table,
}

const fn view(name: &'static str, title: &'static str, run: fn(&Trace, &Scope) -> Table) -> View {
    View { name, title, run }
}

/// All views, in the order of `all`.
pub const VIEWS: &[View] = &[
    view("overview", "Totals by category", overview::overview),
    view("device", "Devices and how busy they were", device::devices),
    view("operator", "Operators by name", operator::operators),
    view("kernel", "Kernels by name", kernel::kernels),
    view("memcpy", "Copies and fills", kernel::copies),
    view("userdefined", "Ranges of the script", kernel::user_ranges),
    view("memory", "Memory by place", memory::memory),
    view("quality", "Lost, repaired or odd", |trace, _| quality::quality(trace)),
];

impl View {
    /// The view of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }
}
