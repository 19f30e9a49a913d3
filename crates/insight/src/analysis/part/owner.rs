//! The owner of a piece of device work: the operator inside a graph that it stands for, if that is known;
//! else the innermost operator around its launch; else the reason why it has no operator.
//!
//! Must not know tables.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashSet;

use proftui_base::ids::Ids;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{GraphName, LaneId, LaneKind, SliceId, Slices, Trace};

use super::nesting::{Innermost, Repeats};
use crate::analysis::part::{Part, Piece};
use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// Why device work has no operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// A graph launch outside of all operators started the work.
    Graph,
    /// A call that is no graph launch, outside of all operators, launched the work.
    Bare,
    /// The call that launched the work came before the first recorded call, as the work's correlation number
    /// shows.
    Earlier,
    /// The trace links no call to the work, for an unknown reason.
    Unknown,
}

impl Reason {
    /// The reason as a text for the title of a row, such as `no launch known`.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Graph => "graph launches",
            Self::Bare => "launches without an operator",
            Self::Earlier => "launched before the recording",
            Self::Unknown => "no launch known",
        }
    }
}

/// The note under tables that have operators inside graphs.
pub(crate) const GRAPH_NOTE: &str = "In a graph: work that a graph launched, counted for the operator by \
    which the program created the graph's node, and named with the class of that operator's module, as \
    far as these are known from a trace of the graph's capture, or from the recorder. proftui info says how \
    sure the names are.";

/// The title of rows for what belongs to no operator; [`Owner::title`] adds the reason.
pub(crate) const NO_OPERATOR: &str = "(no operator)";

/// What the device work in one row of a table counts for: operators of one name, or no operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// The operators of this name (its number in `Trace::strings`).
    Operator(StrId),
    /// The operators of this name inside graphs, with the class of their module ([`StrId::EMPTY`] if none is
    /// known).
    InGraph(StrId, StrId),
    /// No operator, for this reason.
    None(Reason),
}

impl Owner {
    /// The title of the owner's row, such as the operators' name.
    pub(crate) fn title(self, trace: &Trace) -> SafeText<'_> {
        match self {
            Self::Operator(name) => trace.string_or(name, "(unnamed)"),
            Self::InGraph(name, StrId::EMPTY) => {
                SafeText::new(&format!("{}, in a graph", trace.string_or(name, "(unnamed)"))).into_owned()
            }
            Self::InGraph(name, class) => {
                let (operator, class) = (trace.string_or(name, "(unnamed)"), trace.strings.text(class));
                SafeText::from(format!("{operator} of {class}, in a graph"))
            }
            Self::None(reason) => SafeText::new(&format!("{NO_OPERATOR}: {}", reason.title())).into_owned(),
        }
    }
}

/// A piece of device work in a part of a trace, with its launch if known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launched {
    pub(crate) piece: Piece,
    /// The call that launched the work; `None` if the trace does not link one.
    pub(crate) launch: Option<SliceId>,
    /// False for work that lies inside work of the same name on its stream.
    pub(crate) is_outer: bool,
}

impl Launched {
    /// The time that the work adds to sums, ns: its time in the part, or 0 if it lies inside work of the same
    /// name.
    pub(crate) fn time(&self) -> Ns {
        if self.is_outer { self.piece.dur() } else { 0 }
    }
}

/// Finds the owner of each piece of device work in a part of a trace: the operator that it counts for, or the
/// reason why there is none.
pub(crate) struct Owners<'a> {
    part: &'a Part<'a>,
    first_calls: &'a FirstCalls,
    /// True if the scope is limited to lanes none of which is a stream.
    is_host_only: bool,
    operators: &'a Operators,
}

/// When more than this many slices per slice of the trace were visited, [`Operators`] finds the operators
/// around all slices at once.
const VISITS: usize = 16;

/// Finds the innermost operator at or around a slice; after many searches, the operators around all slices
/// are found at once and kept.
#[derive(Default)]
struct Operators {
    /// Number of slices that were visited so far to find the operators around single slices.
    visited: AtomicUsize,
    /// The innermost operator at or around each slice, once it was found for all at once.
    all: OnceLock<Innermost>,
}

impl Operators {
    /// The innermost operator at or around a slice, on its lane; `None` if there is none.
    fn at(&self, slices: &Slices, id: SliceId) -> Option<SliceId> {
        if let Some(all) = self.all.get() {
            return all.at(id);
        }
        let is_operator = |id: SliceId| slices.category(id).is_operator();
        let mut visited = 0;
        let around = std::iter::once(id).chain(slices.ancestors(id));
        let found = around.inspect(|_| visited += 1).find(|&id| is_operator(id));
        let visited = visited + self.visited.fetch_add(visited, Ordering::Relaxed);
        if visited > VISITS * slices.len() {
            self.all.get_or_init(|| Innermost::of(slices, slices.ids(), is_operator));
        }
        found
    }
}

/// For each file, the smallest correlation number, other than 0, of its runtime and driver calls; `u32::MAX`
/// for a file without such a call.
struct FirstCalls(Vec<u32>);

impl FirstCalls {
    fn of(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let mut first_call = vec![u32::MAX; trace.meta.files.len().max(1)];
        for id in slices.ids() {
            let correlation = slices.correlation[id];
            if correlation == 0 || !slices.category(id).is_runtime() {
                continue;
            }
            if let Some(first) = first_call.get_mut(slices.origin[id].file()) {
                *first = correlation.min(*first);
            }
        }
        Self(first_call)
    }
}

impl<'a> Owners<'a> {
    pub(crate) fn of(part: &'a Part<'a>) -> Self {
        let trace = part.trace();
        let first_calls = trace.kept.get(|| FirstCalls::of(trace));
        let is_device = |lane: &LaneId| trace.lanes[*lane].kind == LaneKind::Stream;
        let is_host_only = part.scope().lanes.as_ref().is_some_and(|lanes| !lanes.iter().any(is_device));
        Self { part, first_calls, is_host_only, operators: trace.kept.get(Operators::default) }
    }

    /// The part of the trace in which owners of device work are found.
    pub(crate) fn part(&self) -> &'a Part<'a> {
        self.part
    }

    /// The device work in the part; if the scope is limited to lanes without a stream, the work in its time
    /// that calls on these lanes launched.
    pub(crate) fn work(&self) -> impl Iterator<Item = Launched> + '_ {
        let trace = self.part.trace();
        let name = |id: SliceId| trace.slices.name[id];
        let of_work =
            move |_: LaneId, id: SliceId| trace.slices.category(id).is_device_work().then(|| name(id));
        let repeats = Repeats::of(self.part, of_work);
        // A call and the work that it launches are of one worker.
        let of_workers = if self.is_host_only { self.part.lanes_of_workers() } else { Ids::default() };
        let own = if self.is_host_only { &[][..] } else { self.part.lanes() };
        let lanes = of_workers.iter().chain(own.iter().copied());
        let streams = lanes.filter(|&lane| trace.lanes[lane].kind == LaneKind::Stream);
        let of_lane = move |lane: LaneId| {
            let ids = trace.lanes[lane].slices;
            ids.iter().filter(|&id| trace.slices.category(id).is_device_work()).map(move |id| (lane, id))
        };
        let with_launch = move |(lane, id): (LaneId, SliceId)| {
            let launch = trace.links.launch_of(id);
            let is_inside = !self.is_host_only
                || launch.is_some_and(|launch| self.part.scope().has_lane(trace.lane_of(launch)));
            let piece = self.part.piece(id).filter(|_| is_inside)?;
            Some(Launched { piece, launch, is_outer: !repeats.has(lane, id) })
        };
        streams.flat_map(of_lane).filter_map(with_launch)
    }

    /// The reason why `work` has no operator, given its launch, if known. Only for work that has no operator.
    pub(crate) fn reason(&self, work: SliceId, launch: Option<SliceId>) -> Reason {
        let slices = &self.part.trace().slices;
        if let Some(launch) = launch {
            let name = self.part.trace().strings.bytes(slices.name[launch]);
            return if is_graph_launch(name) { Reason::Graph } else { Reason::Bare };
        }
        let correlation = slices.correlation[work];
        let first = self.first_calls.0.get(slices.origin[work].file()).copied().unwrap_or(u32::MAX);
        if correlation != 0 && first != u32::MAX && correlation < first {
            Reason::Earlier
        } else {
            Reason::Unknown
        }
    }

    /// The innermost operator at or around a slice, on its lane; `None` if there is none.
    pub(crate) fn operator_at(&self, id: SliceId) -> Option<SliceId> {
        self.operators.at(&self.part.trace().slices, id)
    }

    /// The innermost operator around a slice on its lane, not the slice itself; `None` if there is none.
    pub(crate) fn operator_around(&self, id: SliceId) -> Option<SliceId> {
        self.operator_at(self.part.trace().slices.parent(id)?)
    }

    /// The name that was found for device work inside a graph; `None` if there is none, or it names no
    /// operator.
    pub(crate) fn in_graph(&self, work: SliceId) -> Option<GraphName> {
        let names = &self.part.trace().graph_names;
        let name = names.of(work)?;
        names
            .records
            .get(name.record as usize)
            .is_some_and(|record| record.operator != StrId::EMPTY)
            .then_some(name)
    }

    /// The owner of device work inside a graph, if the work's operator is known; `None` for other work.
    pub(crate) fn graph_owner(&self, work: SliceId) -> Option<Owner> {
        let record = self.part.trace().graph_names.records.get(self.in_graph(work)?.record as usize)?;
        Some(Owner::InGraph(record.operator, record.class))
    }

    /// The owner of device work: its operator inside a graph, else the innermost operator at or around
    /// `launch`, else the reason why there is none.
    pub(crate) fn owner(&self, work: SliceId, launch: Option<SliceId>) -> Owner {
        let trace = self.part.trace();
        if let Some(owner) = self.graph_owner(work) {
            return owner;
        }
        match launch.and_then(|launch| self.operator_at(launch)) {
            Some(operator) => Owner::Operator(trace.slices.name[operator]),
            None => Owner::None(self.reason(work, launch)),
        }
    }
}

/// The operators in the part and around the launches of its device work, each once, sorted by number.
pub(crate) fn operators(part: &Part<'_>) -> Vec<SliceId> {
    let trace = part.trace();
    let slices = &trace.slices;
    let pieces = part.lanes().iter().flat_map(|&lane| part.pieces(lane)).map(|piece| piece.id);
    let mut found: Vec<SliceId> = pieces.filter(|&id| slices.category(id).is_operator()).collect();
    if !part.scope().is_all() {
        let owners = Owners::of(part);
        let launches = owners.work().filter_map(|work| work.launch);
        let mut seen = FxHashSet::default();
        for launch in launches {
            // What is around a slice that was met before was met with it.
            let around = std::iter::once(launch).chain(slices.ancestors(launch));
            let new = around.take_while(|&id| seen.insert(id));
            found.extend(new.filter(|&id| slices.category(id).is_operator()));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
