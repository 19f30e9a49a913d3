//! The trees that files state: the event that holds each event; and, for all files, the device work of each
//! call.

use crate::analysis::Scope;
use proftui_base::ids::Column;
use proftui_trace::model::{LaneKind, SliceId, Trace};

use super::node::{NO_NODE, Node, NodeId};

/// Finds the innermost node (host event) around a slice in the tree that its file states, and remembers it.
pub(super) struct Holders<'a> {
    trace: &'a Trace,
    /// The node of each slice; [`NO_NODE`] for a slice that is no node, such as a runtime call or a host
    /// event outside the scope.
    node_of: &'a Column<SliceId, NodeId>,
    /// For each slice the innermost node around it: [`NO_NODE`] if there is none, [`UNKNOWN`] until it is
    /// looked up; empty if no file states a tree.
    found: Column<SliceId, NodeId>,
    /// The slices that a call of [`Holders::around`] has looked at so far, which all get its result; empty
    /// between two calls.
    path: Vec<SliceId>,
}

/// The entry in [`Holders::found`] of a slice that is not looked up yet.
const UNKNOWN: NodeId = NO_NODE - 1;

impl<'a> Holders<'a> {
    pub(super) fn new(trace: &'a Trace, node_of: &'a Column<SliceId, NodeId>) -> Self {
        let slices = if trace.lineage.is_empty() { 0 } else { trace.slices.len() };
        Self { trace, node_of, found: vec![UNKNOWN; slices].into(), path: Vec::new() }
    }

    /// The innermost node around a slice in its file's tree, not counting the slice itself; None if there is
    /// none.
    fn around(&mut self, slice: SliceId) -> Option<NodeId> {
        let mut at = slice;
        let found = loop {
            match self.found.get(at) {
                Some(&UNKNOWN) => {}
                known => break known.copied().unwrap_or(NO_NODE),
            }
            // Holders that hold each other in a circle, as a damaged file may state them, end here.
            self.found[at] = NO_NODE;
            self.path.push(at);
            let Some(holder) = self.trace.lineage.holder_of(at) else { break NO_NODE };
            match self.node_of[holder] {
                NO_NODE => at = holder,
                node => break node,
            }
        };
        self.path.drain(..).for_each(|passed| self.found[passed] = found);
        Some(found).filter(|&node| node != NO_NODE)
    }
}

/// Sets the parent of each node that is in a tree stated by its file, and leaves all other nodes as they are.
pub(super) fn parents(nodes: &mut [Node], holders: &mut Holders<'_>) {
    let lineage = &holders.trace.lineage;
    for node in nodes.iter_mut().filter(|node| lineage.tree_of(node.slice).is_some()) {
        node.parent = holders.around(node.slice).unwrap_or(NO_NODE);
    }
}

/// The runtime calls of threads whose trees a file states, as (node around the call, if any; thread; call).
pub(super) fn calls(
    calls: &[(SliceId, u32, bool)],
    holders: &mut Holders<'_>,
) -> Vec<(Option<NodeId>, u32, SliceId)> {
    let explicit = calls.iter().filter(|call| !call.2);
    explicit.map(|&(call, thread, _)| (holders.around(call), thread, call)).collect()
}

/// The memory events in `scope` that are within nodes of the files' trees, as (innermost node, index of the
/// event in [`Trace::memory`]).
pub(super) fn memory(scope: &Scope, holders: &mut Holders<'_>) -> Vec<(u32, u32)> {
    let trace = holders.trace;
    let held = (0..).zip(&trace.lineage.memory).filter(|&(_, &holder)| holder != SliceId::NONE);
    let inside = held.filter(|&(event, _)| {
        let event = &trace.memory[event as usize];
        scope.has_time(event.ts) && scope.has_lane(event.lane)
    });
    let of = |(event, &slice): (u32, &SliceId)| {
        let own = Some(holders.node_of[slice]).filter(|&node| node != NO_NODE);
        Some((own.or_else(|| holders.around(slice))?, event))
    };
    inside.filter_map(of).collect()
}

/// Pairs of a call (or host event) and a slice of device work that it launched, sorted by call, then in the
/// order of the file; if the scope has streams, only work on these.
pub(super) fn work(trace: &Trace, scope: &Scope) -> Vec<(SliceId, SliceId)> {
    let has_stream = scope.has_kind(trace, |kind| kind == LaneKind::Stream);
    let mut work: Vec<(SliceId, SliceId)> = Vec::new();
    for id in trace.slices.ids() {
        let is_kept = || !has_stream || scope.has_lane(trace.lane_of(id));
        if !trace.slices.category(id).is_device_work() || !is_kept() {
            continue;
        }
        let launch = match trace.lineage.tree_of(id) {
            Some(_) => trace.lineage.holder_of(id),
            None => trace.links.launch_of(id),
        };
        work.extend(launch.map(|launch| (launch, id)));
    }
    work.sort_by_key(|&(launch, id)| (launch, trace.slices.origin[id]));
    work
}
