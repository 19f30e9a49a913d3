//! The busy and idle time of a device in a part of a trace, for the tables of devices. The minimap computes
//! the same figures for each of its columns (`views/gpu/columns.rs`).
//!
//! Must not know tables.

use crate::analysis::part::time::{length, union, within};
use proftui_base::time::{Ns, Span};

use super::work::{Device, WorkKind};

/// The busy and idle times of a device in a part of a trace, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTime {
    /// The recorded time of the part: the sum of `busy`, `between` and `edges`.
    pub part: Ns,
    /// The time from the start of the first work to the end of the last in each recorded time of the part,
    /// added up.
    pub span: Ns,
    /// The time in which at least one kernel, copy or memset ran.
    pub busy: Ns,
    /// The time in which at least one kernel ran.
    pub kernels: Ns,
    /// The time in which at least one kernel ran that does not communicate; a graph recorded whole is one.
    pub compute: Ns,
    /// The time without work between the first and the last work of each recorded time of the part, added up.
    pub between: Ns,
    /// The other recorded time without work: usually before the first work and after the last, added up.
    pub edges: Ns,
}

impl DeviceTime {
    /// Measures a device's work in a part. `recorded` are the recorded times of the part, which must be
    /// sorted and disjoint.
    pub fn of(device: &Device, recorded: &[Span]) -> Self {
        let of =
            |is_wanted: fn(WorkKind) -> bool| union(device.spans(|work| work.kind.is_some_and(is_wanted)));
        let all = union(device.spans(|_| true));
        let part = length(recorded);
        let busy = length(&all);
        let mut span: Ns = 0;
        let mut between: Ns = 0;
        for window in recorded {
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

    /// The recorded time without work: `between` and `edges` together, ns.
    pub fn idle(&self) -> Ns {
        self.between.saturating_add(self.edges)
    }

    /// The time with work, but without a kernel that computes: only communication, copies or memsets ran, ns.
    pub fn other(&self) -> Ns {
        self.busy.saturating_sub(self.compute)
    }
}
