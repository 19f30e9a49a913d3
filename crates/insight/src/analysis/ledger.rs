//! The ledger: why each device had no work, for every nanosecond.
//!
//! Each recorded nanosecond of a device has one owner: work, or one [`Cause`]. Gaps are charged once, on the
//! whole trace; a part of the trace cuts them, and the pieces keep their cause. Must not know tables or
//! findings.

pub(in crate::analysis) mod activity;
pub mod cause;
mod charge;
mod gaps;
pub mod hosts;
pub mod replay;
mod segments;
mod sparse;
pub mod stretch;
mod threads;
mod timeline;
mod whole;

use std::sync::Arc;

use rayon::prelude::*;

use proftui_base::time::{Ns, Span};
use proftui_trace::index::idle::{CauseSum, Idle, IdleBuilder, Sums};
use proftui_trace::model::{GroupId, GroupKind, LaneId, SliceId, Trace, WorkerId};

use super::part::run::Run;
use super::thresholds::UNRECORDED_WAIT;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::{intersection, length, within, without};

pub use cause::Cause;
pub use whole::Whole;

use charge::{Bounds, Charger, unrecorded};
use gaps::{Gap, WorkKind};
use threads::Threads;

/// The most gaps of a device that are charged as one task, where tasks run in parallel.
const CHUNK: usize = 4096;

/// The idle time of each device of a trace, divided by cause.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The devices that have work in the trace, in the order of their groups.
    pub devices: Vec<DeviceLedger>,
}

/// The idle time of one device, or of one stream of it, divided by cause.
#[derive(Debug, Default)]
pub struct DeviceLedger {
    /// The device's group, an index into `Trace::groups`.
    pub group: GroupId,
    /// The worker that recorded the device, an index into `Trace::meta.workers`.
    pub worker: WorkerId,
    /// The lanes of the device's streams that have device work; of a stream's ledger, only its lane; of a
    /// host thread's, its lanes.
    pub lanes: Vec<LaneId>,
    /// True for the ledger of a host thread, whose work is its time in operators.
    pub is_host: bool,
    /// The gaps within each recorded time of the worker, divided by cause.
    pub idle: Idle,
    /// The recorded time of the worker, and what of it is the run.
    pub run: Arc<Run>,
}

/// The time of a device or stream in a part of a trace: `span` is `work` and `idle` together, and `idle` is
/// the sum of the causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSums {
    /// What of the part is the whole that shares are of ([`Run::within`]), ns.
    pub span: Ns,
    /// The time of the whole in which the device had work, ns.
    pub work: Ns,
    /// The time of the whole without work, including missing records, ns.
    pub idle: Ns,
    /// The time without work that is charged to each cause, by the number of the cause.
    pub causes: Sums,
}

impl DeviceSums {
    /// The time that is charged to a cause, with the number of gaps and the longest piece.
    pub fn of(&self, cause: Cause) -> CauseSum {
        self.causes[cause as usize]
    }

    /// The sums from which shares of the device's time are computed.
    pub fn whole(&self) -> Whole {
        Whole::of(self.span, self.work, self.of(Cause::NotRecorded).ns)
    }
}

impl Ledger {
    /// The ledger of a trace, made when first asked for and kept with the trace.
    pub fn of(trace: &Trace) -> Arc<Self> {
        Arc::clone(trace.kept.get(|| Arc::new(Self::make(trace))))
    }

    /// Makes the ledger of a trace by charging the gaps of all its devices.
    pub fn make(trace: &Trace) -> Self {
        let devices = trace.groups.iter_with_ids().filter(|(_, group)| group.kind == GroupKind::Device);
        let devices: Vec<(GroupId, WorkerId, Vec<LaneId>)> = devices
            .map(|(number, group)| (number, group.worker, gaps::streams(trace, group.lanes.iter())))
            .filter(|(_, _, lanes)| !lanes.is_empty())
            .collect();
        if devices.is_empty() {
            return Self::default();
        }
        let measured = || -> Vec<Measured> {
            let measured =
                devices.into_par_iter().map(|(group, worker, lanes)| measure(trace, group, worker, lanes));
            measured.collect()
        };
        let (threads, measured) = rayon::join(|| Threads::of(trace), measured);
        let workers = trace.meta.workers.len().max(1);
        // Groups are in the order of their workers, and so are devices.
        let of_worker = |worker: WorkerId| {
            let from = measured.partition_point(|device| device.worker < worker);
            let to = measured.partition_point(|device| device.worker <= worker);
            missing(trace, &measured[from..to], &threads, worker)
        };
        let missing: Vec<Vec<Span>> =
            (0..workers).into_par_iter().map(WorkerId::from_index).map(of_worker).collect();
        let charge = |device: Measured| {
            let not_recorded = missing.get(device.worker.index()).map_or(&[][..], Vec::as_slice);
            device.charge(trace, &threads, not_recorded)
        };
        Self { devices: measured.into_par_iter().map(charge).collect() }
    }

    /// Makes a ledger for each stream with device work; each comes with the index of its device in `devices`.
    /// `self` must be the ledger of `trace`.
    pub fn of_streams(&self, trace: &Trace) -> Vec<(usize, DeviceLedger)> {
        let threads = Threads::of(trace);
        let lanes = self
            .devices
            .iter()
            .enumerate()
            .flat_map(|(at, device)| device.lanes.iter().map(move |&lane| (at, lane)));
        let lanes: Vec<_> = lanes.collect();
        lanes
            .into_par_iter()
            .map(|(at, lane)| (at, self.devices[at].of_lane(trace, &threads, lane)))
            .collect()
    }

    /// The devices that a scope selects: those with work on a stream in it, or, of a scope without streams,
    /// those of its workers.
    pub fn in_scope<'a>(
        &'a self,
        trace: &'a Trace,
        scope: &'a Scope,
    ) -> impl Iterator<Item = &'a DeviceLedger> {
        let has_stream = scope.has_kind(trace, |kind| kind == proftui_trace::model::LaneKind::Stream);
        let workers = scope.workers(trace);
        self.devices.iter().filter(move |device| {
            let has_lane = device.lanes.iter().any(|&lane| scope.has_lane(lane));
            has_lane || !has_stream && workers.binary_search(&device.worker).is_ok()
        })
    }

    /// The device that a lane belongs to, else the first of its worker, else the first of the trace. `None`
    /// if no device has work.
    pub fn device_of(&self, trace: &Trace, lane: LaneId) -> Option<&DeviceLedger> {
        let group = trace.lanes.get(lane)?.group;
        let worker = trace.groups[group].worker;
        let own = self.devices.iter().find(|device| device.group == group);
        own.or_else(|| self.devices.iter().find(|device| device.worker == worker)).or(self.devices.first())
    }

    /// The memory on the heap that the gaps of all devices take, bytes.
    pub fn bytes(&self) -> usize {
        self.devices.iter().map(|device| device.idle.bytes()).sum()
    }
}

impl DeviceLedger {
    /// The sums of what shares are of in the part `span` ([`Run::within`]).
    pub fn sums(&self, span: Span) -> DeviceSums {
        self.sums_of(&self.run.within(span))
    }

    /// The recorded time in `span` that is outside of the whole that shares are of.
    pub fn outside(&self, span: Span) -> DeviceSums {
        self.sums_of(&without(&within(&self.run.recorded, span), &self.run.within(span)))
    }

    /// The sums of times that lie in the recorded time.
    fn sums_of(&self, times: &[Span]) -> DeviceSums {
        let mut causes = Sums::default();
        for time in times {
            for (sum, more) in causes.iter_mut().zip(self.idle.sums(*time)) {
                sum.ns = sum.ns.saturating_add(more.ns);
                sum.gaps += more.gaps;
                if more.longest > sum.longest {
                    (sum.longest, sum.longest_at) = (more.longest, more.longest_at);
                }
            }
        }
        let idle = causes.iter().fold(0, |sum: Ns, cause| sum.saturating_add(cause.ns));
        let span = length(times);
        DeviceSums { span, work: span.saturating_sub(idle), idle, causes }
    }

    /// Makes the ledger of one stream of the device. In its gaps, times in which the device's records are
    /// missing count as missing, too.
    fn of_lane(&self, trace: &Trace, threads: &Threads, lane: LaneId) -> Self {
        let missing: Vec<Span> = (0..self.idle.len())
            .map(|at| self.idle.piece(at))
            .filter(|piece| piece.cause == Cause::NotRecorded as u8)
            .map(|piece| piece.span)
            .collect();
        measure(trace, self.group, self.worker, vec![lane]).charge(trace, threads, &missing)
    }
}

/// The gaps of a device or stream before they are charged.
struct Measured {
    group: GroupId,
    worker: WorkerId,
    lanes: Vec<LaneId>,
    gaps: Vec<Gap>,
    /// When the last work ends, ns; `Ns::MIN` without work.
    last: Ns,
    run: Arc<Run>,
}

fn measure(trace: &Trace, group: GroupId, worker: WorkerId, lanes: Vec<LaneId>) -> Measured {
    let run = Run::of(trace, worker);
    let (mut gaps, mut last) = (Vec::new(), Ns::MIN);
    for &time in &run.recorded {
        let found = gaps::gaps(trace, &lanes, time);
        match found.last().filter(|gap| gap.after.is_none()) {
            Some(gap) if gap.before.is_some() => last = last.max(gap.span.start),
            Some(_) => {}
            None => last = last.max(time.end),
        }
        gaps.extend(found);
    }
    Measured { group, worker, lanes, gaps, last, run }
}

/// The times in which records of the worker's device work seem to be missing, as its threads wait for long.
/// `devices` must be all of the worker.
fn missing(trace: &Trace, devices: &[Measured], threads: &Threads, worker: WorkerId) -> Vec<Span> {
    let mut bare: Option<Vec<Span>> = None;
    // Calls that begin after the last work wait for nothing.
    let mut last = Ns::MIN;
    for device in devices {
        let gaps = device.gaps.iter().map(|gap| unexplained(trace, gap));
        let own: Vec<Span> = gaps.filter(|gap| gap.len() >= UNRECORDED_WAIT).collect();
        last = last.max(device.last);
        bare = Some(bare.map_or(own.clone(), |known| intersection(&known, &own)));
    }
    unrecorded(&bare.unwrap_or_default(), threads, worker, UNRECORDED_WAIT, last)
}

/// The gap; of a gap that a collective with a known launch outside of graphs ends, only the time until the
/// launch call returned, since afterwards the device may wait for other ranks.
fn unexplained(trace: &Trace, gap: &Gap) -> Span {
    match gap.launch {
        Some(launch) if WorkKind::of(trace, gap) == WorkKind::Collective => {
            Span { end: trace.slices.end(launch).clamp(gap.span.start, gap.span.end), ..gap.span }
        }
        _ => gap.span,
    }
}

impl Measured {
    fn charge(self, trace: &Trace, threads: &Threads, not_recorded: &[Span]) -> DeviceLedger {
        let Self { group, worker, lanes, gaps, run, .. } = self;
        let bounds = Bounds::of(trace, &gaps);
        let charger = Charger { trace, threads, worker, bounds, not_recorded };
        let distances = charger.distances(&gaps);
        let chunks: Vec<_> = gaps
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(number, chunk)| {
                let mut pieces = Vec::new();
                let mut ends = Vec::with_capacity(chunk.len());
                for (at, gap) in chunk.iter().enumerate() {
                    charger.charge(gap, distances[number * CHUNK + at], &mut pieces);
                    ends.push(pieces.len());
                }
                (pieces, ends)
            })
            .collect();
        let mut builder = IdleBuilder::default();
        for (pieces, ends) in chunks {
            let mut from = 0;
            for to in ends {
                builder.gap(pieces[from..to].iter().copied());
                from = to;
            }
        }
        DeviceLedger { group, worker, lanes, is_host: false, idle: builder.finish(), run }
    }
}

/// The work on both sides of a gap, and the call that launched the work after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The gap: the whole time without work between `before` and `after`.
    pub gap: Span,
    /// The work that ended last before the gap; `None` at the start of a recorded time.
    pub before: Option<SliceId>,
    /// The first work after the gap; `None` at the end of a recorded time.
    pub after: Option<SliceId>,
    /// The call that launched `after`; `None` if it is not known.
    pub launch: Option<SliceId>,
}

impl DeviceLedger {
    /// The work on both sides of a gap of the device; `None` if the device has no gap with exactly this span.
    pub fn sides(&self, trace: &Trace, gap: Span) -> Option<Sides> {
        let around = Span { start: gap.start.saturating_sub(1), end: gap.end.saturating_add(1) };
        // A gap without work before or after it ends where the recorded time does.
        let is_same = |found: &Gap| {
            let recorded = &self.run.recorded;
            let begins = found.span.start == gap.start
                || found.before.is_none() && recorded.iter().any(|time| time.start == gap.start);
            let ends = found.span.end == gap.end
                || found.after.is_none() && recorded.iter().any(|time| time.end == gap.end);
            begins && ends
        };
        let found = gaps::gaps(trace, &self.lanes, around).into_iter().find(is_same)?;
        let Gap { before, after, launch, .. } = found;
        Some(Sides { gap, before, after, launch })
    }
}

impl Sides {
    /// The call on the thread that is asked what the host did in the gap: the launch of the work after it,
    /// or, without such work, that of the work before; `None` if it is not known.
    pub fn asked(&self, trace: &Trace) -> Option<SliceId> {
        let last = || trace.links.launch_of(self.before?);
        if self.after.is_some() { self.launch } else { last() }
    }
}
