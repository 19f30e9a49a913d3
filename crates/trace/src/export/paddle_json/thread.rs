//! The tree of one thread.
//!
//! Paddle writes a thread's host events breadth first, and behind each the calls and memory events that it
//! holds. That order, and times that are all rounded alike, give the tree back. Where the order is another,
//! an event belongs to the innermost one around it in time. Must not know JSON.

use std::cmp::Reverse;
use std::ops::Range;

use crate::model::nodetree::{HostTraceEventNodeProto, ThreadNodeTreeProto};

use super::clock::Bounds;
use super::messages::{self, ThreadId};
use super::node::Node;
use super::settle;

/// Number of the kind `UserDefined`, which a root has.
const ROOT_KIND: u32 = 7;

/// The host events of a thread with what they hold, while the file is read.
pub(super) struct Thread {
    pub id: ThreadId,
    /// The root, then the host events in the order of the file.
    pub nodes: Vec<Node>,
}

/// How the events of a thread nest.
struct Nesting {
    /// The indices of the nodes in `Thread::nodes`, level by level, so parents before children.
    order: Vec<usize>,
    /// The index of the parent of each node; the root has 0, its own index.
    parents: Vec<usize>,
}

impl Thread {
    pub(super) fn new(id: ThreadId) -> Self {
        let root = messages::host("root node", ROOT_KIND, (0, 0), (0, u64::MAX));
        let message = HostTraceEventNodeProto { host_trace_event: Some(root), ..Default::default() };
        let mut thread = Self { id, nodes: Vec::new() };
        thread.host(message, Bounds::ALL);
        thread
    }

    pub(super) fn host(&mut self, message: HostTraceEventNodeProto, bounds: Bounds) {
        self.nodes.push(Node { message, bounds, calls: Vec::new(), memory: Vec::new() });
    }

    /// The last host event so far with its index, or the root if there is none.
    pub(super) fn last(&mut self) -> (usize, &mut Node) {
        let last = self.nodes.len() - 1;
        (last, &mut self.nodes[last])
    }

    /// Makes the tree. The second value is true if the host events were nested by time, since they were not
    /// in Paddle's order.
    pub(super) fn finish(mut self, tolerance: u64) -> (ThreadNodeTreeProto, bool) {
        let in_order = self.breadth_first();
        let is_by_time = in_order.is_none();
        let nesting = in_order.unwrap_or_else(|| self.by_time());
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for &at in &nesting.order[1..] {
            children[nesting.parents[at]].push(at);
        }
        for &at in &nesting.order {
            settle::node(&mut self.nodes, at, &children[at], tolerance);
        }
        let mut number = vec![0_i64; self.nodes.len()];
        (0..).zip(&nesting.order).for_each(|(id, &at)| number[at] = id);
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let finished = nesting.order.iter().filter_map(|&at| {
            let Node { message, calls, memory, .. } = nodes[at].take()?;
            let parent = if at == 0 { -1 } else { number[nesting.parents[at]] };
            Some(HostTraceEventNodeProto {
                id: Some(number[at]),
                parentid: Some(parent),
                runtime_nodes: calls.into_iter().map(|(_, call)| call).collect(),
                mem_nodes: memory.into_iter().map(|(_, event)| event).collect(),
                ..message
            })
        });
        let tree = ThreadNodeTreeProto { thread_id: Some(self.id.1), host_nodes: finished.collect() };
        (tree, is_by_time)
    }

    /// The nesting of nodes that are in Paddle's order; `None` if they are not.
    fn breadth_first(&self) -> Option<Nesting> {
        let bounds: Vec<Bounds> = self.nodes.iter().map(|node| node.bounds).collect();
        let mut parents = vec![0];
        // The nodes of the level above, from the last parent on; and the first node of this level.
        let (mut above, mut level) = (0..1, 1);
        for (at, pair) in (1..).zip(bounds.windows(2)) {
            let [last, own] = [pair[0], pair[1]];
            let parent_in = |above: Range<usize>| above.into_iter().find(|&up| bounds[up].holds(own));
            let goes_back = at > level && own.start.1 < last.end.0;
            let mut parent = if goes_back { None } else { parent_in(above.clone()) };
            if parent.is_none() {
                (above, level) = (level..at, at);
                parent = parent_in(above.clone());
            }
            above.start = parent?;
            parents.push(above.start);
        }
        Some(Nesting { order: (0..self.nodes.len()).collect(), parents })
    }

    /// Nests the nodes by time alone, and moves calls and memory events to the innermost nodes around them.
    fn by_time(&mut self) -> Nesting {
        let bounds: Vec<Bounds> = self.nodes.iter().map(|node| node.bounds).collect();
        let mut sorted: Vec<usize> = (0..bounds.len()).collect();
        sorted.sort_by_key(|&at| (bounds[at].start, Reverse(bounds[at].end)));
        let (mut parents, mut depths) = (vec![0; bounds.len()], vec![0_usize; bounds.len()]);
        let mut open = vec![0];
        for &at in &sorted[1..] {
            while open.last().is_some_and(|&last| last != 0 && bounds[last].end.0 <= bounds[at].start.0) {
                open.pop();
            }
            parents[at] = open.last().copied().unwrap_or_default();
            depths[at] = depths[parents[at]] + 1;
            open.push(at);
        }
        let around = |own: Bounds| {
            let mut node = sorted[sorted.partition_point(|&node| bounds[node].start.0 <= own.start.1) - 1];
            while node != 0 && !bounds[node].holds(own) {
                node = parents[node];
            }
            node
        };
        let calls: Vec<_> = self.nodes.iter_mut().flat_map(|node| std::mem::take(&mut node.calls)).collect();
        let memory: Vec<_> =
            self.nodes.iter_mut().flat_map(|node| std::mem::take(&mut node.memory)).collect();
        for call in calls {
            self.nodes[around(call.0)].calls.push(call);
        }
        for event in memory {
            self.nodes[around(event.0)].memory.push(event);
        }
        sorted.sort_by_key(|&at| depths[at]);
        Nesting { order: sorted, parents }
    }
}
