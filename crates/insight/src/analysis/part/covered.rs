//! The time in which at least one event of a kind ran: parallel and nested events count once.
//!
//! Must not know how events are grouped into kinds.

use std::hash::Hash;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, SliceId, WorkerId};

use super::time::{shared, union};
use crate::analysis::part::Part;

/// For each kind, the time of the part's run with at least one event of the kind, added up over workers, ns.
/// `kind` returns `None` for events to leave out; lanes that repeat events of other lanes are left out too.
pub(crate) fn by_kind<K: Eq + Hash + Send + Copy>(
    part: &Part<'_>,
    kind: impl Fn(SliceId) -> Option<K> + Sync,
) -> FxHashMap<K, Ns> {
    let trace = part.trace();
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<(K, WorkerId), Vec<Span>> = FxHashMap::default();
        let of_trace = &trace.lanes[lane];
        if of_trace.kind.repeats() {
            return found;
        }
        let worker = trace.groups[of_trace.group].worker;
        for piece in part.pieces(lane) {
            let Some(of_piece) = kind(piece.id) else { continue };
            // An event of the same kind around this one covers its time.
            let end = trace.slices.end(piece.id);
            let around = trace.slices.parent(piece.id).filter(|&around| trace.slices.end(around) >= end);
            if around.is_some_and(|around| kind(around) == Some(of_piece)) {
                continue;
            }
            // Neighbours that touch are one span: a lane of back-to-back events takes no memory.
            let spans = found.entry((of_piece, worker)).or_default();
            match spans
                .last_mut()
                .filter(|last| last.start <= piece.span.start && piece.span.start <= last.end)
            {
                Some(last) => last.end = last.end.max(piece.span.end),
                None => spans.push(piece.span),
            }
        }
        found
    };
    let merge = |mut all: FxHashMap<(K, WorkerId), Vec<Span>>, one: FxHashMap<(K, WorkerId), Vec<Span>>| {
        for (key, spans) in one {
            all.entry(key).or_default().extend(spans);
        }
        all
    };
    let found = part.par_lanes().map(of_lane).reduce(FxHashMap::default, merge);
    let mut out: FxHashMap<K, Ns> = FxHashMap::default();
    for ((kind, worker), spans) in found {
        let time = out.entry(kind).or_default();
        *time = time.saturating_add(shared(&union(spans), part.run(worker)));
    }
    out
}
