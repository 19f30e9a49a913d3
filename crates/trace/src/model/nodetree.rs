//! The messages of Paddle's protobuf, generated from `proto/nodetree.proto` (`generated.rs`), and the names
//! of the kinds of events.
//!
//! Must not know how a file is read or written.

#![allow(missing_docs, clippy::pedantic, reason = "generated from the schema, which says what each field is")]

pub mod args;
#[rustfmt::skip]
mod generated;
#[cfg(test)]
mod tests;

use proftui_wire::kinds;

pub use generated::*;

/// Names of the kinds of events in Paddle's JSON (`cat`), by the number in the protobuf. Paddle 3 writes 15
/// and 16, which its own schema does not list.
pub const KIND_NAMES: [&str; 17] = [
    "Operator",
    "Dataloader",
    "ProfileStep",
    "CudaRuntime",
    "Kernel",
    "Memcpy",
    "Memset",
    "UserDefined",
    "OperatorInner",
    "Forward",
    "Backward",
    "Optimization",
    "Communication",
    "PythonOp",
    "PythonUserDefined",
    "DygraphKernelLaunch",
    "StaticKernelLaunch",
];

/// A kind that only proftui writes, into the field `true_type`: a garbage collection of Python. The numbers
/// of this kind and of the next three fit into one byte, as the recorder reports them.
pub const GARBAGE_COLLECTION: u32 = kinds::GARBAGE_COLLECTION as u32;
/// A kind that only proftui writes, into the field `true_type`: compiling code.
pub const COMPILE: u32 = kinds::COMPILE as u32;
/// A kind that only proftui writes, into the field `true_type`: writing a checkpoint.
pub const CHECKPOINT: u32 = kinds::CHECKPOINT as u32;
/// A kind that only proftui writes, into the field `true_type`: importing a Python module.
pub const IMPORT: u32 = kinds::IMPORT as u32;
/// A kind that only proftui writes, into the field `true_type`: the host waits for a device.
pub const SYNCHRONIZATION: u32 = 1000;
/// A kind that only proftui writes, into the field `true_type`: time that recording itself took.
pub const OVERHEAD: u32 = 1001;
/// A kind that only proftui writes, into the field `true_type`: a node that stands for no event, but holds
/// those children of its parent that would make the parent's message too long.
pub const STAND_IN: u32 = 1002;
/// A kind that only proftui writes, into the field `true_type`: a call of a Python function.
pub const PYTHON_FUNCTION: u32 = 1003;

/// The name of the kind of steps in JSON (its `cat`).
pub const PROFILE_STEP: &str = KIND_NAMES[2];
/// What the names of steps begin with in Paddle's traces, before the number.
pub const PADDLE_STEP: &str = "ProfileStep#";
/// What the names of steps begin with in PyTorch's traces, before the number. Our own JSON has them too, for
/// PyTorch's tools.
pub const TORCH_STEP: &str = "ProfilerStep#";

/// The name of the kind of events of unified memory in JSON (its `cat`), which have a message of their own in
/// the protobuf.
pub const UNIFIED_MEMORY: &str = "UnifiedMemory";
/// The name of the lane that a device's events of unified memory have in JSON.
pub const UNIFIED_MEMORY_LANE: &str = "unified memory";

/// True for kinds of events that belong to a thread's Python layer: steps, phases, operations and ranges in
/// Python, garbage collections, compiling, checkpoints, imports, and calls of Python functions.
pub fn is_python(kind: u32) -> bool {
    matches!(
        kind,
        1 | 2 | 9 | 10 | 11 | 13 | 14 | GARBAGE_COLLECTION | COMPILE | CHECKPOINT | IMPORT | PYTHON_FUNCTION
    )
}

/// The name of a kind of event in JSON (its `cat`); `None` for [`STAND_IN`] and for unknown numbers.
pub fn kind_name(kind: u32) -> Option<&'static str> {
    match kind {
        GARBAGE_COLLECTION => Some("GarbageCollection"),
        COMPILE => Some("Compile"),
        CHECKPOINT => Some("Checkpoint"),
        IMPORT => Some("Import"),
        SYNCHRONIZATION => Some("Synchronization"),
        OVERHEAD => Some("Overhead"),
        PYTHON_FUNCTION => Some("python_function"),
        _ => KIND_NAMES.get(kind as usize).copied(),
    }
}
