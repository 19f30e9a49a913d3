//! What hangs where, found by time: for files that write no tree.
//!
//! A thread's layers nest as one. Paddle's JSON writes calls and memory events behind the host event that holds them,
//! which is better than their rounded times; it is believed where the times agree.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::analysis::Scope;
use crate::base::time::Ns;
use crate::model::{MemoryEvent, NONE, Origin, SliceId, Trace};

use super::{Node, NodeId};

/// Paddle's JSON rounds times twice, to a microsecond.
const ROUNDED: Ns = 1_000;

/// What is placed: a node, a call, or a memory event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Node(NodeId),
    Call(SliceId),
    Memory(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    thread: u32,
    start: Ns,
    end: Reverse<Ns>,
    what: What,
    origin: Origin,
}

/// Hangs up all nodes, calls and memory events of the threads that are not told.
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
    // In the trees that our own protobuf writes a node hangs on the innermost one that holds all of it.
    let is_own = trace.meta.producer.starts_with("proftui");
    let tolerance = if is_paddle { ROUNDED } else { 0 };
    let of_slice = |slice: SliceId, thread: u32, what: What| Placed {
        thread,
        start: slices.start[slice as usize],
        end: Reverse(slices.end(slice)),
        what,
        origin: slices.origin[slice as usize],
    };
    let nested = (0..).zip(nodes.iter()).filter(|(_, node)| is_nested[node.thread as usize]);
    let mut all: Vec<Placed> =
        nested.map(|(id, node)| of_slice(node.slice, node.thread, What::Node(id))).collect();
    all.extend(
        calls.iter().filter(|call| call.2).map(|&(call, thread, _)| of_slice(call, thread, What::Call(call))),
    );
    all.extend(points(trace, scope, nodes, is_nested));
    all.sort_unstable();

    // The nodes in the order of the file.
    let mut written: Vec<(Origin, NodeId)> = if is_paddle {
        (0..).zip(nodes.iter()).map(|(id, node)| (slices.origin[node.slice as usize], id)).collect()
    } else {
        Vec::new()
    };
    written.sort_unstable();
    let before = |nodes: &[Node], placed: &Placed| {
        let at = written.partition_point(|&(origin, _)| origin < placed.origin);
        let (origin, id) = *written.get(at.checked_sub(1)?)?;
        let node = nodes[id as usize];
        let span = slices.span(node.slice);
        let holds = span.start <= placed.start.saturating_add(ROUNDED)
            && placed.end.0 <= span.end.saturating_add(ROUNDED);
        (holds && node.thread == placed.thread && origin.file() == placed.origin.file()).then_some(id)
    };
    let mut open: Vec<(Ns, NodeId)> = Vec::new();
    let mut thread = u32::MAX;
    for placed in &all {
        if placed.thread != thread {
            thread = placed.thread;
            open.clear();
        }
        let (start, end) = (placed.start, placed.end.0);
        let is_point = matches!(placed.what, What::Memory(_));
        while let Some(&(top, _)) = open.last() {
            let is_over = if is_point { top < start } else { top <= start };
            // It begins a rounding error before the other ends: beside it, not inside. Of two short ones the larger part
            // tells.
            let (inside, beyond) = (top - start, end.saturating_sub(top));
            let is_beside = inside <= tolerance && inside <= beyond && beyond > 0;
            if !is_over && (is_point || !is_beside) {
                break;
            }
            open.pop();
        }
        let around =
            || open.iter().rev().find(|(top, _)| end <= top.saturating_add(tolerance)).map(|&(_, id)| id);
        match placed.what {
            What::Node(id) => {
                let last = open.last().copied().filter(|_| !is_own);
                let parent = if is_own { around() } else { last.map(|(_, id)| id) };
                nodes[id as usize].parent = parent.unwrap_or(NONE);
                open.push((last.map_or(end, |(top, _)| end.min(top)), id));
            }
            What::Call(call) => pairs.push((before(nodes, placed).or_else(around), thread, call)),
            What::Memory(event) => {
                memory.extend(before(nodes, placed).or_else(around).map(|holder| (holder, event)));
            }
        }
    }
}

/// The memory events of threads that are not told.
fn points(trace: &Trace, scope: &Scope, nodes: &[Node], is_nested: &[bool]) -> Vec<Placed> {
    // The threads of lanes, by what their nodes show.
    let mut thread_of: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for node in nodes.iter().filter(|node| is_nested[node.thread as usize]) {
        let lane = &trace.lanes[trace.lane_of(node.slice) as usize];
        thread_of.insert((lane.group, lane.tid), node.thread);
    }
    let events = (0..).zip(&trace.memory);
    let untold =
        events.filter(|&(at, _)| trace.lineage.memory.get(at as usize).is_none_or(|&held| held == NONE));
    let of = |(at, event): (u32, &crate::model::MemoryEvent)| {
        let lane = &trace.lanes[event.lane as usize];
        let thread = *thread_of.get(&(lane.group, lane.tid))?;
        let what = What::Memory(at);
        Some(Placed { thread, start: event.ts, end: Reverse(event.ts), what, origin: event.origin })
    };
    let is_inside = |event: &MemoryEvent| scope.has_time(event.ts) && scope.has_lane(event.lane);
    untold.filter(|(_, event)| is_inside(event)).filter_map(of).collect()
}
