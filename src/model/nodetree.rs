//! The messages of Paddle's protobuf, as the build script compiles them from `proto/nodetree.proto`.
//!
//! Must not know how a file is read or written.

#![allow(missing_docs, clippy::pedantic, reason = "generated from the schema, which says what each field is")]

pub mod args;

include!(concat!(env!("OUT_DIR"), "/paddle.platform.rs"));

/// Names of the kinds of events in Paddle's JSON, by number. 15 and 16 are written since Paddle 3, beyond what its own
/// schema lists.
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

/// Our own kinds, in `true_type`: a wait for a device, what recording itself cost, what is no event but holds what another
/// node would be too long with, and a call of a Python function.
pub const SYNCHRONIZATION: u32 = 1000;
/// See [`SYNCHRONIZATION`].
pub const OVERHEAD: u32 = 1001;
/// See [`SYNCHRONIZATION`].
pub const STAND_IN: u32 = 1002;
/// See [`SYNCHRONIZATION`].
pub const PYTHON_FUNCTION: u32 = 1003;

/// True for kinds that Paddle writes on the layer of Python, and our own that belong there.
pub fn is_python(kind: u32) -> bool {
    matches!(kind, 1 | 2 | 9 | 10 | 11 | 13 | 14 | PYTHON_FUNCTION)
}

/// The name that Paddle's JSON gives a kind of event (its `cat`); `None` for a number that neither Paddle nor we write.
pub fn kind_name(kind: u32) -> Option<&'static str> {
    match kind {
        SYNCHRONIZATION => Some("Synchronization"),
        OVERHEAD => Some("Overhead"),
        PYTHON_FUNCTION => Some("python_function"),
        _ => KIND_NAMES.get(kind as usize).copied(),
    }
}
