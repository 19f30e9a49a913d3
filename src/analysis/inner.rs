//! The chart of operators by the operators that they call. Splits each operator's time into its self time and the time of each
//! operator or inner part that it calls directly.
//!
//! A call inside a call of the same name counts as part of it, as in the table of operators. Must not know device work.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, LaneId, SliceId, Trace};

use super::chart::{Chart, ChartKind, Segment, Tint};
use super::part::{Part, Piece};
use super::table::Table;

/// Most callees of an operator that have a segment of their own.
const SEGMENTS: usize = 8;

/// The operators of one name.
#[derive(Default)]
struct Operator {
    /// Summed time of the outermost calls, ns.
    total: Ns,
    /// Summed time of the operators and inner parts that they call directly, by the callee's name, ns.
    inner: FxHashMap<StrId, Ns>,
}

/// True for operators and for the inner parts that producers record: shape inference, kernel launch.
fn is_operator(trace: &Trace, id: SliceId) -> bool {
    let category = trace.slices.category(id);
    category.is_operator() || matches!(category, Category::OperatorInner | Category::KernelLaunch)
}

/// Adds one operator (or inner part) to those of its name, and to the callees of the operator around it.
fn add(trace: &Trace, piece: Piece, found: &mut FxHashMap<StrId, Operator>) {
    let slices = &trace.slices;
    let (id, dur) = (piece.id, piece.dur());
    let name = slices.name[id as usize];
    let mut around = slices.ancestors(id).filter(|&around| is_operator(trace, around));
    let Some(outer) = around.next() else {
        let operator = found.entry(name).or_default();
        operator.total = operator.total.saturating_add(dur);
        return;
    };
    let outer_name = slices.name[outer as usize];
    let (mut is_first, mut is_outer_first) = (name != outer_name, true);
    for id in around {
        is_first &= slices.name[id as usize] != name;
        is_outer_first &= slices.name[id as usize] != outer_name;
    }
    if is_first {
        let operator = found.entry(name).or_default();
        operator.total = operator.total.saturating_add(dur);
    }
    if is_outer_first && name != outer_name {
        let time = found.entry(outer_name).or_default().inner.entry(name).or_default();
        *time = time.saturating_add(dur);
    }
}

/// Makes the segments of an operator: its own time, then its callees, the longest first; those beyond [`SEGMENTS`] are one
/// segment at the end.
fn segments(trace: &Trace, operator: Operator) -> Vec<Segment> {
    let mut inner: Vec<(StrId, Ns)> = operator.inner.into_iter().collect();
    inner.sort_by(|(a, one), (b, other)| {
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        other.cmp(one).then_with(by_name)
    });
    // Callees that overlap each other without nesting share the operator's time.
    let mut own = operator.total;
    for (_, time) in &mut inner {
        *time = (*time).min(own);
        own -= *time;
    }
    let more = inner.split_off(inner.len().min(SEGMENTS));
    let segment = |(n, (name, time)): (usize, (StrId, Ns))| Segment {
        name: trace.string_or(name, "(unnamed)").into_owned(),
        time,
        tint: Tint::Nth(n + 1),
    };
    let mut segments = vec![Segment::new("self", own, Tint::Nth(0))];
    segments.extend(inner.into_iter().enumerate().map(segment));
    if !more.is_empty() {
        let time = more.iter().fold(0, |all: Ns, (_, time)| all.saturating_add(*time));
        segments.push(Segment::new(&format!("{} more", more.len()), time, Tint::Remainder));
    }
    segments
}

/// Builds the chart for the operators of `table`; None if no operator took any time.
pub(super) fn chart(part: &Part<'_>, table: &Table) -> Option<Chart> {
    let trace = part.trace();
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<StrId, Operator> = FxHashMap::default();
        part.pieces(lane)
            .filter(|piece| is_operator(trace, piece.id))
            .for_each(|piece| add(trace, piece, &mut found));
        found
    };
    let merge = |mut all: FxHashMap<StrId, Operator>, one: FxHashMap<StrId, Operator>| {
        for (name, operator) in one {
            let known = all.entry(name).or_default();
            known.total = known.total.saturating_add(operator.total);
            for (inner, time) in operator.inner {
                let sum = known.inner.entry(inner).or_default();
                *sum = sum.saturating_add(time);
            }
        }
        all
    };
    let found =
        (0..trace.lanes.len() as LaneId).into_par_iter().map(of_lane).reduce(FxHashMap::default, merge);
    let longest = found.values().map(|operator| operator.total).max().unwrap_or_default();
    let named = |(name, operator): (StrId, Operator)| {
        (trace.string_or(name, "(unnamed)").as_str().to_owned(), segments(trace, operator))
    };
    let by_name: BTreeMap<String, Vec<Segment>> = found.into_iter().map(named).collect();
    let order = table.column("total");
    (longest > 0).then_some(Chart {
        title: "Operator time by called operator",
        order,
        kind: ChartKind::Segments { by_name, longest },
    })
}
