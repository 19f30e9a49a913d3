//! The trees that files state: the event that holds each event; and, for all files, the device work of each call.

use crate::analysis::Scope;
use crate::model::{LaneKind, NONE, SliceId, Trace};

use super::node::{Node, NodeId};

/// The innermost node around a slice, found by going outward through the slices that hold it; None for a child of the root.
/// A holder has a smaller id than the slices that it holds, so the search ends.
fn holder(trace: &Trace, slice: SliceId, node_of: &[NodeId]) -> Option<NodeId> {
    let mut holder = trace.lineage.holder_of(slice);
    while let Some(slice) = holder {
        if node_of[slice as usize] != NONE {
            return Some(node_of[slice as usize]);
        }
        holder = trace.lineage.holder_of(slice);
    }
    None
}

/// Sets the parents of the nodes of explicit trees.
pub(super) fn parents(trace: &Trace, nodes: &mut [Node], node_of: &[NodeId]) {
    for node in nodes.iter_mut().filter(|node| trace.lineage.tree_of(node.slice).is_some()) {
        node.parent = holder(trace, node.slice, node_of).unwrap_or(NONE);
    }
}

/// The runtime calls of explicit trees, as (node that holds the call, or None for the root; thread; call).
pub(super) fn calls(
    trace: &Trace,
    calls: &[(SliceId, u32, bool)],
    node_of: &[NodeId],
) -> Vec<(Option<NodeId>, u32, SliceId)> {
    let explicit = calls.iter().filter(|call| !call.2);
    explicit.map(|&(call, thread, _)| (holder(trace, call, node_of), thread, call)).collect()
}

/// The memory events of explicit trees, as (node, index of the event). Events directly within a root are left out, as in
/// Paddle.
pub(super) fn memory(trace: &Trace, scope: &Scope, node_of: &[NodeId]) -> Vec<(u32, u32)> {
    let holders = (0..).zip(&trace.lineage.memory).filter(|&(_, &holder)| holder != NONE);
    let inside = holders.filter(|&(event, _)| {
        let event = &trace.memory[event as usize];
        scope.has_time(event.ts) && scope.has_lane(event.lane)
    });
    let of = |(event, &slice): (u32, &SliceId)| {
        let own = Some(node_of[slice as usize]).filter(|&node| node != NONE);
        Some((own.or_else(|| holder(trace, slice, node_of))?, event))
    };
    inside.filter_map(of).collect()
}

/// Pairs of a call (or host event) and the device work that it launched, sorted by call, then in the order of the file.
/// Explicit trees state the call; in other files it is the launch that the trace links. Where the scope has streams, only work on them.
pub(super) fn work(trace: &Trace, scope: &Scope) -> Vec<(SliceId, SliceId)> {
    let has_stream = scope.has_kind(trace, |kind| kind == LaneKind::Stream);
    let mut work: Vec<(SliceId, SliceId)> = Vec::new();
    for id in 0..trace.slices.len() as SliceId {
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
    work.sort_by_key(|&(launch, id)| (launch, trace.slices.origin[id as usize]));
    work
}
