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

/// Reads the host nodes of a file: gives the events in them, those of calls, device work and memory too, to
/// the translator, and adds to the lineage which event is a child of which slice.
pub(super) struct NodeReader<'a> {
    pub translator: Translator,
    /// The file's number in the trace.
    pub file: u16,
    pub builder: &'a mut TraceBuilder,
    /// Number of events so far: those in nodes, also the root, stand-ins and any that cannot be decoded; and
    /// the decoded events of unified memory.
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
    /// For each node in the trace, by the node's id, the origin of its slice. The root and stand-ins, which
    /// have no slice, have the origin of the slice around them; [`Origin::NONE`] at the top.
    pub nodes: FxHashMap<i64, Origin>,
    /// True once a node was not added to `nodes`, since it is outside the loaded time range, or has no id or
    /// no usable event.
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
    /// Calls `each` for every length-delimited field of `node`, with this reader, the field's number and the
    /// field's bytes as a message. Counts a warning when the node cannot be read to its end.
    fn messages<'b>(&mut self, node: Located<'b>, mut each: impl FnMut(&mut Self, u64, Located<'b>)) {
        for field in Fields::of(node.bytes) {
            match field {
                Ok(field) if field.tag.kind == Kind::Bytes => {
                    each(self, field.tag.number, node.inner(&field));
                }
                Ok(_) => {}
                Err(_) => {
                    let quality = self.translator.events.quality();
                    quality.note(Warning::Protobuf, Some(node.at), || "part of a node cannot be read".into());
                }
            }
        }
    }

    /// Counts and decodes the event in `bytes`, whose node is at offset `at`; `None` when it cannot be
    /// decoded: then it is counted as dropped, too, with a warning.
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

    /// Counts and decodes the event in field 1 (of several the last) of a node of device work or memory;
    /// `None` when there is none, or it cannot be decoded. Counts a warning if the node cannot be read to its
    /// end.
    fn event<M: Message + Default>(&mut self, node: Located<'_>) -> Option<M> {
        // Called to count unreadable fields only. Of several events of one node the last counts, as always in
        // protobuf.
        self.messages(node, |_, _, _| {});
        self.decode(wire::last(node.bytes, 1)?, node.at)
    }

    /// Adds to the lineage that the slice at `holder` is the parent of the event at `child`, in tree number
    /// `tree`; returns `child`. Without `child` adds nothing. Lack of memory is noted in `has_memory`; from
    /// then on nothing is added.
    fn hang(&mut self, child: Option<Origin>, holder: Origin, tree: u32) -> Option<Origin> {
        let child = child?;
        self.has_memory = self.has_memory.and_then(|()| self.builder.branch(Branch { child, holder, tree }));
        Some(child)
    }

    /// Adds a host node's event to the trace, with the calls, device work and memory events in the node's
    /// message, and adds the node to the nodes of `tree`, or notes there that it is missing. Host nodes below
    /// it have messages of their own, which follow.
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
                    format!("a node names the parent {parent}, which is not before it")
                });
                Origin::NONE
            }),
        };
        let is_top = parent.is_none_or(|parent| parent < 0);
        let mut is_root = false;
        let slice = if let Some(event) = event.filter(|_| !is_other) {
            self.host(event, node.at, is_top, &mut is_root)
        } else {
            self.translator
                .events
                .drop_event(Warning::Protobuf, node.at, || "a node of the event tree has no event".into());
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

    /// Adds a host event as a slice and returns its origin; `None` when it is unusable or outside the loaded
    /// time range. The root, looked for where `is_top` is true, and stand-ins are no events: for them returns
    /// `None` and sets `is_root` to true.
    fn host(&mut self, bytes: &[u8], at: u64, is_top: bool, is_root: &mut bool) -> Option<Origin> {
        let event: HostTraceEventProto = self.decode(bytes, at)?;
        let is_stand_in = event.true_type == Some(STAND_IN);
        if is_stand_in || is_top && (event.name() == b"root node" || event.end_ns() == u64::MAX) {
            *is_root = true;
            return None;
        }
        self.translator.host(&event, at)
    }

    /// Adds the call of a runtime node below the slice at `holder`, and below the call the device work that
    /// it launched. Where the call is not added (it is missing, a stand-in, unusable or outside the loaded
    /// time range), the device work is added below the slice at `holder`.
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
