//! Trees found by time, for files that state none: the parent of each node, the holder of each call and
//! memory event.
//!
//! All lanes of a thread nest together. Paddle's JSON has calls and memory events right behind the host event
//! that holds them; that order is more exact than its rounded times, and decides where the times agree with
//! it.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::analysis::Scope;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{GroupId, MemoryEvent, Origin, SliceId, Trace};

use super::node::{NO_NODE, Node, NodeId};

/// The largest error of a time in Paddle's JSON, ns, by rounding to microseconds.
const ROUNDED: Ns = 1_000;

/// The node, call or memory event that an [`Item`] stands for, as its id, or as the index of the memory
/// event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ItemKind {
    Node(NodeId),
    Call(SliceId),
    /// Index of a memory event in [`Trace::memory`].
    Memory(u32),
}

/// A node, call or memory event to nest. Items sort by thread, then by start, the longer first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    thread: u32,
    start: Ns,
    end: Reverse<Ns>,
    kind: ItemKind,
    origin: Origin,
}

/// Finds the node around each node, call and memory event of the threads for which `is_nested` is true. Sets
/// the parents of `nodes`, and adds to `pairs` and `memory`.
pub(super) fn find(
    trace: &Trace,
    scope: &Scope,
    nodes: &mut [Node],
    is_nested: &[bool],
    calls: &[(SliceId, u32, bool)],
    pairs: &mut Vec<(Option<NodeId>, u32, SliceId)>,
    memory: &mut Vec<(u32, u32)>,
) {
    if !is_nested.contains(&true) {
        return;
    }
    let slices = &trace.slices;
    let is_paddle = trace.meta.producer.starts_with("paddle");
    let tolerance = if is_paddle { ROUNDED } else { 0 };
    let of_slice = |slice: SliceId, thread: u32, kind: ItemKind| Item {
        thread,
        start: slices.start[slice],
        end: Reverse(slices.end(slice)),
        kind,
        origin: slices.origin[slice],
    };
    let nested = (0..).zip(nodes.iter()).filter(|(_, node)| is_nested[node.thread as usize]);
    let mut all: Vec<Item> =
        nested.map(|(id, node)| of_slice(node.slice, node.thread, ItemKind::Node(id))).collect();
    all.extend(
        calls
            .iter()
            .filter(|call| call.2)
            .map(|&(call, thread, _)| of_slice(call, thread, ItemKind::Call(call))),
    );
    all.extend(points(trace, scope, nodes, is_nested));
    all.sort_unstable();

    // The nodes in the order of the file.
    let mut written: Vec<(Origin, NodeId)> = if is_paddle {
        (0..).zip(nodes.iter()).map(|(id, node)| (slices.origin[node.slice], id)).collect()
    } else {
        Vec::new()
    };
    written.sort_unstable();
    let before = |nodes: &[Node], item: &Item| {
        let at = written.partition_point(|&(origin, _)| origin < item.origin);
        let (origin, id) = *written.get(at.checked_sub(1)?)?;
        let node = nodes[id as usize];
        let span = slices.span(node.slice);
        let holds = span.start <= item.start.saturating_add(ROUNDED)
            && item.end.0 <= span.end.saturating_add(ROUNDED);
        (holds && node.thread == item.thread && origin.file() == item.origin.file()).then_some(id)
    };
    let mut open: Vec<(Ns, NodeId)> = Vec::new();
    let mut thread = u32::MAX;
    for item in &all {
        if item.thread != thread {
            thread = item.thread;
            open.clear();
        }
        let (start, end) = (item.start, item.end.0);
        let is_point = matches!(item.kind, ItemKind::Memory(_));
        while let Some(&(top, _)) = open.last() {
            let is_over = if is_point { top < start } else { top <= start };
            // An item that overlaps the open node's end by at most the rounding error follows the node
            // instead of being nested in it; for a short item the larger of its two parts decides.
            let (inside, beyond) = (top.saturating_sub(start), end.saturating_sub(top));
            let is_beside = inside <= tolerance && inside <= beyond && beyond > 0;
            if !is_over && (is_point || !is_beside) {
                break;
            }
            open.pop();
        }
        // Ends never grow from an open node to the next one, so the last that ends late enough is found by
        // halves.
        let around = || {
            let late = open.partition_point(|(top, _)| end <= top.saturating_add(tolerance));
            open.get(late.wrapping_sub(1)).map(|&(_, id)| id)
        };
        match item.kind {
            ItemKind::Node(id) => {
                // In Paddle's JSON an overlap is an error of rounding. Elsewhere a node's parent is the
                // innermost node that contains all of it.
                let last = open.last().copied().filter(|_| is_paddle);
                let parent = if is_paddle { last.map(|(_, id)| id) } else { around() };
                nodes[id as usize].parent = parent.unwrap_or(NO_NODE);
                // A node that outlasts those around it holds all that they could still hold.
                while !is_paddle && open.last().is_some_and(|&(top, _)| top <= end) {
                    open.pop();
                }
                open.push((last.map_or(end, |(top, _)| end.min(top)), id));
            }
            ItemKind::Call(call) => pairs.push((before(nodes, item).or_else(around), thread, call)),
            ItemKind::Memory(event) => {
                memory.extend(before(nodes, item).or_else(around).map(|holder| (holder, event)));
            }
        }
    }
}

/// The items of the memory events in `scope` that are to be nested.
fn points(trace: &Trace, scope: &Scope, nodes: &[Node], is_nested: &[bool]) -> Vec<Item> {
    // The thread of each lane, from the lane's nodes.
    let mut thread_of: FxHashMap<(GroupId, StrId), u32> = FxHashMap::default();
    for node in nodes.iter().filter(|node| is_nested[node.thread as usize]) {
        let lane = &trace.lanes[trace.lane_of(node.slice)];
        thread_of.insert((lane.group, lane.tid), node.thread);
    }
    let events = (0..).zip(&trace.memory);
    let unheld = events
        .filter(|&(at, _)| trace.lineage.memory.get(at as usize).is_none_or(|&held| held == SliceId::NONE));
    let of = |(at, event): (u32, &proftui_trace::model::MemoryEvent)| {
        let lane = &trace.lanes[event.lane];
        let thread = *thread_of.get(&(lane.group, lane.tid))?;
        let kind = ItemKind::Memory(at);
        Some(Item { thread, start: event.ts, end: Reverse(event.ts), kind, origin: event.origin })
    };
    let is_inside = |event: &MemoryEvent| scope.has_time(event.ts) && scope.has_lane(event.lane);
    unheld.filter(|(_, event)| is_inside(event)).filter_map(of).collect()
}
