//! Decodes and encodes Paddle's protobuf, and rebuilds it from the messages in the JSON that `json` wrote.
//!
//! Paddle's own reader refuses kinds above 14, so those are written as 7 (`UserDefined`), with the true kind in another field, which
//! Paddle skips. Must not know how events look in JSON beyond their messages.

use prost::Message;
use serde::Deserialize;

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, DeviceTraceEventNodeProto, HostTraceEventNodeProto, HostTraceEventProto,
    MemTraceEventNodeProto, NodeTreesProto, ThreadNodeTreeProto,
};

use super::ExportError;

/// Highest number of a kind that Paddle's reader accepts.
const LAST: u32 = 14;
/// Number of the kind `UserDefined`, which is written instead of kinds above [`LAST`].
const STANDS_IN: u32 = 7;

/// Calls `each` with every host event.
fn each_host(trees: &mut NodeTreesProto, mut each: impl FnMut(&mut HostTraceEventProto)) {
    let nodes = trees.thread_trees.iter_mut().flat_map(|tree| &mut tree.host_nodes);
    nodes.filter_map(|node| node.host_trace_event.as_mut()).for_each(&mut each);
}

/// Decodes a file, and restores the true kinds of events that were written as `UserDefined`.
///
/// # Errors
/// When it is not Paddle's protobuf.
pub fn decode(bytes: &[u8]) -> Result<NodeTreesProto, ExportError> {
    let mut trees = NodeTreesProto::decode(bytes)?;
    each_host(&mut trees, |event| event.r#type = event.true_type.take().or(event.r#type));
    Ok(trees)
}

/// Encodes a file that Paddle's reader accepts: kinds above `LAST` are written as `UserDefined`, with the true kind in `true_type`.
pub fn encode(mut trees: NodeTreesProto) -> Vec<u8> {
    each_host(&mut trees, |event| {
        if let Some(kind) = event.r#type.filter(|&kind| kind > LAST) {
            (event.r#type, event.true_type) = (Some(STANDS_IN), Some(kind));
        }
    });
    trees.encode_to_vec()
}

/// The part of a JSON document that carries messages.
#[derive(Deserialize)]
struct Document {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

/// An event of the document, of which only the arguments are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    args: Messages,
}

/// The protobuf messages among an event's arguments; at most one is there.
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

/// Makes trees from the messages in JSON: each message becomes a child of the last one before it that can be its parent.
///
/// # Errors
/// When the text is no JSON, has no messages, or has them in an order that makes no tree.
pub fn from_json(text: &[u8]) -> Result<NodeTreesProto, ExportError> {
    let document: Document = serde_json::from_slice(text)?;
    let mut trees: Option<NodeTreesProto> = None;
    for (event, Event { args }) in document.events.into_iter().enumerate() {
        if let Some(header) = args.nodetree {
            trees = Some(header);
        }
        let order = |what| ExportError::Order { event, what };
        if let Some(tree) = args.thread_tree {
            trees.get_or_insert_default().thread_trees.push(tree);
        }
        let tree = trees.as_mut().and_then(|trees| trees.thread_trees.last_mut());
        if let Some(node) = args.host_node {
            tree.ok_or(order("an operator's node comes before any thread"))?.host_nodes.push(node);
            continue;
        }
        let host = tree.and_then(|tree| tree.host_nodes.last_mut());
        if let Some(node) = args.mem_node {
            host.ok_or(order("a memory event comes before any operator's node"))?.mem_nodes.push(node);
        } else if let Some(node) = args.runtime_node {
            host.ok_or(order("a runtime call comes before any operator's node"))?.runtime_nodes.push(node);
        } else if let Some(node) = args.device_node {
            let call = host.and_then(|host| host.runtime_nodes.last_mut());
            call.ok_or(order("device work comes before any runtime call"))?.device_nodes.push(node);
        }
    }
    trees.ok_or(ExportError::NoMessages)
}
