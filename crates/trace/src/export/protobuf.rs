//! Decodes and encodes Paddle's protobuf, and rebuilds it from the messages in the JSON that `json` wrote.
//!
//! Paddle's own reader refuses kinds above 14, so those are written as 7 (`UserDefined`), with the true kind
//! in another field, which Paddle skips. Must not know how events look in JSON beyond their messages.

use std::fmt;
use std::io::Write;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, message};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, DeviceTraceEventNodeProto, HostTraceEventNodeProto, HostTraceEventProto,
    MemTraceEventNodeProto, NodeTreesProto, ThreadNodeTreeProto,
};

use super::ExportError;

/// Highest number of a kind of host event that Paddle's reader accepts.
const LAST: u32 = 14;
/// Number of the kind `UserDefined`, which is written instead of kinds above [`LAST`].
const STANDS_IN: u32 = 7;

/// Number of the field of [`NodeTreesProto`] that has the threads' trees.
const THREAD_TREES: u32 = 3;
/// Number of the field of [`ThreadNodeTreeProto`] that has the nodes.
const HOST_NODES: u32 = 2;

/// Calls `each` with every host event.
fn each_host(trees: &mut NodeTreesProto, mut each: impl FnMut(&mut HostTraceEventProto)) {
    let nodes = trees.thread_trees.iter_mut().flat_map(|tree| &mut tree.host_nodes);
    nodes.filter_map(|node| node.host_trace_event.as_mut()).for_each(&mut each);
}

/// Decodes a file, and restores the true kinds of events that were written as `UserDefined`.
///
/// # Errors
/// When the bytes do not decode as Paddle's protobuf.
pub fn decode(bytes: &[u8]) -> Result<NodeTreesProto, ExportError> {
    let mut trees = NodeTreesProto::decode(bytes)?;
    each_host(&mut trees, |event| event.r#type = event.true_type.take().or(event.r#type));
    Ok(trees)
}

/// Writes a file. Host event kinds that Paddle's reader refuses become `UserDefined`, with the true kind in
/// `true_type`.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_protobuf(mut trees: NodeTreesProto, to: &mut dyn Write) -> Result<(), ExportError> {
    each_host(&mut trees, |event| {
        if let Some(kind) = event.r#type.filter(|&kind| kind > LAST) {
            (event.r#type, event.true_type) = (Some(STANDS_IN), Some(kind));
        }
    });
    let threads = std::mem::take(&mut trees.thread_trees);
    let head = NodeTreesProto {
        version: trees.version.take(),
        span_index: trees.span_index.take(),
        ..Default::default()
    };
    to.write_all(&head.encode_to_vec())?;
    let mut bytes = Vec::new();
    for tree in threads {
        encode_key(THREAD_TREES, WireType::LengthDelimited, &mut bytes);
        encode_varint(tree.encoded_len() as u64, &mut bytes);
        let head = ThreadNodeTreeProto { thread_id: tree.thread_id, host_nodes: Vec::new() };
        head.encode_raw(&mut bytes);
        for node in tree.host_nodes {
            message::encode(HOST_NODES, &node, &mut bytes);
            to.write_all(&bytes)?;
            bytes.clear();
        }
        to.write_all(&bytes)?;
        bytes.clear();
    }
    // The fields behind the trees.
    Ok(to.write_all(&trees.encode_to_vec())?)
}

/// Encodes `trees` in memory as [`write_protobuf`] writes them.
pub fn encode(trees: NodeTreesProto) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory has no errors.
    let _ = write_protobuf(trees, &mut bytes);
    bytes
}

/// The events of a JSON document, whose arguments carry the messages.
#[derive(Deserialize)]
struct Document {
    #[serde(rename = "traceEvents")]
    events: Events,
}

/// An event of the document, of which only the arguments are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    args: Messages,
}

/// The protobuf messages among an event's arguments; usually at most one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Messages {
    nodetree: Option<NodeTreesProto>,
    thread_tree: Option<ThreadNodeTreeProto>,
    host_node: Option<HostTraceEventNodeProto>,
    runtime_node: Option<CudaRuntimeTraceEventNodeProto>,
    device_node: Option<DeviceTraceEventNodeProto>,
    mem_node: Option<MemTraceEventNodeProto>,
}

/// The trees, made from the messages while the events are read.
#[derive(Default)]
struct Events {
    trees: Option<NodeTreesProto>,
    /// Index of the first event whose parent is missing, with a message for the user; `None` while there is
    /// none.
    orphan: Option<(usize, &'static str)>,
}

impl Events {
    /// Adds an event's message to the trees, below the last possible parent; a header replaces all trees so
    /// far.
    ///
    /// # Errors
    /// When the parent is missing, with a message for the user.
    fn add(&mut self, args: Messages) -> Result<(), &'static str> {
        if let Some(header) = args.nodetree {
            self.trees = Some(header);
        }
        if let Some(tree) = args.thread_tree {
            self.trees.get_or_insert_default().thread_trees.push(tree);
        }
        let tree = self.trees.as_mut().and_then(|trees| trees.thread_trees.last_mut());
        if let Some(node) = args.host_node {
            tree.ok_or("a host event comes before any thread")?.host_nodes.push(node);
            return Ok(());
        }
        let host = tree.and_then(|tree| tree.host_nodes.last_mut());
        if let Some(node) = args.mem_node {
            host.ok_or("a memory event comes before any host event of its thread")?.mem_nodes.push(node);
        } else if let Some(node) = args.runtime_node {
            host.ok_or("a runtime call comes before any host event of its thread")?.runtime_nodes.push(node);
        } else if let Some(node) = args.device_node {
            let call = host.and_then(|host| host.runtime_nodes.last_mut());
            call.ok_or("device work comes before any runtime call of its event")?.device_nodes.push(node);
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Elements;

        impl<'de> Visitor<'de> for Elements {
            type Value = Events;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of events")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Events, A::Error> {
                let mut events = Events::default();
                let mut number = 0;
                while let Some(Event { args }) = elements.next_element()? {
                    if events.orphan.is_none() {
                        events.orphan = events.add(args).err().map(|what| (number, what));
                    }
                    number += 1;
                }
                Ok(events)
            }
        }

        from.deserialize_seq(Elements)
    }
}

/// Makes trees from the messages in JSON, which must be in the order of [`write_json`](super::write_json).
///
/// # Errors
/// When the text is no JSON of this structure, has no messages, or has a message before its parent.
pub fn from_json(text: &[u8]) -> Result<NodeTreesProto, ExportError> {
    let Events { trees, orphan } = serde_json::from_slice::<Document>(text)?.events;
    if let Some((event, what)) = orphan {
        return Err(ExportError::Order { event, what });
    }
    trees.ok_or(ExportError::NoMessages)
}
