//! Binding the ends of flows to slices, by the rules of the format.
//!
//! `s` and `t` bind to the innermost slice around their time; `f` binds to the next slice that starts, unless the event
//! says that it binds to the one around it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Flow, FlowKind, Lane, LaneKind, Origin, Row, SliceId, Slices, Warning};

use super::batch::{FlowPoint, PointKind};
use super::stage::Stage;

/// What binding gave.
pub(super) struct Bound {
    pub flows: Vec<Flow>,
    /// Pairs of arrows from launches, of files without correlation numbers.
    pub launches: Vec<(SliceId, SliceId)>,
}

/// The lanes on which a process's thread lies, and the rows to search.
pub(super) struct Ground<'a> {
    pub slices: &'a Slices,
    pub lanes: &'a [Lane],
    pub rows: &'a [Row],
    /// Lanes by (file, process, thread).
    pub lanes_of: FxHashMap<(u16, StrId, StrId), Vec<u32>>,
    /// Slices that carry a flow's end themselves.
    pub carriers: FxHashMap<Origin, SliceId>,
}

/// The slices that carry flows themselves, found by where their events stand.
pub(super) fn carriers(points: &[FlowPoint], slices: &Slices) -> FxHashMap<Origin, SliceId> {
    let wanted: FxHashSet<Origin> =
        points.iter().map(|point| point.carrier).filter(|&carrier| carrier != Origin::NONE).collect();
    if wanted.is_empty() {
        return FxHashMap::default();
    }
    let all = slices.origin.iter().copied().zip(0..);
    all.filter(|(origin, _)| wanted.contains(origin)).collect()
}

pub(super) fn bind(stage: &mut Stage, ground: &Ground<'_>) -> Bound {
    let mut points = std::mem::take(&mut stage.flows);
    // Stable: points of one time keep the file's order.
    points.sort_by_key(|point| (point.key(), point.ts));
    let mut bound = Bound { flows: Vec::new(), launches: Vec::new() };
    for chain in points.chunk_by(|a, b| a.key() == b.key()) {
        bind_chain(stage, ground, chain, &mut bound);
    }
    bound.flows.sort_unstable();
    bound
}

/// The points of one key in order of time: arrows go from each start through its steps to its end.
fn bind_chain(stage: &mut Stage, ground: &Ground<'_>, chain: &[FlowPoint], bound: &mut Bound) {
    let mut from: Option<(SliceId, u8)> = None;
    let mut loose = 0;
    let mut is_open = false;
    for point in chain {
        match point.phase {
            b's' => {
                loose += u64::from(is_open);
                is_open = true;
            }
            b'f' if !is_open => loose += 1,
            b'f' => is_open = false,
            _ => {}
        }
        let slice = ground.bind(point);
        if slice.is_none() {
            loose += 1;
        }
        if let (Some((from, _)), Some(to), true) = (from, slice, point.phase != b's') {
            match point.kind {
                PointKind::Launch => bound.launches.push((from, to)),
                PointKind::ForwardBackward => {
                    bound.flows.push(Flow { from, to, kind: FlowKind::ForwardBackward });
                }
                PointKind::Generic => bound.flows.push(Flow { from, to, kind: FlowKind::Generic }),
            }
        }
        from = if point.phase == b'f' { None } else { slice.map(|slice| (slice, point.phase)).or(from) };
    }
    loose += u64::from(is_open);
    if chain[0].kind == PointKind::Generic {
        stage.quality.note_many(Warning::Flow, loose, None, || "an arrow without a slice at one end".into());
    }
}

impl Ground<'_> {
    fn bind(&self, point: &FlowPoint) -> Option<SliceId> {
        if point.carrier != Origin::NONE {
            return self.carriers.get(&point.carrier).copied();
        }
        let lanes = self.lanes_of.get(&(point.file, point.pid, point.tid))?;
        let lanes = lanes.iter().map(|&lane| &self.lanes[lane as usize]);
        let lanes = lanes.filter(|lane| !matches!(lane.kind, LaneKind::StreamRanges | LaneKind::Counter));
        if point.encloses {
            lanes
                .filter_map(|lane| self.enclosing(lane, point.ts))
                .max_by_key(|&id| self.slices.start[id as usize])
        } else {
            lanes
                .filter_map(|lane| self.next(lane, point.ts))
                .min_by_key(|&id| self.slices.start[id as usize])
        }
    }

    /// The innermost slice of the lane around `ts`, its last instant included.
    fn enclosing(&self, lane: &Lane, ts: Ns) -> Option<SliceId> {
        let rows = &self.rows[lane.rows.start as usize..lane.rows.end as usize];
        rows.iter().rev().find_map(|row| {
            let ids = row.slices();
            let starts = &self.slices.start[ids.start as usize..ids.end as usize];
            let at = starts.partition_point(|&start| start <= ts).checked_sub(1)?;
            let id = ids.start + at as u32;
            (self.slices.end(id) >= ts).then_some(id)
        })
    }

    /// The outermost slice of the lane that starts at or after `ts`.
    fn next(&self, lane: &Lane, ts: Ns) -> Option<SliceId> {
        let rows = &self.rows[lane.rows.start as usize..lane.rows.end as usize];
        let starting = rows.iter().filter_map(|row| {
            let ids = row.slices();
            let starts = &self.slices.start[ids.start as usize..ids.end as usize];
            let at = starts.partition_point(|&start| start < ts);
            (at < starts.len()).then_some(ids.start + at as u32)
        });
        starting.min_by_key(|&id| self.slices.start[id as usize])
    }
}
