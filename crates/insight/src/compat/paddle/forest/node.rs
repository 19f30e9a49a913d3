//! A node of the trees: one host event of a thread.

use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

/// The index of a node in [`Forest::nodes`](super::Forest::nodes).
pub(in crate::compat) type NodeId = u32;

/// The number that stands for no node.
pub(in crate::compat) const NO_NODE: NodeId = NodeId::MAX;

/// One host event, as a node in the tree of its thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::compat) struct Node {
    pub slice: SliceId,
    /// The parent node, or [`NO_NODE`] for a child of the thread's root.
    pub parent: NodeId,
    /// The index of the node's thread, less than [`Forest::threads`](super::Forest::threads).
    pub thread: u32,
    /// Summed time of the scope's kernels launched within the node and its descendants, ns.
    pub kernel: Ns,
    /// Summed time of the scope's device work launched within the node and its descendants, ns.
    pub device: Ns,
}
