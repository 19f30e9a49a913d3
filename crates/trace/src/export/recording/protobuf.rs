//! Writes a recording as Paddle's protobuf: a tree of nodes for each thread, parents before children.
//!
//! A tree's length precedes it, so its nodes are encoded twice: first to measure them, then to write them.
//! Only one node is in memory at a time.

mod device;
mod header;
mod host;
mod tree;

use std::io::Write;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::export::ExportError;
use crate::model::nodetree::ThreadNodeTreeProto;

use super::content::{Recording, Thread};
use super::launches::Launches;
use tree::Tree;

/// Field number of `thread_trees` in the schema's `NodeTreesProto`.
const THREAD_TREES: u32 = 3;

/// Writes a recording as Paddle's protobuf: a header, the events of unified memory, then one tree for each
/// thread.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_protobuf(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    to.write_all(&header::header(recording).encode_to_vec())?;
    for event in &recording.devices.unified {
        to.write_all(&header::unified(recording, event).encode_to_vec())?;
    }
    let launches = Launches::of(recording);
    let no_thread = [Thread::default()];
    // Device work without a launch needs a tree to be in, even if no thread was recorded.
    let has_only_orphans = recording.threads.is_empty() && !launches.orphans.is_empty();
    let threads = if has_only_orphans { &no_thread[..] } else { &recording.threads };
    for (number, thread) in threads.iter().enumerate() {
        let tree = Tree::new(recording, &launches, number, thread);
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
