//! The nodes of a thread, one after the other.
//!
//! Readers take whole nodes into memory, so what a node would be too long with hangs on further nodes below it, which are no events.

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::export::ExportError;
use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, HostTraceEventNodeProto, HostTraceEventProto, MemTraceEventNodeProto,
    OperatorSupplementEventNodeProto,
};

use super::super::join::Joined;
use super::super::{Recording, Thread};
use super::grouped::{Around, Grouped};
use super::{device, host};

/// The number of a node in its tree, as the schema has it.
const HOST_NODES: u32 = 2;
/// Calls, work and memory events that one node holds.
const MOST: usize = 16 << 10;
/// Bytes that one node holds, about: our own reader takes twice as many.
const ROOM: usize = 32 << 20;
/// Bytes of a call, a piece of work or a memory event beside its name, at most.
const BESIDE: usize = 512;

/// A thread's nodes.
pub(super) struct Tree<'a> {
    recording: &'a Recording,
    joined: &'a Joined,
    /// The thread's place in the recording.
    number: usize,
    thread: &'a Thread,
    /// Calls and memory events by the ranges that hold them.
    calls: Grouped,
    allocations: Grouped,
}

/// Nodes as they are handed on.
type Take<'t> = dyn FnMut(&[u8]) -> Result<(), ExportError> + 't;

impl<'a> Tree<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        joined: &'a Joined,
        number: usize,
        thread: &'a Thread,
    ) -> Self {
        let calls = Grouped::new(&thread.ranges, thread.calls.iter().map(|call| (call.start, call.end)));
        let times = thread.allocations.iter().map(|event| (event.time, event.time));
        let allocations = Grouped::new(&thread.ranges, times);
        Self { recording, joined, number, thread, calls, allocations }
    }

    /// Makes the nodes, each with its tag and length.
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
        let mut around = Around::new(&self.thread.ranges);
        for stall in &self.thread.stalls {
            let parent = around.holder(stall.start, stall.end).map_or(0, |range| ids[range as usize]);
            let event = host::stall(self.recording, self.thread, stall);
            out.put(Node { parent, event, supplement: None }, Held::default())?;
        }
        Ok(())
    }

    /// A node and all that it holds.
    fn holder(&self, out: &mut Nodes<'_, '_>, holder: usize, node: Node) -> Result<(), ExportError> {
        let own = out.next;
        let mut filling = Filling { out, node: Some(node), own, held: Held::default(), span: (0, 0) };
        for &at in self.allocations.of(holder) {
            let event = &self.thread.allocations[at as usize];
            filling.make_room(self.thread, (event.time, event.time), BESIDE)?;
            filling.held.memory.push(host::memory(self.recording, self.thread, event));
        }
        for &at in self.calls.of(holder) {
            let call = &self.thread.calls[at as usize];
            filling.make_room(self.thread, (call.start, call.end), self.bytes(call.name))?;
            filling.held.calls.push(device::call(self.recording, self.thread, call));
            let again = || device::stand_in(self.thread, "(more work of the call before)", call.start);
            self.work(&mut filling, self.joined.work_of(self.number, at as usize), again)?;
        }
        if holder == 0 && self.number == self.keeper() {
            let zero = self.recording.zero();
            let missing = || device::stand_in(self.thread, "(launch not recorded)", zero);
            let orphans = &self.joined.orphans;
            if !orphans.is_empty() {
                filling.make_room(self.thread, (zero, zero), BESIDE)?;
                filling.held.calls.push(missing());
            }
            self.work(&mut filling, orphans, missing)?;
        }
        filling.finish(self.thread)
    }

    /// Puts work below the last call.
    fn work(
        &self,
        filling: &mut Filling<'_, '_, '_>,
        places: &[u32],
        again: impl Fn() -> CudaRuntimeTraceEventNodeProto,
    ) -> Result<(), ExportError> {
        for &at in places {
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

    /// Bytes of something of a name, at most.
    fn bytes(&self, name: u32) -> usize {
        BESIDE + self.recording.name(name).len()
    }

    /// The thread that has the work without launches: the first main one.
    fn keeper(&self) -> usize {
        let is_main = |thread: &Thread| thread.pid == thread.tid;
        self.recording.threads.iter().position(is_main).unwrap_or(0)
    }
}

/// A node but for its number.
struct Node {
    parent: i64,
    event: HostTraceEventProto,
    supplement: Option<OperatorSupplementEventNodeProto>,
}

/// What a node holds.
#[derive(Default)]
struct Held {
    calls: Vec<CudaRuntimeTraceEventNodeProto>,
    memory: Vec<MemTraceEventNodeProto>,
    /// Pieces of work below the calls.
    count: usize,
    /// About how many bytes all of it is.
    bytes: usize,
}

/// A node that is being filled, and those that go on where it is full.
struct Filling<'a, 'o, 't> {
    out: &'a mut Nodes<'o, 't>,
    /// The node; none once it was written, and what comes further hangs on stand-ins below it.
    node: Option<Node>,
    /// Its number.
    own: i64,
    held: Held,
    /// From the first to the last thing that is held.
    span: (u64, u64),
}

impl Filling<'_, '_, '_> {
    /// Makes room for one more thing of a time and so many bytes; true where a new node was begun for that.
    fn make_room(
        &mut self,
        thread: &Thread,
        (start, end): (u64, u64),
        bytes: usize,
    ) -> Result<bool, ExportError> {
        let count = self.held.calls.len() + self.held.memory.len() + self.held.count;
        let is_full = count >= MOST || count > 0 && self.held.bytes + bytes > ROOM;
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

    fn write(&mut self, thread: &Thread) -> Result<(), ExportError> {
        let held = std::mem::take(&mut self.held);
        let stand_in = || host::stand_in(thread, self.span);
        let next = || Node { parent: self.own, event: stand_in(), supplement: None };
        let node = self.node.take().unwrap_or_else(next);
        self.out.put(node, held)
    }

    fn finish(mut self, thread: &Thread) -> Result<(), ExportError> {
        let is_empty = self.held.calls.is_empty() && self.held.memory.is_empty();
        if self.node.is_none() && is_empty { Ok(()) } else { self.write(thread) }
    }
}

/// Where nodes go, numbered.
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
        // A growing list of bytes takes everything.
        let _ = node.encode(&mut self.bytes);
        (self.take)(&self.bytes)
    }
}

/// Ranges from the outermost inwards, and the range around each.
fn breadth_first(thread: &Thread) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut around: Vec<u32> = Vec::new();
    let (mut parents, mut depths): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
    for (at, range) in (0..).zip(&thread.ranges) {
        while around.last().is_some_and(|&last| thread.ranges[last as usize].end <= range.start) {
            around.pop();
        }
        // Ranges of different owners may cross: what reaches out of one is not in it.
        let is_around = |&&outer: &&u32| thread.ranges[outer as usize].end >= range.end;
        let parent = around.iter().rev().find(is_around).copied();
        parents.push(parent);
        depths.push(parent.map_or(0, |parent| depths[parent as usize] + 1));
        around.push(at);
    }
    let mut order: Vec<u32> = (0..thread.ranges.len() as u32).collect();
    order.sort_by_key(|&at| depths[at as usize]);
    (order, parents)
}
