//! The work of each device in order of time, with the call that launched each piece.
//!
//! Must not know what is worked out from it.

use rayon::prelude::*;

use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneId, LaneKind, SliceFlags, SliceId, Trace};

use super::super::scope::Scope;
use super::super::table::TableRow;

/// What kind of work a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A kernel that computes.
    Computation,
    /// A kernel that moves data between devices.
    Communication,
    /// A copy or a memset.
    Memory,
}

impl WorkKind {
    /// All kinds, in the order in which combinations name them.
    pub const ALL: [Self; 3] = [Self::Computation, Self::Communication, Self::Memory];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Communication => "communication",
            Self::Memory => "memory",
        }
    }

    /// Its bit in a set of kinds.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The call that started a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its slice.
    pub id: SliceId,
    /// When.
    pub span: Span,
}

/// One piece of device work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its slice.
    pub id: SliceId,
    /// The stream.
    pub lane: LaneId,
    /// When.
    pub span: Span,
    /// What it does; none for a wait, which only some rules count.
    pub kind: Option<WorkKind>,
    /// What started it, where the trace says.
    pub launch: Option<Launch>,
}

impl Work {
    /// Its length, ns.
    pub fn dur(&self) -> Ns {
        self.span.end.saturating_sub(self.span.start)
    }
}

/// One device and its work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The worker (rank) it belongs to.
    pub worker: u16,
    /// Its group in the trace.
    pub group: u32,
    /// Its work, by start.
    pub work: Vec<Work>,
}

impl Device {
    /// The stretches of the work that `is_wanted`, by start.
    pub fn spans(&self, is_wanted: impl Fn(&Work) -> bool) -> Vec<Span> {
        self.work.iter().filter(|work| is_wanted(work)).map(|work| work.span).collect()
    }

    /// Its streams and the work of each by start, in the order of lanes.
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

/// What kind of work a slice is, by its category and the import's list of communication libraries.
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

/// The devices that did something in `scope`, with all they did there.
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

/// What a reader must know, or that there is nothing.
pub(super) fn notes(rows: &[TableRow], note: &str) -> Vec<String> {
    vec![if rows.is_empty() { "There is no such device work here.".into() } else { note.into() }]
}
