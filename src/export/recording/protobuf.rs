//! A recording as Paddle's protobuf: a tree of nodes for each thread, breadth first.

use std::io::Write;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::export::ExportError;
use crate::model::nodetree::{
    ExtraInfoMap, HostTraceEventNodeProto, HostTraceEventProto, NodeTreesProto, ThreadNodeTreeProto,
};

use super::{Recording, SCHEMA, Thread};

/// Numbers of fields, as the schema has them.
const THREAD_TREES: u32 = 3;
const HOST_NODES: u32 = 2;

/// Writes it.
///
/// # Errors
/// When writing fails.
pub fn write_protobuf(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    let extra = recording.extra().map(|(key, value)| ExtraInfoMap {
        key: Some(key.into_bytes()),
        value: Some(value.as_bytes().to_vec()),
    });
    let rest = NodeTreesProto {
        version: Some(SCHEMA.as_bytes().to_vec()),
        span_index: Some(recording.index),
        extra_info: extra.collect(),
        ..NodeTreesProto::default()
    };
    to.write_all(&rest.encode_to_vec())?;
    for thread in &recording.threads {
        // Fields of a message may come in any order; one thread's nodes are all that is held at a time.
        let tree = tree(recording, thread);
        let mut head = Vec::new();
        encode_key(THREAD_TREES, WireType::LengthDelimited, &mut head);
        encode_varint(tree.len() as u64, &mut head);
        to.write_all(&head)?;
        to.write_all(&tree)?;
    }
    Ok(())
}

/// A thread's tree, encoded.
fn tree(recording: &Recording, thread: &Thread) -> Vec<u8> {
    let tid = u64::from(thread.tid);
    let mut bytes = ThreadNodeTreeProto { thread_id: Some(tid), host_nodes: Vec::new() }.encode_to_vec();
    let mut put = |id: i64, parentid: i64, event: HostTraceEventProto| {
        let node = HostTraceEventNodeProto {
            id: Some(id),
            parentid: Some(parentid),
            host_trace_event: Some(event),
            ..HostTraceEventNodeProto::default()
        };
        encode_key(HOST_NODES, WireType::LengthDelimited, &mut bytes);
        encode_varint(node.encoded_len() as u64, &mut bytes);
        // A growing list of bytes takes everything.
        let _ = node.encode(&mut bytes);
    };
    // As Paddle writes a root.
    let root = HostTraceEventProto {
        name: Some(b"root node".to_vec()),
        r#type: Some(7),
        start_ns: Some(0),
        end_ns: Some(u64::MAX),
        process_id: Some(0),
        thread_id: Some(0),
        true_type: None,
    };
    put(0, -1, root);
    let (order, parents) = breadth_first(thread);
    let mut ids = vec![0_i64; thread.ranges.len()];
    for (id, &at) in (1..).zip(&order) {
        ids[at as usize] = id;
        let range = &thread.ranges[at as usize];
        let parent = parents[at as usize].map_or(0, |parent| ids[parent as usize]);
        let event = HostTraceEventProto {
            name: Some(recording.names.get(range.name as usize).cloned().unwrap_or_default()),
            r#type: Some(u32::from(range.kind)),
            start_ns: Some(range.start),
            end_ns: Some(range.end),
            process_id: Some(u64::from(thread.pid)),
            thread_id: Some(tid),
            true_type: None,
        };
        put(id, parent, event);
    }
    bytes
}

/// Ranges from the outermost inwards, and the range around each.
fn breadth_first(thread: &Thread) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut around: Vec<u32> = Vec::new();
    let (mut parents, mut depths) = (Vec::new(), Vec::new());
    for (at, range) in (0..).zip(&thread.ranges) {
        while around.last().is_some_and(|&last| thread.ranges[last as usize].end <= range.start) {
            around.pop();
        }
        parents.push(around.last().copied());
        depths.push(around.len() as u32);
        around.push(at);
    }
    let mut order: Vec<u32> = (0..thread.ranges.len() as u32).collect();
    order.sort_by_key(|&at| depths[at as usize]);
    (order, parents)
}
