//! Notes each node of a CUDA graph when it is created: what the program's thread was doing then. Work that
//! the graph launches later has the node's id. Of a node that is a copy, as those of an executable graph are,
//! the id of the original is noted. Must not know records nor cycles.

#![allow(unsafe_code, reason = "reads a structure that CUPTI passes, and asks CUPTI for ids")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use proftui_wire::chunk::Tag;
use proftui_wire::device::reason::UNNAMED_NODES;
use proftui_wire::graph_nodes::GraphNode;
use proftui_wire::kinds;
use proftui_wire::log::NoteKind;

use super::functions::{Functions, OK};
use crate::clock;
use crate::process;
use crate::ranges::{self, OPERATOR};
use crate::tid::tid;

/// `CUpti_GraphData`, which CUPTI passes with its callbacks about graphs.
#[repr(C)]
pub(super) struct GraphData {
    graph: *mut c_void,
    _original_graph: *mut c_void,
    node: *mut c_void,
    original: *mut c_void,
    kind: u32,
}

/// How many nodes of CUDA graphs could not be noted so far.
static MISSED: AtomicU64 = AtomicU64::new(0);
/// The value of [`MISSED`] that was logged last.
static REPORTED: AtomicU64 = AtomicU64::new(0);

/// Notes a node that was created, with the innermost operator and the innermost other range, but for
/// functions of Python, that are known to be open on this thread.
pub(super) fn created(cupti: &Functions, data: &GraphData) {
    let mut tags = ranges::open();
    tags.retain(|tag| tag.kind() != kinds::FUNCTION);
    let innermost = |is_operator: bool| {
        let tag = tags.iter().find(|tag| (tag.kind() == OPERATOR) == is_operator);
        tag.copied().map_or(0, Tag::name)
    };
    note(
        cupti,
        data,
        GraphNode { operator: innermost(true), range: innermost(false), ..GraphNode::default() },
    );
}

/// Notes a node that was made as a copy of another one, with the original's id.
pub(super) fn copied(cupti: &Functions, data: &GraphData) {
    let original = id(cupti, data.original);
    if original == 0 {
        MISSED.fetch_add(1, Ordering::Relaxed);
    } else {
        note(cupti, data, GraphNode { original, ..GraphNode::default() });
    }
}

/// Logs how many nodes could not be noted so far, if that number has changed since it was logged last.
pub(super) fn report() {
    let missed = MISSED.load(Ordering::Relaxed);
    if REPORTED.swap(missed, Ordering::Relaxed) != missed {
        process::note(NoteKind::Fact, &format!("{UNNAMED_NODES}={missed}"));
    }
}

/// Adds `node` to the process's list of graph nodes, with its id, kind, graph, time and thread filled in;
/// counts it as missed if that fails.
fn note(cupti: &Functions, data: &GraphData, node: GraphNode) {
    let mut graph = 0;
    // SAFETY: CUPTI's own graph, and a number of our own. If it fails, the graph has no id.
    unsafe { cupti.graph_id(data.graph, &raw mut graph) };
    let (id, time, tid, kind) = (id(cupti, data.node), clock::now(), tid(), data.kind);
    if id == 0 || !process::add_graph_node(&GraphNode { id, time, tid, kind, graph, ..node }) {
        MISSED.fetch_add(1, Ordering::Relaxed);
    }
}

/// CUPTI's id of a node; 0 if it has none.
fn id(cupti: &Functions, node: *mut c_void) -> u64 {
    let mut id = 0;
    // SAFETY: CUPTI's own node, and a number of our own.
    let answer = if node.is_null() { OK } else { unsafe { cupti.graph_node_id(node, &raw mut id) } };
    if answer == OK { id } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use cudarc::cupti::sys::CUpti_GraphData as Theirs;

    use super::*;

    #[test]
    fn the_structure_is_nvidias() {
        let ours = [
            offset_of!(GraphData, graph),
            offset_of!(GraphData, node),
            offset_of!(GraphData, original),
            offset_of!(GraphData, kind),
        ];
        let theirs = [
            offset_of!(Theirs, graph),
            offset_of!(Theirs, node),
            offset_of!(Theirs, originalNode),
            offset_of!(Theirs, nodeType),
        ];
        assert_eq!(ours, theirs);
    }
}
