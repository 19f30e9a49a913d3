//! The device work of each device in order of time, with the call that launched it.
//!
//! Must not know the summaries made of it.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, LaneId, LaneKind, SliceFlags, SliceId, Trace, WorkerId};

use super::super::part::{Part, Piece};

/// The kind of a piece of device work: computation, communication, or memory (a copy or memset).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A kernel of no communication library.
    Computation,
    /// A kernel of a communication library, such as NCCL.
    Communication,
    /// A copy or a memset.
    Memory,
}

impl WorkKind {
    /// All kinds, in the order in which the name of a set of kinds lists them.
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

/// One piece of device work, usually cut to the part that is summarized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The slice of the work.
    pub id: SliceId,
    /// The lane of the stream that ran the work.
    pub lane: LaneId,
    /// The start and end of the work, usually cut to the part that is summarized.
    pub span: Span,
    /// True if the work begins in the part that is summarized, and so is counted there.
    pub begins: bool,
    /// The kind of the work; [`devices`] sets it for all work that it collects.
    pub kind: Option<WorkKind>,
    /// The call that launched the work; `None` if the trace does not link one.
    pub launch: Option<Launch>,
}

impl Work {
    /// The length of `span`, ns.
    pub fn dur(&self) -> Ns {
        self.span.end.saturating_sub(self.span.start)
    }
}

/// A device with its work in a part of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The index of the worker (rank) to which the device belongs.
    pub worker: WorkerId,
    /// The index of the device's group of lanes in the trace.
    pub group: GroupId,
    /// The lanes of the device's streams in the scope that have work at any time in the trace.
    pub lanes: Vec<LaneId>,
    /// The device's work in the part, sorted by start.
    pub work: Vec<Work>,
}

impl Device {
    /// The spans of the work for which `is_wanted` is true, sorted by start.
    pub fn spans(&self, is_wanted: impl Fn(&Work) -> bool) -> Vec<Span> {
        self.work.iter().filter(|work| is_wanted(work)).map(|work| work.span).collect()
    }

    /// The device's work stream by stream, in the order of lanes, each stream's sorted by start. A stream
    /// that has work only outside of the part is there with an empty list.
    pub fn streams(&self) -> Vec<(LaneId, Vec<Work>)> {
        let mut streams: Vec<(LaneId, Vec<Work>)> =
            self.lanes.iter().map(|&lane| (lane, Vec::new())).collect();
        let mut known: FxHashMap<LaneId, usize> =
            self.lanes.iter().enumerate().map(|(at, &lane)| (lane, at)).collect();
        // The next work is often of the same stream.
        let mut last = (None, 0);
        for work in &self.work {
            if last.0 != Some(work.lane) {
                last = (Some(work.lane), *known.entry(work.lane).or_insert(streams.len()));
            }
            let at = last.1;
            if at == streams.len() {
                streams.push((work.lane, Vec::new()));
            }
            streams[at].1.push(*work);
        }
        streams
    }
}

/// The kind of a slice's work; `None` for a slice that is no kernel, copy or memset.
pub(crate) fn kind(trace: &Trace, id: SliceId) -> Option<WorkKind> {
    match trace.slices.category(id) {
        Category::Kernel if trace.slices.flags[id].has(SliceFlags::COMMUNICATION) => {
            Some(WorkKind::Communication)
        }
        Category::Kernel => Some(WorkKind::Computation),
        Category::Memcpy | Category::Memset => Some(WorkKind::Memory),
        _ => None,
    }
}

/// Collects the devices that have work on the lanes of the part's scope, even if none of it is in the part,
/// with the work that is in the part.
pub fn devices(part: &Part<'_>) -> Vec<Device> {
    let trace = part.trace();
    let of_group = |number: GroupId| {
        let group = &trace.groups[number];
        let is_stream = |lane: &LaneId| {
            let of_trace = &trace.lanes[*lane];
            of_trace.kind == LaneKind::Stream
                && part.scope().has_lane(*lane)
                && of_trace.slices.iter().any(|id| kind(trace, id).is_some())
        };
        let lanes: Vec<LaneId> = group.lanes.iter().filter(is_stream).collect();
        let mut work: Vec<Work> = lanes
            .iter()
            .flat_map(|&lane| part.pieces(lane).map(move |piece| (lane, piece)))
            .filter_map(|(lane, Piece { id, span, begins, .. })| {
                let kind = Some(kind(trace, id)?);
                let launch = trace.links.launch_of(id).map(|id| Launch { id, span: trace.slices.span(id) });
                Some(Work { id, lane, span, begins, kind, launch })
            })
            .collect();
        work.sort_by_key(|work| work.span.start);
        Device { worker: group.worker, group: number, lanes, work }
    };
    let all: Vec<Device> =
        part.groups_of_workers().indices().into_par_iter().map(GroupId::from_index).map(of_group).collect();
    all.into_iter().filter(|device| !device.lanes.is_empty()).collect()
}

/// The [`devices`] with that of their work which is in the part's run ([`Part::run`]), cut to it.
pub fn in_run(part: &Part<'_>) -> Vec<Device> {
    let mut all = devices(part);
    for device in &mut all {
        let run = part.run(device.worker);
        let start = |work: &Work| part.trace().slices.start[work.id];
        let cut = |work: &Work| {
            let (start, own) = (start(work), *work);
            let pieces = run.iter().filter_map(move |time| {
                let span = Span { start: own.span.start.max(time.start), end: own.span.end.min(time.end) };
                let begins = own.begins && time.contains(start);
                (begins || span.start < span.end).then_some(Work { span, begins, ..own })
            });
            pieces.collect::<Vec<_>>()
        };
        let is_whole = |work: &Work| {
            run.iter().any(|time| time.start <= start(work).min(work.span.start) && work.span.end < time.end)
        };
        if !device.work.iter().all(is_whole) {
            device.work = device.work.iter().flat_map(cut).collect();
            device.work.sort_by_key(|work| work.span.start);
        }
    }
    all
}
