//! The sums over calls: by name, by the operator or range that makes them, and by line.
//!
//! Must not know columns.

use std::borrow::Cow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::part::nesting::{Innermost, Repeats};
use crate::analysis::part::threads::Threads;
use crate::analysis::part::time::{shared, union};
use crate::analysis::part::{Part, Piece};
use crate::analysis::table::tally::Tally;
use crate::analysis::vocabulary::waits::Waits;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, SliceId, Trace, WorkerId};

use super::around::{Around, Line};
use crate::analysis::arguments::call_stacks::StackLines;

/// The sums over the calls of one row.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// The number and the time of the row's calls in the part.
    pub tally: Tally,
    /// The bytes of the copies and memsets launched by the calls that begin in the part; `None` if the trace
    /// states none of them.
    pub bytes: Option<u64>,
    /// How many of the row's calls usually wait for the device, and how many do not.
    waits: [u64; 2],
    /// The spans, within the part, of calls that are inside no other call on their lane, each with the call's
    /// worker.
    outer: Vec<(WorkerId, Span)>,
}

impl Sums {
    fn add(&mut self, trace: &Trace, piece: Piece, nested: Nested, (worker, waits): (WorkerId, bool)) {
        self.waits[usize::from(!waits)] += 1;
        self.tally.add(piece, nested != Nested::Same);
        if nested == Nested::No && !piece.span.is_empty() {
            self.outer.push((worker, piece.span));
        }
        if piece.begins {
            let bytes = trace.links.work_of(piece.id).filter_map(|work| trace.copied(work));
            bytes.for_each(|bytes| self.add_bytes(bytes));
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.outer.extend(other.outer);
        self.waits = [self.waits[0] + other.waits[0], self.waits[1] + other.waits[1]];
        other.bytes.into_iter().for_each(|bytes| self.add_bytes(bytes));
    }

    /// Whether the row's calls usually wait for the device: `yes`, `no`, or how many do, such as `12 of 24`.
    pub(super) fn waits(&self) -> Cow<'static, str> {
        match self.waits {
            [0, _] => "no".into(),
            [_, 0] => "yes".into(),
            [some, others] => format!("{some} of {}", some + others).into(),
        }
    }

    fn add_bytes(&mut self, bytes: u64) {
        self.bytes = Some(self.bytes.unwrap_or_default().saturating_add(bytes));
    }

    /// The time of the part's run that the spans of `outer` cover, added up over workers, ns. Sorts `outer`.
    pub(super) fn covered(&mut self, part: &Part<'_>) -> Ns {
        self.outer.sort_unstable_by_key(|&(worker, span)| (worker, span.start));
        let of_worker = |spans: &[(WorkerId, Span)]| {
            shared(&union(spans.iter().map(|(_, span)| *span).collect()), part.run(spans[0].0))
        };
        self.outer.chunk_by(|a, b| a.0 == b.0).map(of_worker).fold(0, Ns::saturating_add)
    }
}

/// Whether a call is inside another call on its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nested {
    No,
    /// In calls of other names only.
    Other,
    /// In a call of its own name.
    Same,
}

/// The key under which calls are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The name of the calls.
    pub name: StrId,
    /// The name of the operator or range that makes the calls; `None` for calls outside of both.
    pub maker: Option<StrId>,
    /// The line of Python that makes the calls; `None` if it is not known.
    pub line: Option<Line>,
}

/// Sums up the runtime and driver calls in the part by name, by operator or range, and by line of Python.
pub(super) fn gather(part: &Part<'_>, waits: &Waits, stacks: &StackLines) -> FxHashMap<Key, Sums> {
    let trace = part.trace();
    let slices = &trace.slices;
    let threads = Threads::of(trace);
    let name = |id: SliceId| slices.name[id];
    let is_call = |id: SliceId| slices.category(id).is_runtime();
    let repeats = Repeats::of(part, |_, id| is_call(id).then(|| name(id)));
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<Key, Sums> = FxHashMap::default();
        let of_trace = &trace.lanes[lane];
        if of_trace.kind.repeats() {
            return found;
        }
        let worker = trace.groups[of_trace.group].worker;
        let mut pieces: Vec<Piece> = part.pieces(lane).filter(|piece| is_call(piece.id)).collect();
        if pieces.is_empty() {
            return found;
        }
        let mut around = Around::of(trace, threads, stacks, lane);
        let calls = Innermost::of(slices, of_trace.slices, is_call);
        // What is around them is found in order of time.
        pieces.sort_by_key(|piece| slices.start[piece.id]);
        for piece in pieces {
            let nested = match calls.around(slices, piece.id) {
                None => Nested::No,
                Some(_) if repeats.has(lane, piece.id) => Nested::Same,
                Some(_) => Nested::Other,
            };
            let maker = around.maker(piece.id);
            let key = Key { name: name(piece.id), maker, line: around.line(piece.id) };
            let of = (worker, waits.has(trace, piece.id));
            found.entry(key).or_default().add(trace, piece, nested, of);
        }
        found
    };
    let merge = |mut all: FxHashMap<Key, Sums>, one: FxHashMap<Key, Sums>| {
        for (key, sums) in one {
            all.entry(key).or_default().merge(sums);
        }
        all
    };
    part.par_lanes().map(of_lane).reduce(FxHashMap::default, merge)
}
