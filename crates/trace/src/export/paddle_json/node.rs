//! A host event, with the calls and memory events that it holds.

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, HostTraceEventNodeProto, MemTraceEventNodeProto,
};

use super::clock::Bounds;

/// A host event, or the root of a thread, with the calls and memory events that it holds.
pub(super) struct Node {
    /// The message of the host event; `Thread::finish` completes it with its number, parent, calls and memory
    /// events.
    pub message: HostTraceEventNodeProto,
    pub bounds: Bounds,
    pub calls: Vec<(Bounds, CudaRuntimeTraceEventNodeProto)>,
    pub memory: Vec<(Bounds, MemTraceEventNodeProto)>,
}
