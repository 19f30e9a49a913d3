//! The own time of operators, of their inner parts, and of the calls that they make.
//!
//! An operator's own time is the time in it and in no operator inside it: its inner parts (inferring shapes,
//! computing, launching), runtime calls and waits are its own. A call inside another call is part of that
//! one. Must not know tables.

use rayon::prelude::*;

use crate::analysis::part::outer_call::OuterCalls;
use crate::analysis::part::time::levels::times;
use crate::analysis::part::{Part, Piece};
use crate::analysis::vocabulary::waits::Waits;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, SliceId, Slices, Trace};

/// The own time of operators, of inner parts of operators, or of calls, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// The whole own time, in calls and outside of them, ns.
    pub time: Ns,
    /// The part of the own time that was spent in calls of the runtime or driver, waits included, ns.
    pub calls: Ns,
    /// The part of the own time that was spent in calls that wait for the device, ns.
    pub waiting: Ns,
}

impl Own {
    pub(crate) fn add(&mut self, other: Self) {
        self.time = self.time.saturating_add(other.time);
        self.calls = self.calls.saturating_add(other.calls);
        self.waiting = self.waiting.saturating_add(other.waiting);
    }
}

/// What a slice is in the division of operators' time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An operator.
    Operator,
    /// A range for a part of an operator's work, such as Paddle's range of the computation.
    InnerPart,
    /// A call of a runtime or driver that is not part of another call.
    Call,
}

/// The role of a slice on the lane of `calls`; `None` if it has no role.
fn role(slices: &Slices, calls: &OuterCalls, id: SliceId) -> Option<Role> {
    match slices.category(id) {
        category if category.is_operator() => Some(Role::Operator),
        Category::OperatorInner | Category::KernelLaunch => Some(Role::InnerPart),
        category if category.is_runtime() => calls.has(slices, id).then_some(Role::Call),
        _ => None,
    }
}

/// The level of the time inside an operator, inner part or call that is not its own.
const INNER: usize = 0;
const WAITING: usize = 1;
const CALLS: usize = 2;

/// Slices, ascending, each with the time (ns) inside it of the levels [`INNER`], [`WAITING`] and [`CALLS`].
type Inside = Vec<(SliceId, [Ns; 3])>;

/// What the own times on one lane are computed from.
#[derive(Default)]
struct OfLane {
    /// The number of the lane's first slice.
    first: SliceId,
    /// For each slice of the lane the innermost operator around it, or [`SliceId::NONE`]; empty for a lane
    /// without operators in the part.
    operators: Vec<SliceId>,
    /// Finds the calls that are part of no other call; `None` for a lane without operators in the part.
    calls: Option<OuterCalls>,
    /// The time inside operators, by level.
    in_operators: Inside,
    /// The time inside inner parts, by level.
    in_parts: Inside,
    /// For calls, the time of the operators inside them.
    in_calls: Inside,
}

/// The own times of the operators in a part of a trace, and of the inner parts and calls on the same lanes.
pub(crate) struct OwnTimes<'a> {
    /// Entries by lane, beginning at `first`; the default for a lane that is not in the part.
    lanes: Vec<OfLane>,
    /// The lane of the first entry of `lanes`.
    first: LaneId,
    waits: &'a Waits,
}

impl<'a> OwnTimes<'a> {
    pub(crate) fn of(part: &Part<'a>) -> Self {
        let waits = Waits::of(part.trace());
        let lanes = part.lanes_of_workers();
        let (first, mut found) = (lanes.start, Vec::new());
        found.resize_with(lanes.len(), OfLane::default);
        let of_part: Vec<OfLane> = part.par_lanes().map(|lane| OfLane::of(part, waits, lane)).collect();
        for (&lane, of_lane) in part.lanes().iter().zip(of_part) {
            found[(lane - first) as usize] = of_lane;
        }
        Self { lanes: found, first, waits }
    }

    fn of_lane(&self, lane: LaneId) -> Option<&OfLane> {
        self.lanes.get(lane.index().checked_sub(self.first.index())?)
    }

    /// The role of a slice of the lane; `None` for a slice without a role, and for all on a lane without
    /// operators in the part.
    pub(crate) fn role(&self, slices: &Slices, lane: LaneId, id: SliceId) -> Option<Role> {
        role(slices, self.of_lane(lane)?.calls.as_ref()?, id)
    }

    /// The innermost operator around a slice of the lane, other than the slice itself.
    pub(crate) fn operator(&self, lane: LaneId, id: SliceId) -> Option<SliceId> {
        let lane = self.of_lane(lane)?;
        let around = lane.operators.get((id - lane.first) as usize)?;
        Some(*around).filter(|&around| around != SliceId::NONE)
    }

    /// The own time within the part of a slice with this role; `piece` is what the part has of the slice.
    pub(crate) fn own(&self, trace: &Trace, lane: LaneId, piece: Piece, role: Role) -> Own {
        let inside = self.of_lane(lane).map_or(&[][..], |lane| match role {
            Role::Operator => &lane.in_operators,
            Role::InnerPart => &lane.in_parts,
            Role::Call => &lane.in_calls,
        });
        let found = inside.binary_search_by_key(&piece.id, |inside| inside.0);
        let times = found.map_or([0; 3], |at| inside[at].1);
        let time = piece.dur().saturating_sub(times[INNER]);
        if role == Role::Call {
            let waiting = if self.is_wait(trace, piece.id) { time } else { 0 };
            return Own { time, calls: time, waiting };
        }
        Own { time, calls: times[WAITING].saturating_add(times[CALLS]), waiting: times[WAITING] }
    }

    /// True if the slice is a call of a runtime or driver that waits for the device.
    pub(crate) fn is_wait(&self, trace: &Trace, id: SliceId) -> bool {
        self.waits.has(trace, id)
    }
}

impl OfLane {
    fn of(part: &Part<'_>, waits: &Waits, lane: LaneId) -> Self {
        let trace = part.trace();
        let slices = &trace.slices;
        if !part.pieces(lane).any(|piece| slices.category(piece.id).is_operator()) {
            return Self::default();
        }
        let calls = OuterCalls::of(slices, &trace.lanes[lane]);
        // The slices of the lane that have a role.
        let pieces: Vec<(Piece, Role)> =
            part.pieces(lane).filter_map(|piece| Some((piece, role(slices, &calls, piece.id)?))).collect();
        let has = |role: Role| pieces.iter().any(|piece| piece.1 == role);
        let of_call = |id: SliceId| if waits.has(trace, id) { WAITING } else { CALLS };
        let operators = frames(trace, lane, |id| slices.category(id).is_operator());
        let in_operators = inside(part, &operators, &pieces, |id, role| match role {
            Role::Operator => Some(INNER),
            Role::InnerPart => None,
            Role::Call => Some(of_call(id)),
        });
        let mut found = Self { first: operators.first, in_operators, ..Self::default() };
        if has(Role::InnerPart) {
            let is_frame = |id| matches!(role(slices, &calls, id), Some(Role::Operator | Role::InnerPart));
            let parts = frames(trace, lane, is_frame);
            found.in_parts = inside(part, &parts, &pieces, |id, role| match role {
                Role::Operator | Role::InnerPart => Some(INNER),
                Role::Call => Some(of_call(id)),
            });
        }
        if has(Role::Call) {
            let is_frame = |id| matches!(role(slices, &calls, id), Some(Role::Operator | Role::Call));
            let in_calls = frames(trace, lane, is_frame);
            found.in_calls =
                inside(part, &in_calls, &pieces, |_, role| (role == Role::Operator).then_some(INNER));
        }
        found.operators = operators.around;
        found.calls = Some(calls);
        found
    }
}

/// The innermost frame around each slice of a lane; frames are the slices that a given function chooses.
struct Frames {
    first: SliceId,
    around: Vec<SliceId>,
}

fn frames(trace: &Trace, lane: LaneId, is_frame: impl Fn(SliceId) -> bool) -> Frames {
    let slices = &trace.slices;
    let ids = trace.lanes[lane].slices;
    let first = ids.start;
    let mut around: Vec<SliceId> = Vec::with_capacity(ids.len());
    // A slice lies in a row below that of its parent, so the parent has the smaller number.
    for id in ids {
        let of_slice = match slices.parent(id) {
            Some(parent) if is_frame(parent) => parent,
            Some(parent) => around.get((parent - first) as usize).copied().unwrap_or(SliceId::NONE),
            None => SliceId::NONE,
        };
        around.push(of_slice);
    }
    Frames { first, around }
}

/// Sums up the time (ns) inside each frame by level, within the part. `level` gives the level of a slice,
/// `None` if the slice does not count.
fn inside(
    part: &Part<'_>,
    frames: &Frames,
    pieces: &[(Piece, Role)],
    level: impl Fn(SliceId, Role) -> Option<usize> + Sync,
) -> Inside {
    let of_piece = |&(piece, role): &(Piece, Role)| {
        let frame = frames.around[(piece.id - frames.first) as usize];
        (frame != SliceId::NONE && !piece.span.is_empty()).then_some(())?;
        Some((frame, piece.span.start, piece.span.end, level(piece.id, role)?))
    };
    let mut all: Vec<(SliceId, Ns, Ns, usize)> = pieces.iter().filter_map(of_piece).collect();
    all.par_sort_unstable();
    let of_frame = |all: &[(SliceId, Ns, Ns, usize)]| {
        let frame = all[0].0;
        let bounds = part.clip(part.trace().slices.span(frame));
        let clip = |&(_, start, end, level): &(SliceId, Ns, Ns, usize)| {
            let start = start.clamp(bounds.start, bounds.end);
            (Span { start, end: end.clamp(start, bounds.end) }, level)
        };
        (frame, times::<3>(all.iter().map(clip)))
    };
    all.chunk_by(|one, other| one.0 == other.0).map(of_frame).collect()
}
