//! The calls of the host that launched copies and memsets, and how the time of a call is divided among the
//! device work that it launched.
//!
//! Must not know tables.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::part::Part;
use crate::analysis::part::nesting::Innermost;
use proftui_base::ids::{Column, Ids};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneKind, SliceId, Trace};

/// True for the categories of device work that copies or sets memory.
pub(super) fn is_copy(category: Category) -> bool {
    matches!(category, Category::Memcpy | Category::Memset)
}

/// A share of a call's time, which is divided among the device work that the call launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The call, or Paddle's event `GpuMemcpy…`, whose time is divided: the outermost around the launch, else
    /// the launch itself; without a known launch, an event.
    pub call: SliceId,
    /// The call that is linked to the device work; the same as `call` if none is linked.
    pub launch: SliceId,
    /// The index of the device work among the pieces that `call` launched, in the order of the file.
    number: i64,
    /// How many pieces of device work `call` launched; 1 if none is known.
    of: i64,
}

impl Share {
    /// The share that is all of a call's time.
    fn whole(call: SliceId) -> Self {
        Self { call, launch: call, number: 0, of: 1 }
    }

    /// The share of the call's time within the part, ns; `None` if the call is not in the part's time.
    pub(super) fn time(self, part: &Part<'_>) -> Option<Ns> {
        let piece = part.piece(self.call)?;
        if piece.span.is_empty() {
            return Some(0);
        }
        let start = part.trace().slices.start[self.call];
        let until = |at: Ns| (at - start).saturating_add(self.number) / self.of;
        Some(until(piece.span.end) - until(piece.span.start))
    }
}

/// The calls that launched the copies and memsets of a trace.
#[derive(Default)]
pub(super) struct Calls {
    /// The copies and memsets whose call is known, ascending, each with its share of the call's time.
    of_copies: Vec<(SliceId, Share)>,
    /// Indices into `of_copies`, ascending by `Share::call`.
    by_call: Vec<u32>,
    /// Paddle's events `GpuMemcpy…` of which no copy on a device is known, ascending.
    without_copy: Vec<SliceId>,
}

impl Calls {
    /// The calls that launched the copies and memsets of the trace, found on first use and kept with the
    /// trace.
    pub(super) fn of(trace: &Trace) -> &Self {
        trace.kept.get(|| Self::make(trace))
    }

    /// Finds the calls that launched the copies and memsets of a trace.
    fn make(trace: &Trace) -> Self {
        let host_copies = HostCopies::of(trace);
        let streams = trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream);
        let copies = streams.flat_map(|lane| lane.slices).filter(|&id| is_copy(trace.slices.category(id)));
        let (mut linked, mut unlinked) = (FxHashMap::<SliceId, Vec<SliceId>>::default(), Vec::new());
        for copy in copies {
            match trace.links.launch_of(copy) {
                Some(launch) => _ = linked.entry(host_copies.outermost(trace, launch)).or_default(),
                None => unlinked.push(copy),
            }
        }
        let mut found = Self::default();
        if !linked.is_empty() {
            for &(launch, work) in trace.links.all() {
                if let Some(pieces) = linked.get_mut(&host_copies.outermost(trace, launch)) {
                    pieces.push(work);
                }
            }
        }
        for (&call, pieces) in &mut linked {
            found.divide(trace, call, pieces);
        }
        let others: Vec<SliceId> =
            host_copies.events.into_iter().filter(|id| !linked.contains_key(id)).collect();
        found.pair(trace, &unlinked, &others);
        found.of_copies.sort_unstable_by_key(|(copy, _)| *copy);
        found.by_call = (0..saturate::<u32>(found.of_copies.len())).collect();
        found.by_call.sort_by_key(|&at| found.of_copies[at as usize].1.call);
        found.without_copy.sort_unstable();
        found
    }

    /// Divides a call's time evenly among `pieces`, the device work that the call launched, and adds the
    /// copies and memsets to `of_copies`.
    fn divide(&mut self, trace: &Trace, call: SliceId, pieces: &mut [SliceId]) {
        pieces.sort_unstable_by_key(|&work| trace.slices.origin[work]);
        let of = saturate::<i64>(pieces.len());
        for (number, &work) in (0..).zip(&*pieces) {
            if is_copy(trace.slices.category(work)) {
                let launch = trace.links.launch_of(work).unwrap_or(call);
                self.of_copies.push((work, Share { call, launch, number, of }));
            }
        }
    }

    /// Pairs copies without a linked call with Paddle's events `GpuMemcpy…` of the same name, in order of
    /// time, if there are equally many; else adds the events to `without_copy`.
    fn pair(&mut self, trace: &Trace, copies: &[SliceId], events: &[SliceId]) {
        let by_name = |ids: &[SliceId]| {
            let mut found: FxHashMap<StrId, Vec<SliceId>> = FxHashMap::default();
            for &id in ids {
                found.entry(trace.slices.name[id]).or_default().push(id);
            }
            found.values_mut().for_each(|ids| ids.sort_unstable_by_key(|&id| (trace.slices.start[id], id)));
            found
        };
        let copies = by_name(copies);
        for (name, events) in by_name(events) {
            match copies.get(&name).filter(|copies| copies.len() == events.len()) {
                Some(copies) => {
                    let pairs = copies.iter().zip(events);
                    self.of_copies.extend(pairs.map(|(&copy, event)| (copy, Share::whole(event))));
                }
                None => self.without_copy.extend(events),
            }
        }
    }

    /// The share of a call's time that falls to a copy or memset; `None` if no call is known.
    pub(super) fn of_copy(&self, copy: SliceId) -> Option<Share> {
        let at = self.of_copies.binary_search_by_key(&copy, |(copy, _)| *copy).ok()?;
        Some(self.of_copies[at].1)
    }

    /// The copies and memsets among `slices` whose call is known, each with its share of the call's time.
    pub(super) fn of_copies(&self, slices: Ids<SliceId>) -> impl Iterator<Item = (SliceId, Share)> + '_ {
        let from = self.of_copies.partition_point(|(copy, _)| *copy < slices.start);
        let of_copies = self.of_copies[from..].iter();
        of_copies.take_while(move |(copy, _)| *copy < slices.end).copied()
    }

    /// The copies and memsets of the calls among `slices`, each with its share of the call's time.
    pub(super) fn of_calls(&self, slices: Ids<SliceId>) -> impl Iterator<Item = (SliceId, Share)> + '_ {
        let of = |&at: &u32| self.of_copies[at as usize];
        let from = self.by_call.partition_point(|at| of(at).1.call < slices.start);
        self.by_call[from..].iter().map(of).take_while(move |(_, share)| share.call < slices.end)
    }

    /// The events `GpuMemcpy…` among `slices` without a known copy on a device, each with all its time.
    pub(super) fn without_copy(&self, slices: Ids<SliceId>) -> impl Iterator<Item = Share> + '_ {
        let from = self.without_copy.partition_point(|&id| id < slices.start);
        let ids = self.without_copy[from..].iter().take_while(move |id| **id < slices.end);
        ids.map(|&id| Share::whole(id))
    }
}

/// Paddle's events around calls that copy, such as `GpuMemcpyAsync:GPU->CPU`.
struct HostCopies {
    /// All names in the trace that begin with `GpuMemcpy`.
    names: FxHashSet<StrId>,
    /// The outermost events `GpuMemcpy…` on lanes of threads.
    events: Vec<SliceId>,
    /// For each slice the outermost call or event `GpuMemcpy…` around it, or [`SliceId::NONE`]; filled on
    /// first use.
    around: OnceCell<Column<SliceId, SliceId>>,
}

impl HostCopies {
    fn of(trace: &Trace) -> Self {
        let all = trace.strings.ids();
        let names: FxHashSet<StrId> =
            all.iter().filter(|&name| trace.strings.bytes(name).starts_with(b"GpuMemcpy")).collect();
        let mut found = Self { names, events: Vec::new(), around: OnceCell::new() };
        if !found.names.is_empty() {
            let threads =
                trace.lanes.iter().filter(|lane| matches!(lane.kind, LaneKind::Thread | LaneKind::Python));
            let ids = threads.flat_map(|lane| lane.slices);
            let all = trace.slices.ids();
            let around = Innermost::of(&trace.slices, all, |id| found.has(trace, id));
            let is_outermost = |id: &SliceId| around.around(&trace.slices, *id).is_none();
            found.events = ids.filter(|&id| found.has(trace, id)).filter(is_outermost).collect();
        }
        found
    }

    fn has(&self, trace: &Trace, id: SliceId) -> bool {
        self.names.contains(&trace.slices.name[id])
    }

    /// The outermost call or event `GpuMemcpy…` around a launch, or the launch itself if there is none.
    fn outermost(&self, trace: &Trace, launch: SliceId) -> SliceId {
        let around = self.around.get_or_init(|| {
            let slices = &trace.slices;
            let is_call = |id: SliceId| slices.category(id).is_runtime() || self.has(trace, id);
            let mut around: Column<SliceId, SliceId> = Vec::with_capacity(slices.len()).into();
            // A slice lies in a row below that of its parent, so the parent has the smaller number.
            for id in slices.ids() {
                let outermost = slices.parent(id).map_or(SliceId::NONE, |parent| match around[parent] {
                    SliceId::NONE if is_call(parent) => parent,
                    known => known,
                });
                around.push(outermost);
            }
            around
        });
        around.get(launch).copied().filter(|&call| call != SliceId::NONE).unwrap_or(launch)
    }
}
