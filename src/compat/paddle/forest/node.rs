//! A node of the trees: one host event of a thread.

use crate::base::time::Ns;
use crate::model::SliceId;

/// The index of a node in [`Forest::nodes`](super::Forest::nodes).
pub(in crate::compat) type NodeId = u32;

/// One host event.
#[derive(Clone, Copy, Debug)]
pub(in crate::compat) struct Node {
    pub slice: SliceId,
    /// The parent node, or [`NONE`](crate::model::NONE) for a child of the thread's root.
    pub parent: NodeId,
    /// The index of its thread.
    pub thread: u32,
    /// Time of the kernels launched within it and its descendants, ns.
    pub kernel: Ns,
    /// Time of the kernels, copies and memsets launched within it and its descendants, ns.
    pub device: Ns,
}
