//! The graphs that were captured in a trace: the launch calls between the begin and the end of a capture, and
//! what is around each.
//!
//! Such calls are recorded but not executed, so no device work has their correlation. Work that was executed
//! meanwhile is no node. Must not know the trace that replays the graphs.

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_trace::import::{self, CaptureFile, Loaded, RawValue, Texts, VisitError};
use proftui_trace::model::{GraphRecord, LaneId, LaneKind, Origin, SliceId, Trace};

use super::key::{self, Key};
use super::sizes;
use super::taken::Surroundings;
use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// The graphs that were captured in any number of traces.
#[derive(Debug, Default)]
pub struct Captures {
    pub(super) files: Vec<File>,
    /// The texts of the graphs' keys, records and modes.
    pub(super) strings: Interner,
    pub(super) graphs: Vec<Graph>,
}

/// A trace that was searched for captured graphs.
#[derive(Debug)]
pub(super) struct File {
    /// The path of the trace, safe to show.
    pub path: String,
    /// The rank whose graphs are in the trace; `None` if they may be of any rank.
    pub rank: Option<i64>,
}

/// A captured graph: what its nodes are, and in which order.
#[derive(Debug)]
pub(super) struct Graph {
    /// The trace in which the graph was captured: an index into [`Captures::files`].
    pub file: u32,
    /// The batch size or number of tokens for which the graph was captured; `None` if that is not known.
    pub size: Option<u64>,
    /// The mode that the annotation around the capture states, such as `DECODE`: a number in
    /// [`Captures::strings`]; 0 for none.
    pub mode: StrId,
    /// The key of each node, by which it is compared with device work, in the order of capture.
    pub keys: Vec<Key>,
    /// What is known of each node, in the same order as `keys`; texts are numbers in [`Captures::strings`].
    pub records: Vec<GraphRecord>,
}

impl Captures {
    /// Adds the graphs that were captured in a trace, which was loaded from `source`; returns how many they
    /// are.
    ///
    /// # Errors
    /// When the trace's file has changed or cannot be read.
    pub fn add(&mut self, loaded: &Loaded, source: &CaptureFile) -> Result<usize, VisitError> {
        let Loaded { trace, texts } = loaded;
        let captured = captured(trace);
        let calls: Vec<SliceId> = captured.iter().flat_map(|graph| graph.calls.iter().copied()).collect();
        let file = saturate::<u32>(self.files.len());
        let rank = if source.is_named { None } else { source.rank.or_else(|| rank_of(trace)) };
        self.files.push(File { path: import::shown(&source.path), rank });
        let keys = self.keys(trace, texts, &calls)?;
        let surroundings = Surroundings::read(trace, texts, &calls)?;
        for graph in &captured {
            let (size, mode) = self.size(trace, graph.begin, source);
            let records =
                graph.calls.iter().map(|&call| surroundings.record(call, file, &mut self.strings)).collect();
            let keys = graph.calls.iter().map(|call| keys.get(call).copied().unwrap_or(key::UNKNOWN));
            self.graphs.push(Graph { file, size, mode, keys: keys.collect(), records });
        }
        Ok(captured.len())
    }

    /// True if no graph was added.
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }

    /// The keys of captured calls: by the kernel's name in the arguments, else by the call's own name.
    fn keys(
        &mut self,
        trace: &Trace,
        texts: &Texts,
        calls: &[SliceId],
    ) -> Result<FxHashMap<SliceId, Key>, VisitError> {
        let slices = &trace.slices;
        let mut keys: FxHashMap<SliceId, Key> = FxHashMap::default();
        let mut wanted: Vec<SliceId> = calls.to_vec();
        wanted.retain(|&id| slices.origin[id] != Origin::NONE);
        wanted.sort_unstable_by_key(|&id| slices.origin[id]);
        let origins: Vec<Origin> = wanted.iter().map(|&id| slices.origin[id]).collect();
        texts.visit(&origins, |at, event| {
            let name = event.argument(b"kernel").map(RawValue::text);
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                keys.insert(wanted[at], key::of_name(&name, &mut self.strings));
            }
        })?;
        for &call in calls {
            let name = trace.strings.bytes(slices.name[call]);
            keys.entry(call).or_insert_with(|| key::of_call(name, &mut self.strings));
        }
        Ok(keys)
    }

    /// The size and mode of the capture that the call `begin` begins, as `source` and the annotations around
    /// the call state them; `None` and 0 where not stated.
    fn size(&mut self, trace: &Trace, begin: SliceId, source: &CaptureFile) -> (Option<u64>, StrId) {
        let around = trace.slices.ancestors(begin);
        let mut names = around.map(|id| trace.strings.bytes(trace.slices.name[id]));
        let stated = names.find_map(|name| sizes::of_capture(std::str::from_utf8(name).ok()?));
        let mode = stated.map_or(StrId::EMPTY, |(_, mode)| self.strings.intern(mode.as_bytes()));
        let size = source.listed_size.or(stated.map(|(size, _)| size)).or(source.named_size);
        (size, mode)
    }
}

/// The rank in the name of a trace's only worker; `None` if it is not known.
fn rank_of(trace: &Trace) -> Option<i64> {
    match trace.meta.workers.as_slice() {
        [worker] => import::rank_in_name(worker),
        _ => None,
    }
}

/// The calls of a capture in its trace: the one that began it, and those that became nodes.
struct Captured {
    /// The call that began the capture.
    begin: SliceId,
    /// The calls that became nodes of the graph, in order of time.
    calls: Vec<SliceId>,
}

/// The captures of a trace that have an end and at least one node, thread by thread, in order of time.
fn captured(trace: &Trace) -> Vec<Captured> {
    let slices = &trace.slices;
    let mut names: FxHashMap<StrId, Call> = FxHashMap::default();
    let mut found = Vec::new();
    for (number, lane) in trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Thread) {
        let mut call_of = |id: SliceId| {
            let name = slices.name[id];
            *names.entry(name).or_insert_with(|| Call::of(trace.strings.bytes(name)))
        };
        let is_runtime = |&id: &SliceId| slices.category(id).is_runtime();
        let mut calls: Vec<(SliceId, Call)> = lane
            .slices
            .iter()
            .filter(is_runtime)
            .map(|id| (id, call_of(id)))
            .filter(|(_, call)| *call != Call::Other)
            .collect();
        if !calls.iter().any(|(_, call)| *call == Call::Begin) {
            continue;
        }
        calls.sort_by_key(|&(id, _)| (slices.start[id], id));
        found.extend(of_thread(trace, number, &calls));
    }
    found
}

/// The captures of the thread of `lane` from `calls`, which are in order of time. Captures without an end or
/// a node are left out.
fn of_thread(trace: &Trace, lane: LaneId, calls: &[(SliceId, Call)]) -> Vec<Captured> {
    debug_assert!(calls.iter().all(|&(id, _)| trace.lane_of(id) == lane));
    let mut found: Vec<Captured> = Vec::new();
    let mut open: Option<Captured> = None;
    for &(id, call) in calls {
        match call {
            // A capture whose end is missing is not whole.
            Call::Begin => open = Some(Captured { begin: id, calls: Vec::new() }),
            Call::End => found.extend(open.take().filter(|open| !open.calls.is_empty())),
            Call::Node => {
                let parent = trace.slices.parent(id);
                let is_inner = parent.is_some_and(|parent| trace.slices.category(parent).is_runtime());
                let is_executed = trace.links.work_of(id).next().is_some();
                if let Some(open) = open.as_mut().filter(|_| !is_inner && !is_executed) {
                    open.calls.push(id);
                }
            }
            Call::Other => {}
        }
    }
    found
}

/// What a call of a runtime or driver does for a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Begin,
    End,
    /// The call may add a node while a graph is captured: a copy, a memset or a kernel launch.
    Node,
    Other,
}

impl Call {
    fn of(name: &[u8]) -> Self {
        let has = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
        match () {
            () if has("StreamBeginCapture") => Self::Begin,
            () if has("StreamEndCapture") => Self::End,
            () if is_graph_launch(name) || has("LaunchHostFunc") => Self::Other,
            () if has("Launch") || has("Memcpy") || has("Memset") => Self::Node,
            () => Self::Other,
        }
    }
}
