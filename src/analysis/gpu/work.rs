//! The device work of each device in order of time, with the call that launched it.
//!
//! Must not know the summaries made of it.

use rayon::prelude::*;

use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneId, LaneKind, SliceFlags, SliceId, Trace};

use super::super::scope::Scope;
use super::super::table::TableRow;

/// The kind of a piece of device work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A kernel that computes.
    Computation,
    /// A kernel that moves data between devices, such as NCCL's.
    Communication,
    /// A copy or a memset.
    Memory,
}

impl WorkKind {
    /// All kinds, in the order in which combinations name them.
    pub const ALL: [Self; 3] = [Self::Computation, Self::Communication, Self::Memory];

    /// The kind's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Communication => "communication",
            Self::Memory => "memory",
        }
    }

    /// The kind's bit in a set of kinds: 1, 2 or 4.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The call on the host that launched a piece of device work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The slice of the call.
    pub id: SliceId,
    /// The start and end of the call.
    pub span: Span,
}

/// One piece of device work: a kernel, copy or memset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The slice of the work.
    pub id: SliceId,
    /// The lane of its stream.
    pub lane: LaneId,
    /// The start and end of the work.
    pub span: Span,
    /// The kind of the work; None for a stream's wait, which only HTA counts as device work.
    pub kind: Option<WorkKind>,
    /// The call that launched it; None if the trace does not link one.
    pub launch: Option<Launch>,
}

impl Work {
    /// The length of the work, ns.
    pub fn dur(&self) -> Ns {
        self.span.end.saturating_sub(self.span.start)
    }
}

/// A device with its work in a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The index of the worker (rank) to which the device belongs.
    pub worker: u16,
    /// The index of the device's group of lanes in the trace.
    pub group: u32,
    /// The device's work, sorted by start.
    pub work: Vec<Work>,
}

impl Device {
    /// The spans of the work for which `is_wanted` is true, sorted by start.
    pub fn spans(&self, is_wanted: impl Fn(&Work) -> bool) -> Vec<Span> {
        self.work.iter().filter(|work| is_wanted(work)).map(|work| work.span).collect()
    }

    /// The device's work stream by stream, in the order of lanes; the work of each stream is sorted by start.
    pub fn streams(&self) -> Vec<(LaneId, Vec<Work>)> {
        let mut streams: Vec<(LaneId, Vec<Work>)> = Vec::new();
        let mut sorted = self.work.clone();
        sorted.sort_by_key(|work| work.lane);
        for work in sorted {
            match streams.last_mut().filter(|(lane, _)| *lane == work.lane) {
                Some((_, stream)) => stream.push(work),
                None => streams.push((work.lane, vec![work])),
            }
        }
        streams
    }
}

/// The kind of a slice's work, by its category and the flag that import sets for kernels of communication libraries; None
/// for slices that are no device work.
fn kind(trace: &Trace, id: SliceId) -> Option<WorkKind> {
    match trace.slices.category(id) {
        Category::Kernel if trace.slices.flags[id as usize].has(SliceFlags::COMMUNICATION) => {
            Some(WorkKind::Communication)
        }
        Category::Kernel => Some(WorkKind::Computation),
        Category::Memcpy | Category::Memset => Some(WorkKind::Memory),
        _ => None,
    }
}

/// Collects the devices that have work in `scope`, with that work.
pub fn devices(trace: &Trace, scope: &Scope) -> Vec<Device> {
    let groups = trace.groups.par_iter().enumerate();
    let of_group = |(number, group): (usize, &crate::model::Group)| {
        let lanes = group.lanes.clone();
        let streams = lanes.filter(|&lane| trace.lanes[lane as usize].kind == LaneKind::Stream);
        let mut work: Vec<Work> = streams
            .flat_map(|lane| scope.slices(trace, lane).map(move |id| (lane, id)))
            .filter_map(|(lane, id)| {
                let kind = Some(kind(trace, id)?);
                let launch = trace.links.launch_of(id).map(|id| Launch { id, span: trace.slices.span(id) });
                Some(Work { id, lane, span: trace.slices.span(id), kind, launch })
            })
            .collect();
        work.sort_by_key(|work| work.span.start);
        Device { worker: group.worker, group: number as u32, work }
    };
    let all: Vec<Device> = groups.map(of_group).collect();
    all.into_iter().filter(|device| !device.work.is_empty()).collect()
}

/// The note under a table of device work: `note`, or if `rows` is empty a sentence that there is no device work.
pub(super) fn notes(rows: &[TableRow], note: &str) -> Vec<String> {
    vec![if rows.is_empty() {
        "There is no such device work in this part of the trace.".into()
    } else {
        note.into()
    }]
}
