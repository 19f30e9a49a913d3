//! One host node: its event, the runtime calls with their device work, and the memory events under it.
//!
//! Must not know how nodes are found in the file.

use prost::Message;
use rustc_hash::FxHashMap;

use crate::import::build::TraceBuilder;
use crate::model::lineage::Branch;
use crate::model::nodetree::{
    CudaRuntimeTraceEventProto, DeviceTraceEventProto, HostTraceEventProto, MemTraceEventProto, STAND_IN,
};
use crate::model::{Origin, Warning};
use proftui_base::heap::{self, NoMemory};

use super::events::Translator;
use super::wire::{self, Field, Fields, Kind};

/// Reads host nodes of a file: adds their events to the trace, and the events' parents to the lineage.
pub(super) struct NodeReader<'a> {
    pub translator: Translator,
    /// The file's number in the trace.
    pub file: u16,
    pub builder: &'a mut TraceBuilder,
    /// Number of events found so far, whether or not they are in the trace.
    pub events: u64,
    /// An error once there was no memory for the lineage.
    pub has_memory: Result<(), NoMemory>,
}

/// What was read so far of the tree of one thread.
pub(super) struct Tree {
    /// Number of the tree in the trace builder; `None` before its first node.
    pub number: Option<u32>,
    /// Id of the tree's thread; `None` until it was read.
    pub thread: Option<u64>,
    /// By a node's id, the origin of the slice that becomes the parent of the node's children;
    /// [`Origin::NONE`] if there is none.
    pub nodes: FxHashMap<i64, Origin>,
    /// True once a node was not added to `nodes`.
    pub has_gaps: bool,
}

/// A message and its offsets in the file's text.
#[derive(Clone, Copy)]
pub(super) struct Located<'a> {
    pub bytes: &'a [u8],
    /// Offset in the text of the tag of the field that holds the message.
    pub at: u64,
    /// Offset in the text of the message's first byte, after the tag and the length.
    pub base: u64,
}

impl<'a> Located<'a> {
    /// The message in `field`, which is a field of this message, with its offsets in the text.
    fn inner(&self, field: &Field<'a>) -> Self {
        Self { bytes: field.bytes, at: self.base + field.at as u64, base: self.base + field.body as u64 }
    }
}

impl NodeReader<'_> {
    /// Calls `each` with the number and the message of each length-delimited field of `node`. Counts a
    /// warning where the node cannot be read.
    fn messages<'b>(&mut self, node: Located<'b>, mut each: impl FnMut(&mut Self, u64, Located<'b>)) {
        for field in Fields::of(node.bytes) {
            match field {
                Ok(field) if field.tag.kind == Kind::Bytes => {
                    each(self, field.tag.number, node.inner(&field));
                }
                Ok(_) => {}
                Err(_) => {
                    let quality = self.translator.events.quality();
                    quality.note(Warning::Protobuf, Some(node.at), || {
                        "part of a node of the event tree cannot be read".into()
                    });
                }
            }
        }
    }

    /// Counts the event in `bytes` and decodes it; `None`, with a warning, if it cannot be decoded. `at` is
    /// the offset of the event's node.
    fn decode<M: Message + Default>(&mut self, bytes: &[u8], at: u64) -> Option<M> {
        self.events += 1;
        match M::decode(bytes) {
            Ok(event) => Some(event),
            Err(error) => {
                self.translator.events.drop_event(Warning::Protobuf, at, || error.to_string());
                None
            }
        }
    }

    /// Counts and decodes the event in a node of device work or memory. `None` if the node has none, or, with
    /// a warning, if it cannot be decoded.
    fn event<M: Message + Default>(&mut self, node: Located<'_>) -> Option<M> {
        // Called to count unreadable fields only. Of several events of one node the last counts, as always in
        // protobuf.
        self.messages(node, |_, _, _| {});
        self.decode(wire::last(node.bytes, 1)?, node.at)
    }

    /// Adds to the lineage that the slice at `holder` is the parent of the event at `child`, if there is a
    /// child, in tree number `tree`. Returns `child`.
    fn hang(&mut self, child: Option<Origin>, holder: Origin, tree: u32) -> Option<Origin> {
        let child = child?;
        self.has_memory = self.has_memory.and_then(|()| self.builder.branch(Branch { child, holder, tree }));
        Some(child)
    }

    /// Adds a host node's event to the trace, with the calls, device work and memory events in the node's
    /// message.
    ///
    /// # Errors
    /// When there is no memory for the tree or the lineage.
    pub(super) fn node(&mut self, node: Located<'_>, tree: &mut Tree) -> Result<(), NoMemory> {
        let (mut id, mut parent, mut event, mut is_other) = (None, None, None, false);
        for field in Fields::of(node.bytes).flatten() {
            match (field.tag.number, field.tag.kind) {
                (1, Kind::Varint) => id = Some(field.value.cast_signed()),
                // Device work has a message in field 1; only this distinguishes it from a host node when it
                // is read again.
                (1, Kind::Bytes) => is_other = true,
                (2, Kind::Varint) => parent = Some(field.value.cast_signed()),
                (3, Kind::Bytes) => event = Some(field.bytes),
                _ => {}
            }
        }
        // A parent comes before its children in the file, so parents form no cycle.
        let holder = match parent {
            None | Some(..0) => Origin::NONE,
            Some(parent) if tree.has_gaps => tree.nodes.get(&parent).copied().unwrap_or(Origin::NONE),
            Some(parent) => tree.nodes.get(&parent).copied().unwrap_or_else(|| {
                let quality = self.translator.events.quality();
                quality.note(Warning::Protobuf, Some(node.at), || {
                    format!(
                        "a node of an event tree names the parent {parent}, which was not read before it in \
                         that tree"
                    )
                });
                Origin::NONE
            }),
        };
        let is_top = parent.is_none_or(|parent| parent < 0);
        let mut is_root = false;
        let slice = if let Some(event) = event.filter(|_| !is_other) {
            self.host(event, node.at, is_top, &mut is_root)
        } else {
            self.translator.events.drop_event(Warning::Protobuf, node.at, || {
                "a node of the event tree has no readable event".into()
            });
            None
        };
        let number_of_tree = *tree.number.get_or_insert_with(|| self.builder.begin_tree(self.file));
        let slice = self.hang(slice, holder, number_of_tree);
        // Calls and memory events of a missing event become children of the event around it.
        let own = slice.unwrap_or(holder);
        match id {
            // Only nodes that are in the trace are kept here, so memory is bounded for any file.
            Some(id) if slice.is_some() || is_root => {
                heap::fallible(|| tree.nodes.try_reserve(1))?;
                tree.nodes.insert(id, own);
            }
            _ => tree.has_gaps = true,
        }
        self.messages(node, |reader, number, message| match number {
            4 => reader.runtime_node(message, own, number_of_tree),
            5 => reader.memory(message, own, number_of_tree),
            _ => {}
        });
        self.has_memory
    }

    /// Decodes a host event and adds it as a slice, whose origin it returns; `None` if no slice was added.
    /// Sets `is_root` for a root or stand-in, which gets no slice.
    fn host(&mut self, bytes: &[u8], at: u64, is_top: bool, is_root: &mut bool) -> Option<Origin> {
        let event: HostTraceEventProto = self.decode(bytes, at)?;
        let is_stand_in = event.true_type == Some(STAND_IN);
        if is_stand_in || is_top && (event.name() == b"root node" || event.end_ns() == u64::MAX) {
            *is_root = true;
            return None;
        }
        self.translator.host(&event, at)
    }

    /// Adds the call of a runtime node below the slice at `holder`, and the node's device work usually below
    /// the call.
    fn runtime_node(&mut self, node: Located<'_>, holder: Origin, tree: u32) {
        let mut call = holder;
        if let Some(event) = wire::last(node.bytes, 1) {
            let slice = self.runtime(event, node.at);
            call = self.hang(slice, holder, tree).unwrap_or(holder);
        }
        self.messages(node, |reader, number, device| {
            if number == 2 {
                reader.device(device, call, tree);
            }
        });
    }

    fn runtime(&mut self, bytes: &[u8], at: u64) -> Option<Origin> {
        let event: CudaRuntimeTraceEventProto = self.decode(bytes, at)?;
        if event.is_stand_in() {
            return None;
        }
        self.translator.runtime(&event, at)
    }

    fn device(&mut self, node: Located<'_>, call: Origin, tree: u32) {
        let Some(event) = self.event::<DeviceTraceEventProto>(node) else { return };
        let slice = self.translator.device(&event, node.at);
        self.hang(slice, call, tree);
    }

    fn memory(&mut self, node: Located<'_>, holder: Origin, tree: u32) {
        let Some(event) = self.event::<MemTraceEventProto>(node) else { return };
        let taken = self.translator.memory(&event, node.at);
        self.hang(taken, holder, tree);
    }
}
