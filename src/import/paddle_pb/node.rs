//! One host node: its event, the runtime calls with their device work, and the memory events under it.
//!
//! Must not know how nodes are found in the file.

use prost::Message;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::build::{Allocation, Clerk, Range, Spot, Stage};
use crate::import::chrome::dialect;
use crate::model::lineage::Branch;
use crate::model::nodetree::{
    CudaRuntimeTraceEventProto, DeviceTraceEventProto, HostTraceEventProto, MemTraceEventProto, STAND_IN,
};
use crate::model::{Category, GroupKind, LaneKind, Origin, SliceFlags, Warning};

use super::kinds;
use super::wire::{self, Field, Fields, Kind};

/// Where events go.
pub(super) struct Sink<'a> {
    pub clerk: Clerk,
    /// The file's number.
    pub file: u16,
    pub stage: &'a mut Stage,
    /// The processes that each thread was seen in.
    pub threads: FxHashMap<u64, FxHashSet<u64>>,
    /// Events so far.
    pub events: u64,
}

/// One thread's tree, as far as it was read.
pub(super) struct Tree {
    /// Its number among all trees, once it has an event.
    pub number: Option<u32>,
    /// Its thread, once told.
    pub thread: Option<u64>,
    /// Where the slice of each node stands; [`Origin::NONE`] for the root.
    pub nodes: FxHashMap<i64, Origin>,
    /// True when some node is not among them: not let in, or without a usable event.
    pub has_gaps: bool,
}

/// A message that lies in the file.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub bytes: &'a [u8],
    /// Where its tag stands.
    pub at: u64,
    /// Where its bytes begin.
    pub base: u64,
}

impl<'a> Part<'a> {
    fn inner(&self, field: &Field<'a>) -> Self {
        Self { bytes: field.bytes, at: self.base + field.at as u64, base: self.base + field.body as u64 }
    }
}

impl Sink<'_> {
    /// Calls `each` with every message among the fields; says what cannot be read.
    fn parts<'b>(&mut self, part: Part<'b>, mut each: impl FnMut(&mut Self, u64, Part<'b>)) {
        for field in Fields::of(part.bytes) {
            match field {
                Ok(field) if field.tag.kind == Kind::Bytes => {
                    each(self, field.tag.number, part.inner(&field));
                }
                Ok(_) => {}
                Err(_) => {
                    let quality = self.clerk.quality();
                    quality.note(Warning::Protobuf, Some(part.at), || {
                        "a node that cannot be read to its end".into()
                    });
                }
            }
        }
    }

    /// Decodes an event; one that cannot be decoded is dropped.
    fn decode<M: Message + Default>(&mut self, bytes: &[u8], at: u64) -> Option<M> {
        self.events += 1;
        match M::decode(bytes) {
            Ok(event) => Some(event),
            Err(error) => {
                self.clerk.drop_element(Warning::Protobuf, at, &error.to_string());
                None
            }
        }
    }

    /// The event that a node is about, if it has one.
    fn event<M: Message + Default>(&mut self, node: Part<'_>) -> Option<M> {
        // Only to say what cannot be read: of several events of one node the last counts, as everywhere in protobuf.
        self.parts(node, |_, _, _| {});
        self.decode(wire::last(node.bytes, 1)?, node.at)
    }

    fn on_thread(&mut self, pid: u64, tid: u64, kind: LaneKind) -> Spot {
        self.threads.entry(tid).or_default().insert(pid);
        Spot { pid, tid, group: GroupKind::Process, kind }
    }

    fn hang(&mut self, child: Option<Origin>, holder: Origin, tree: u32) -> Option<Origin> {
        let child = child?;
        self.stage.branch(Branch { child, holder, tree });
        Some(child)
    }

    /// Takes a host node and everything under it.
    pub(super) fn node(&mut self, node: Part<'_>, tree: &mut Tree) {
        let (mut id, mut parent, mut event, mut is_other) = (None, None, None, false);
        for field in Fields::of(node.bytes).flatten() {
            match (field.tag.number, field.tag.kind) {
                (1, Kind::Varint) => id = Some(field.value as i64),
                // So begins device work, and only by that is it told from a node when it is read again.
                (1, Kind::Bytes) => is_other = true,
                (2, Kind::Varint) => parent = Some(field.value as i64),
                (3, Kind::Bytes) => event = Some(field.bytes),
                _ => {}
            }
        }
        // A holder stands before what it holds, so no chain of holders can lead back to its start.
        let holder = match parent {
            None | Some(..0) => Origin::NONE,
            Some(parent) if tree.has_gaps => tree.nodes.get(&parent).copied().unwrap_or(Origin::NONE),
            Some(parent) => tree.nodes.get(&parent).copied().unwrap_or_else(|| {
                let quality = self.clerk.quality();
                quality.note(Warning::Protobuf, Some(node.at), || {
                    format!("parent {parent} of a node is missing")
                });
                Origin::NONE
            }),
        };
        let is_top = parent.is_none_or(|parent| parent < 0);
        let mut is_root = false;
        let slice = if let Some(event) = event.filter(|_| !is_other) {
            self.host(event, node.at, is_top, &mut is_root)
        } else {
            self.clerk.drop_element(Warning::Protobuf, node.at, "a node without its event");
            None
        };
        let number_of_tree = *tree.number.get_or_insert_with(|| self.stage.begin_tree(self.file));
        let slice = self.hang(slice, holder, number_of_tree);
        // What hangs on an event that is not there hangs on the one around it.
        let own = slice.unwrap_or(holder);
        match id {
            // Only what takes room in the trace takes room here, whatever the file holds.
            Some(id) if slice.is_some() || is_root => {
                tree.nodes.insert(id, own);
            }
            _ => tree.has_gaps = true,
        }
        self.parts(node, |sink, number, part| match number {
            4 => sink.runtime_node(part, own, number_of_tree),
            5 => sink.memory(part, own, number_of_tree),
            _ => {}
        });
    }

    /// A host event; nothing for the root and what stands in for an event, which are none.
    fn host(&mut self, bytes: &[u8], at: u64, is_top: bool, is_root: &mut bool) -> Option<Origin> {
        let event: HostTraceEventProto = self.decode(bytes, at)?;
        let is_stand_in = event.true_type == Some(STAND_IN);
        if is_stand_in || is_top && (event.name() == b"root node" || event.end_ns() == u64::MAX) {
            *is_root = true;
            return None;
        }
        let (class, flags) = kinds::host(event.true_type.unwrap_or(event.r#type()));
        let spot = self.on_thread(event.process_id(), event.thread_id(), class.lane);
        for (phase, link) in [(b's', event.forward_link), (b'f', event.backward_link)] {
            if let (Some(link), Some(start)) = (link, event.start_ns) {
                self.clerk.backward_arrow(phase, link, spot, start, at);
            }
        }
        self.clerk.range(&Range {
            name: event.name(),
            category: dialect::refined_operator(class, event.name()),
            flags,
            spot,
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset: at,
        })
    }

    fn runtime_node(&mut self, node: Part<'_>, holder: Origin, tree: u32) {
        let mut call = holder;
        if let Some(event) = wire::last(node.bytes, 1) {
            let slice = self.runtime(event, node.at);
            call = self.hang(slice, holder, tree).unwrap_or(holder);
        }
        self.parts(node, |sink, number, device| {
            if number == 2 {
                sink.device(device, call, tree);
            }
        });
    }

    fn runtime(&mut self, bytes: &[u8], at: u64) -> Option<Origin> {
        let event: CudaRuntimeTraceEventProto = self.decode(bytes, at)?;
        if event.is_stand_in() {
            return None;
        }
        let spot = self.on_thread(event.process_id(), event.thread_id(), LaneKind::Thread);
        self.clerk.range(&Range {
            name: event.name(),
            category: Category::CudaRuntime,
            flags: SliceFlags::default(),
            spot,
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset: at,
        })
    }

    fn device(&mut self, node: Part<'_>, call: Origin, tree: u32) {
        let Some(event) = self.event::<DeviceTraceEventProto>(node) else { return };
        let (pid, tid) = (event.device_id(), event.stream_id());
        let slice = self.clerk.range(&Range {
            name: event.name(),
            category: kinds::device(&event),
            flags: SliceFlags::default(),
            spot: Spot { pid, tid, group: GroupKind::Device, kind: LaneKind::Stream },
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset: node.at,
        });
        self.hang(slice, call, tree);
    }

    fn memory(&mut self, node: Part<'_>, holder: Origin, tree: u32) {
        let Some(event) = self.event::<MemTraceEventProto>(node) else { return };
        let spot = self.on_thread(event.process_id(), event.thread_id(), LaneKind::Thread);
        let taken = self.clerk.allocation(&Allocation {
            ts: event.timestamp_ns,
            kind: kinds::memory(event.r#type(), event.increase_bytes()),
            spot,
            place: event.place(),
            address: event.addr(),
            bytes: event.increase_bytes(),
            allocated: event.current_allocated,
            reserved: event.current_reserved,
            peak_allocated: event.peak_allocated,
            peak_reserved: event.peak_reserved,
            offset: node.at,
        });
        self.hang(taken, holder, tree);
    }
}
