//! The busy and idle time of a device in a part of a trace, and that in which it communicates. The minimap
//! computes the same busy times for each of its columns (`views/gpu/columns.rs`).
//!
//! Must not know tables.

use crate::analysis::part::time::{length, shared, union, within};
use proftui_base::time::{Ns, Span};

use super::work::{Device, WorkKind};

/// The busy and idle times of a device in a part of a trace, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTime {
    /// The time of the part's run: the sum of `busy`, `between` and `edges`.
    pub part: Ns,
    /// The time from the start of the first work to the end of the last in each time of the run, added up.
    pub span: Ns,
    /// The time in which at least one kernel, copy or memset ran.
    pub busy: Ns,
    /// The time in which at least one kernel ran.
    pub kernels: Ns,
    /// The time in which at least one kernel ran that does not communicate; a graph recorded whole is one.
    pub compute: Ns,
    /// The time without work between the first and the last work of each time of the run, added up.
    pub between: Ns,
    /// The other time of the run without work: usually before the first work and after the last, added up.
    pub edges: Ns,
}

impl DeviceTime {
    /// Measures a device's work in `run`, the times of the part's run, which must be sorted and disjoint; the
    /// work must be cut to them.
    pub fn of(device: &Device, run: &[Span]) -> Self {
        let of =
            |is_wanted: fn(WorkKind) -> bool| union(device.spans(|work| work.kind.is_some_and(is_wanted)));
        let all = union(device.spans(|_| true));
        let part = length(run);
        let busy = length(&all);
        let mut span: Ns = 0;
        let mut between: Ns = 0;
        for window in run {
            let inside = within(&all, *window);
            if let (Some(first), Some(last)) = (inside.first(), inside.last()) {
                let from_first_to_last = last.end.saturating_sub(first.start);
                span = from_first_to_last.saturating_add(span);
                between = between.saturating_add(from_first_to_last.saturating_sub(length(&inside)));
            }
        }
        Self {
            part,
            span,
            busy,
            kernels: length(&of(|kind| kind != WorkKind::Memory)),
            compute: length(&of(|kind| kind == WorkKind::Computation)),
            between,
            edges: part.saturating_sub(busy).saturating_sub(between).max(0),
        }
    }

    /// The time of the run without work: `between` and `edges` together, ns.
    pub fn idle(&self) -> Ns {
        self.between.saturating_add(self.edges)
    }

    /// The time with work, but without a kernel that computes: only communication, copies or memsets ran, ns.
    pub fn other(&self) -> Ns {
        self.busy.saturating_sub(self.compute)
    }
}

/// The time in which a device communicates, and how much of it computation hides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Time in which at least one communication kernel ran, ns.
    pub communication: Ns,
    /// Time in which at least one communication kernel and one computation kernel ran at once, ns.
    pub shared: Ns,
}

impl Overlap {
    /// The time in which a communication kernel ran and no computation kernel did, ns.
    pub fn exposed(&self) -> Ns {
        self.communication.saturating_sub(self.shared)
    }
}

/// Measures a device's communication and its overlap with computation as HTA defines it:
/// `|union(communication) ∩ union(computation)|`.
pub fn overlap(device: &Device) -> Overlap {
    let of = |kind| union(device.spans(|work| work.kind == Some(kind)));
    let (communication, computation) = (of(WorkKind::Communication), of(WorkKind::Computation));
    Overlap { communication: length(&communication), shared: shared(&communication, &computation) }
}
