//! Binding the ends of flows to slices.
//!
//! An end binds to the slice whose event contains it, to the innermost slice around its time, or to the next
//! slice that starts, depending on its input.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Flow, FlowKind, Lane, LaneId, LaneKind, Origin, Row, RowId, SliceId, Slices, Warning};
use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use crate::import::build::builder::TraceBuilder;
use crate::import::build::input::{self, FlowEnd, FlowRole};

/// The pairs of slices that flows join: launches apart from other pairs.
pub(crate) struct Bound {
    pub flows: Vec<Flow>,
    /// Pairs that launch flows join; the second slice may be no device work.
    pub launches: Vec<(SliceId, SliceId)>,
}

/// What is searched for the slice to which an end of a flow binds.
pub(crate) struct Search<'a> {
    pub slices: &'a Slices,
    pub lanes: &'a Column<LaneId, Lane>,
    pub rows: &'a Column<RowId, Row>,
    /// The trace's lanes by file number, process id and thread id.
    pub lanes_of: FxHashMap<(u16, StrId, StrId), Vec<LaneId>>,
    /// The slices whose own events are ends of flows, too, by the origins of the events.
    pub carriers: FxHashMap<Origin, SliceId>,
}

/// The slices whose own events are ends of flows, too (`is_carried` in `points`), by the origins of the
/// events.
///
/// # Errors
/// When there is no memory for them.
pub(crate) fn carriers(
    points: &[input::Flow],
    slices: &Slices,
) -> Result<FxHashMap<Origin, SliceId>, NoMemory> {
    let carried = || points.iter().filter(|point| point.is_carried).map(|point| point.origin);
    let (mut wanted, mut found) = (FxHashSet::default(), FxHashMap::default());
    heap::fallible(|| wanted.try_reserve(carried().count()))?;
    wanted.extend(carried());
    if wanted.is_empty() {
        return Ok(found);
    }
    heap::fallible(|| found.try_reserve(wanted.len()))?;
    let all = slices.origin.iter().copied().zip(slices.ids());
    found.extend(all.filter(|(origin, _)| wanted.contains(origin)));
    Ok(found)
}

/// Takes the builder's ends of flows, and returns the pairs of slices that they bind. Ends of generic flows
/// that lack a slice or a counterpart are counted as a warning.
///
/// # Errors
/// When there is no memory for the pairs.
pub(crate) fn bind(builder: &mut TraceBuilder, search: &Search<'_>) -> Result<Bound, NoMemory> {
    let mut points = std::mem::take(&mut builder.flows);
    // Stable: ends at one time keep the file's order.
    heap::try_sort_by_key(&mut points, |point| (point.flow_key(), point.ts))?;
    let mut bound = Bound { flows: Vec::new(), launches: Vec::new() };
    let mut by_runtime = Vec::new();
    for chain in points.chunk_by(|a, b| a.flow_key() == b.flow_key()) {
        bind_chain(builder, search, chain, &mut bound, &mut by_runtime)?;
    }
    let mut launched: FxHashSet<SliceId> = FxHashSet::default();
    if !by_runtime.is_empty() {
        heap::fallible(|| launched.try_reserve(bound.launches.len()))?;
        launched.extend(bound.launches.iter().map(|&(_, work)| work));
    }
    for (from, to) in by_runtime {
        if launched.contains(&to) {
            heap::try_push(&mut bound.flows, Flow { from, to, kind: FlowKind::Generic })?;
        } else {
            heap::try_push(&mut bound.launches, (from, to))?;
        }
    }
    bound.flows.sort_unstable();
    Ok(bound)
}

/// Binds `chain`, the ends of one flow in order of time, to slices, and adds the pairs of slices. Pairs of
/// [`FlowRole::RuntimeLaunch`] go to `by_runtime`, all others to `bound`.
fn bind_chain(
    builder: &mut TraceBuilder,
    search: &Search<'_>,
    chain: &[input::Flow],
    bound: &mut Bound,
    by_runtime: &mut Vec<(SliceId, SliceId)>,
) -> Result<(), NoMemory> {
    let mut from: Option<SliceId> = None;
    let mut loose = 0;
    let mut is_open = false;
    for point in chain {
        match point.end {
            FlowEnd::Start => {
                loose += u64::from(is_open);
                is_open = true;
            }
            FlowEnd::Finish if !is_open => loose += 1,
            FlowEnd::Finish => is_open = false,
            FlowEnd::Step => {}
        }
        let slice = search.bind(point);
        if slice.is_none() {
            loose += 1;
        }
        if let (Some(from), Some(to), true) = (from, slice, point.end != FlowEnd::Start) {
            match point.role {
                FlowRole::Launch => heap::try_push(&mut bound.launches, (from, to))?,
                FlowRole::ForwardBackward => {
                    heap::try_push(&mut bound.flows, Flow { from, to, kind: FlowKind::ForwardBackward })?;
                }
                FlowRole::RuntimeLaunch => heap::try_push(by_runtime, (from, to))?,
                FlowRole::Generic | FlowRole::Queue => {
                    heap::try_push(&mut bound.flows, Flow { from, to, kind: FlowKind::Generic })?;
                }
            }
        }
        from = if point.end == FlowEnd::Finish { None } else { slice.or(from) };
    }
    loose += u64::from(is_open);
    if chain[0].role == FlowRole::Generic {
        builder.quality.note_many(Warning::Flow, loose, None, || {
            "an unpaired flow event, or one without a loaded slice".into()
        });
    }
    Ok(())
}

impl Search<'_> {
    fn bind(&self, point: &input::Flow) -> Option<SliceId> {
        if point.is_carried {
            return self.carriers.get(&point.origin).copied();
        }
        let lanes = self.lanes_of.get(&(saturate::<u16>(point.origin.file()), point.pid, point.tid))?;
        let lanes = lanes.iter().map(|&lane| &self.lanes[lane]);
        let lanes = lanes.filter(|lane| !matches!(lane.kind, LaneKind::StreamRanges | LaneKind::Counter));
        if point.encloses {
            lanes.filter_map(|lane| self.enclosing(lane, point.ts)).max_by_key(|&id| self.slices.start[id])
        } else {
            lanes.filter_map(|lane| self.next(lane, point.ts)).min_by_key(|&id| self.slices.start[id])
        }
    }

    /// The slice of the lane that contains the time `ts`, ns, its ends included; of several the slice in the
    /// lowest row. `None` without one.
    fn enclosing(&self, lane: &Lane, ts: Ns) -> Option<SliceId> {
        let rows = &self.rows[lane.rows];
        rows.iter().rev().find_map(|row| {
            let ids = row.slices();
            let starts = &self.slices.start[ids];
            let at = starts.partition_point(|&start| start <= ts).checked_sub(1)?;
            let id = ids.start + saturate::<u32>(at);
            (self.slices.end(id) >= ts).then_some(id)
        })
    }

    /// The first slice of the lane that starts at or after `ts`, ns, of several the topmost; `None` without
    /// one.
    fn next(&self, lane: &Lane, ts: Ns) -> Option<SliceId> {
        let rows = &self.rows[lane.rows];
        let starting = rows.iter().filter_map(|row| {
            let ids = row.slices();
            let starts = &self.slices.start[ids];
            let at = starts.partition_point(|&start| start < ts);
            (at < starts.len()).then_some(ids.start + saturate::<u32>(at))
        });
        starting.min_by_key(|&id| self.slices.start[id])
    }
}
