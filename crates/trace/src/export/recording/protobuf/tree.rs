//! Encodes the tree of a thread, node by node.
//!
//! Readers take whole nodes into memory, so the size of a node is limited. The rest goes into stand-in nodes
//! below it, whose kind (`STAND_IN`) shows that they are no events.

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::export::ExportError;
use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, HostTraceEventNodeProto, HostTraceEventProto, MemTraceEventNodeProto,
    OperatorSupplementEventNodeProto,
};
use proftui_base::saturate::saturate;

use super::super::content::{Recording, Thread};
use super::super::enclosing::{ByEnclosingRange, EnclosingRange};
use super::super::launches::Launches;
use super::{device, host};

/// Field number of `host_nodes` in the schema's `ThreadNodeTreeProto`.
const HOST_NODES: u32 = 2;
/// Most calls, pieces of device work and memory events in one node, all together.
const MOST_CHILDREN: usize = 16 << 10;
/// Estimated bytes of calls, device work and memory events that one node usually holds at most. proftui's own
/// reader accepts nodes of twice as many bytes.
const ROOM: usize = 32 << 20;
/// Estimated encoded size, bytes, of a call, a piece of device work or a memory event without its name.
const FIXED_BYTES: usize = 512;

/// The tree of a thread, with the calls and memory events of each node.
pub(super) struct Tree<'a> {
    recording: &'a Recording,
    launches: &'a Launches,
    /// Index of the thread in the recording.
    number: usize,
    thread: &'a Thread,
    calls: ByEnclosingRange,
    allocations: ByEnclosingRange,
}

/// Callback that receives each encoded node.
type Take<'t> = dyn FnMut(&[u8]) -> Result<(), ExportError> + 't;

impl<'a> Tree<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        launches: &'a Launches,
        number: usize,
        thread: &'a Thread,
    ) -> Self {
        let calls =
            ByEnclosingRange::new(&thread.ranges, thread.calls.iter().map(|call| (call.start, call.end)));
        let times = thread.allocations.iter().map(|event| (event.time, event.time));
        let allocations = ByEnclosingRange::new(&thread.ranges, times);
        Self { recording, launches, number, thread, calls, allocations }
    }

    /// Encodes all nodes, parents before their children, each with its tag and length, and passes them to
    /// `take`.
    ///
    /// # Errors
    /// Any error that `take` returns.
    pub(super) fn nodes(&self, take: &mut Take<'_>) -> Result<(), ExportError> {
        let mut out = Nodes { next: 0, bytes: Vec::new(), take };
        let root = Node { parent: -1, event: host::root(), supplement: None };
        self.holder(&mut out, 0, root)?;
        let (order, parents) = breadth_first(self.thread);
        let mut ids = vec![0_i64; self.thread.ranges.len()];
        for &at in &order {
            let at = at as usize;
            ids[at] = out.next;
            let parent = parents[at].map_or(0, |parent| ids[parent as usize]);
            let (event, supplement) = host::range(self.recording, self.thread, &self.thread.ranges[at]);
            self.holder(&mut out, at + 1, Node { parent, event, supplement })?;
        }
        let mut around = EnclosingRange::new(&self.thread.ranges);
        for sync in &self.thread.syncs {
            let parent = around.find(sync.start, sync.end).map_or(0, |range| ids[range as usize]);
            let event = host::sync(self.recording, self.thread, sync);
            out.put(Node { parent, event, supplement: None }, Held::default())?;
        }
        let mut around = EnclosingRange::new(&self.thread.ranges);
        for overhead in &self.thread.overheads {
            let parent = around.find(overhead.start, overhead.end).map_or(0, |range| ids[range as usize]);
            let event = host::overhead(self.recording, self.thread, overhead);
            out.put(Node { parent, event, supplement: None }, Held::default())?;
        }
        Ok(())
    }

    /// Encodes a node with its calls, device work and memory events, and stand-in nodes for what has no room.
    /// `holder` is 0 for the root, else the range's index + 1.
    fn holder(&self, out: &mut Nodes<'_, '_>, holder: usize, node: Node) -> Result<(), ExportError> {
        let own = out.next;
        let mut filling = Filling { out, node: Some(node), own, held: Held::default(), span: (0, 0) };
        for &at in self.allocations.of(holder) {
            let event = &self.thread.allocations[at as usize];
            filling.make_room(self.thread, (event.time, event.time), FIXED_BYTES)?;
            filling.held.memory.push(host::memory(self.recording, self.thread, event));
        }
        for &at in self.calls.of(holder) {
            let call = &self.thread.calls[at as usize];
            filling.make_room(self.thread, (call.start, call.end), self.bytes(call.name))?;
            filling.held.calls.push(device::call(self.recording, self.thread, call));
            let again = || device::stand_in(self.thread, "(more work of the call before)", call.start);
            self.work(&mut filling, self.launches.work_of(self.number, at as usize), again)?;
        }
        if holder == 0 && self.number == self.orphan_thread() {
            let zero = self.recording.zero();
            let missing = || device::stand_in(self.thread, "(launch not recorded)", zero);
            let orphans = &self.launches.orphans;
            if !orphans.is_empty() {
                filling.make_room(self.thread, (zero, zero), FIXED_BYTES)?;
                filling.held.calls.push(missing());
            }
            self.work(&mut filling, orphans, missing)?;
        }
        filling.finish(self.thread)
    }

    /// Adds device work to the last call of the node. What has no room goes into stand-in nodes, below calls
    /// that `again` makes.
    fn work(
        &self,
        filling: &mut Filling<'_, '_, '_>,
        indices: &[u32],
        again: impl Fn() -> CudaRuntimeTraceEventNodeProto,
    ) -> Result<(), ExportError> {
        for &at in indices {
            let work = &self.recording.devices.work[at as usize];
            if filling.make_room(self.thread, (work.start, work.start), self.bytes(work.name))? {
                filling.held.calls.push(again());
            }
            filling.held.count += 1;
            if let Some(call) = filling.held.calls.last_mut() {
                call.device_nodes.push(device::work(self.recording, work));
            }
        }
        Ok(())
    }

    /// Estimated encoded size, bytes, of a call or a piece of device work whose name has the index `name`.
    fn bytes(&self, name: u32) -> usize {
        FIXED_BYTES + self.recording.name(name).len()
    }

    /// Index of the thread whose tree holds device work without launches.
    fn orphan_thread(&self) -> usize {
        let is_main = |thread: &Thread| thread.pid == thread.tid;
        self.recording.threads.iter().position(is_main).unwrap_or(0)
    }
}

/// A node to be written: its parent's number, its event, its operator supplement.
struct Node {
    parent: i64,
    event: HostTraceEventProto,
    supplement: Option<OperatorSupplementEventNodeProto>,
}

/// The contents of a node: calls with their device work, and memory events.
#[derive(Default)]
struct Held {
    calls: Vec<CudaRuntimeTraceEventNodeProto>,
    memory: Vec<MemTraceEventNodeProto>,
    /// Number of pieces of device work below the calls.
    count: usize,
    /// Estimated encoded size of the contents, bytes.
    bytes: usize,
}

/// A node that is being filled, and the stand-in nodes that continue it.
struct Filling<'a, 'o, 't> {
    out: &'a mut Nodes<'o, 't>,
    /// The node; `None` once it is written.
    node: Option<Node>,
    /// Number of the node, which is the parent of its stand-ins.
    own: i64,
    held: Held,
    /// Start and end, ns since 1970, of the contents that are not written yet; device work counts by its
    /// start alone.
    span: (u64, u64),
}

impl Filling<'_, '_, '_> {
    /// Counts the times and the estimated size (`bytes`) of one more item. Where it has no room, first writes
    /// and empties the contents; returns whether it did.
    fn make_room(
        &mut self,
        thread: &Thread,
        (start, end): (u64, u64),
        bytes: usize,
    ) -> Result<bool, ExportError> {
        let count = self.held.calls.len() + self.held.memory.len() + self.held.count;
        let is_full = count >= MOST_CHILDREN || count > 0 && self.held.bytes + bytes > ROOM;
        if is_full {
            self.write(thread)?;
        }
        if is_full || count == 0 {
            self.span = (start, end);
        }
        self.span = (self.span.0.min(start), self.span.1.max(end));
        self.held.bytes += bytes;
        Ok(is_full)
    }

    /// Writes and empties the contents: as the node, or as a stand-in if the node is already written.
    fn write(&mut self, thread: &Thread) -> Result<(), ExportError> {
        let held = std::mem::take(&mut self.held);
        let stand_in = || host::stand_in(thread, self.span);
        let next = || Node { parent: self.own, event: stand_in(), supplement: None };
        let node = self.node.take().unwrap_or_else(next);
        self.out.put(node, held)
    }

    /// Writes the remaining contents; a node without contents is written, a stand-in without contents is not.
    fn finish(mut self, thread: &Thread) -> Result<(), ExportError> {
        let is_empty = self.held.calls.is_empty() && self.held.memory.is_empty();
        if self.node.is_none() && is_empty { Ok(()) } else { self.write(thread) }
    }
}

/// Numbers nodes in the order in which they are written, encodes them, and passes them to `take`.
struct Nodes<'o, 't> {
    next: i64,
    bytes: Vec<u8>,
    take: &'o mut Take<'t>,
}

impl Nodes<'_, '_> {
    fn put(&mut self, node: Node, held: Held) -> Result<(), ExportError> {
        let node = HostTraceEventNodeProto {
            id: Some(self.next),
            parentid: Some(node.parent),
            host_trace_event: Some(node.event),
            runtime_nodes: held.calls,
            mem_nodes: held.memory,
            op_supplement_nodes: node.supplement.into_iter().collect(),
        };
        self.next += 1;
        self.bytes.clear();
        encode_key(HOST_NODES, WireType::LengthDelimited, &mut self.bytes);
        encode_varint(node.encoded_len() as u64, &mut self.bytes);
        // Encoding into a vector cannot fail.
        let _ = node.encode(&mut self.bytes);
        (self.take)(&self.bytes)
    }
}

/// Returns the indices of a thread's ranges, outer levels first, and the parent of each range by the range's
/// index; `None` where the parent is the root.
fn breadth_first(thread: &Thread) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut around: Vec<u32> = Vec::new();
    let (mut parents, mut depths): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
    for (at, range) in (0..).zip(&thread.ranges) {
        while around.last().is_some_and(|&last| thread.ranges[last as usize].end <= range.start) {
            around.pop();
        }
        // Ranges of different owners may overlap partly: one that ends after another is not inside of it.
        let is_around = |&&outer: &&u32| thread.ranges[outer as usize].end >= range.end;
        let parent = around.iter().rev().find(is_around).copied();
        parents.push(parent);
        depths.push(parent.map_or(0, |parent| depths[parent as usize] + 1));
        around.push(at);
    }
    let mut order: Vec<u32> = (0..saturate::<u32>(thread.ranges.len())).collect();
    order.sort_by_key(|&at| depths[at as usize]);
    (order, parents)
}
