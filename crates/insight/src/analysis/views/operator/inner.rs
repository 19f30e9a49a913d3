//! The chart of operators by what is inside them: the time of the operators that each calls directly, of its
//! inner parts, of its runtime calls and waits, and the rest of its own time.
//!
//! A call inside a call of the same name counts as part of it, as in the table of operators. Must not know
//! device work.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::part::Part;
use crate::analysis::part::nesting::Repeats;
use crate::analysis::table::Table;
use crate::analysis::table::chart::{Chart, ChartKind, Segment, Tint};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

use super::own::{Own, OwnTimes, Role};

/// The most operators and inner parts, by name, that have a segment of their own in an operator's bar; others
/// share a segment.
const SEGMENTS: usize = 8;

/// The sums over the operators of one name that are in no other operator of that name.
#[derive(Default)]
struct Operator {
    /// The operators' summed time with all that runs inside them, ns.
    total: Ns,
    /// The operators' summed own time.
    own: Own,
    /// Summed time of the directly called operators of other names, and own time of inner parts outside of
    /// runtime calls, by name, ns.
    inner: FxHashMap<StrId, Ns>,
}

impl Operator {
    fn add_inner(&mut self, name: StrId, time: Ns) {
        let known = self.inner.entry(name).or_default();
        *known = known.saturating_add(time);
    }

    fn merge(&mut self, other: Self) {
        self.total = self.total.saturating_add(other.total);
        self.own.add(other.own);
        other.inner.into_iter().for_each(|(name, time)| self.add_inner(name, time));
    }
}

/// Sums up the operators on a lane by name. `is_outermost` is true for an operator in no other operator of
/// its name.
fn of_lane(
    part: &Part<'_>,
    own: &OwnTimes<'_>,
    is_outermost: impl Fn(LaneId, SliceId) -> bool,
    lane: LaneId,
) -> FxHashMap<StrId, Operator> {
    let trace = part.trace();
    let slices = &trace.slices;
    let name = |id| slices.name[id];
    let mut found: FxHashMap<StrId, Operator> = FxHashMap::default();
    for piece in part.pieces(lane) {
        let id = piece.id;
        let Some(role @ (Role::Operator | Role::InnerPart)) = own.role(slices, lane, id) else { continue };
        let of_piece = own.own(trace, lane, piece, role);
        if role == Role::Operator && is_outermost(lane, id) {
            let operator = found.entry(name(id)).or_default();
            operator.total = operator.total.saturating_add(piece.dur());
            operator.own.add(of_piece);
        }
        let Some(caller) = own.operator(lane, id).filter(|&caller| is_outermost(lane, caller)) else {
            continue;
        };
        match role {
            Role::Operator if name(caller) == name(id) => {}
            Role::Operator => found.entry(name(caller)).or_default().add_inner(name(id), piece.dur()),
            _ => {
                let outside = of_piece.time.saturating_sub(of_piece.calls);
                found.entry(name(caller)).or_default().add_inner(name(id), outside);
            }
        }
    }
    found
}

/// Makes the segments of an operator's bar, which add up to its total time.
fn segments(trace: &Trace, operator: Operator) -> Vec<Segment> {
    let mut inner: Vec<(StrId, Ns)> = operator.inner.into_iter().collect();
    inner.sort_by(|(a, one), (b, other)| {
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        other.cmp(one).then_with(by_name)
    });
    // Parts that overlap each other without nesting share the operator's time.
    let mut rest = operator.total;
    let mut take = |time: Ns| {
        let taken = time.clamp(0, rest.max(0));
        rest -= taken;
        taken
    };
    let waiting = take(operator.own.waiting);
    let calls = take(operator.own.calls.saturating_sub(operator.own.waiting));
    inner.iter_mut().for_each(|(_, time)| *time = take(*time));
    let more = inner.split_off(inner.len().min(SEGMENTS));
    let segment = |(n, (name, time)): (usize, (StrId, Ns))| Segment {
        name: trace.string_or(name, "(unnamed)").into_owned(),
        time,
        tint: Tint::Nth(n + 1),
    };
    let mut segments = vec![Segment::new("other own time", rest, Tint::Nth(0))];
    let of_calls = [
        ("waiting calls", waiting, Category::Synchronization),
        ("other runtime calls", calls, Category::CudaRuntime),
    ];
    let of_calls = of_calls.into_iter().filter(|(_, time, _)| *time > 0);
    segments
        .extend(of_calls.map(|(name, time, category)| Segment::new(name, time, Tint::Category(category))));
    segments.extend(inner.into_iter().enumerate().map(segment));
    if !more.is_empty() {
        let time = more.iter().fold(0, |all: Ns, (_, time)| all.saturating_add(*time));
        segments.push(Segment::new(&format!("{} more", more.len()), time, Tint::Remainder));
    }
    segments
}

/// Builds the chart of the part's operators by what is inside them; `None` if no operator took any time.
pub(super) fn chart(part: &Part<'_>, own: &OwnTimes<'_>, table: &Table) -> Option<Chart> {
    let trace = part.trace();
    let merge = |mut all: FxHashMap<StrId, Operator>, one: FxHashMap<StrId, Operator>| {
        for (name, operator) in one {
            all.entry(name).or_default().merge(operator);
        }
        all
    };
    let slices = &trace.slices;
    let repeats = Repeats::of(part, |_, id| slices.category(id).is_operator().then(|| slices.name[id]));
    let is_outermost = |lane, id| !repeats.has(lane, id);
    let found =
        part.par_lanes().map(|lane| of_lane(part, own, is_outermost, lane)).reduce(FxHashMap::default, merge);
    let longest = found.values().map(|operator| operator.total).max().unwrap_or_default();
    let named = |(name, operator): (StrId, Operator)| {
        (trace.string_or(name, "(unnamed)").as_str().to_owned(), segments(trace, operator))
    };
    let by_name: BTreeMap<String, Vec<Segment>> = found.into_iter().map(named).collect();
    let order = table.column("total");
    (longest > 0).then_some(Chart {
        title: "Operator time by what runs inside",
        order,
        kind: ChartKind::Segments { by_name, longest },
    })
}
