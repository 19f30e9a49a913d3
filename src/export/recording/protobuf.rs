//! A recording as Paddle's protobuf: a tree of nodes for each thread, parents before children.
//!
//! A thread's tree says how long it is before it begins, so its nodes are made twice: to be measured, and to be written. One node at
//! a time is in memory.

mod beside;
mod device;
mod grouped;
mod host;
mod tree;

use std::io::Write;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::export::ExportError;
use crate::model::nodetree::ThreadNodeTreeProto;

use super::join::Joined;
use super::{Recording, Thread};
use tree::Tree;

/// The number of a thread's tree, as the schema has it.
const THREAD_TREES: u32 = 3;

/// Writes it.
///
/// # Errors
/// When writing fails.
pub fn write_protobuf(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    to.write_all(&beside::header(recording).encode_to_vec())?;
    let joined = Joined::of(recording);
    let nobody = [Thread::default()];
    // Work that nobody launched needs a thread, too.
    let is_lone = recording.threads.is_empty() && !joined.orphans.is_empty();
    let threads = if is_lone { &nobody[..] } else { &recording.threads };
    for (number, thread) in threads.iter().enumerate() {
        let tree = Tree::new(recording, &joined, number, thread);
        let tid = Some(u64::from(thread.tid));
        let mut head = ThreadNodeTreeProto { thread_id: tid, host_nodes: Vec::new() }.encode_to_vec();
        let mut len = head.len() as u64;
        tree.nodes(&mut |node| {
            len += node.len() as u64;
            Ok(())
        })?;
        let mut front = Vec::new();
        encode_key(THREAD_TREES, WireType::LengthDelimited, &mut front);
        encode_varint(len, &mut front);
        front.append(&mut head);
        to.write_all(&front)?;
        tree.nodes(&mut |node| Ok(to.write_all(node)?))?;
    }
    Ok(())
}
