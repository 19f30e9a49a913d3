//! The recording of one cycle, and its writers: ranges of threads, CUDA calls, device work, and facts about
//! the run.
//!
//! The protobuf and one form of the JSON are those of Paddle's profiler: Paddle's readers and VisualDL accept
//! them. Another form of the JSON is that of PyTorch's profiler. Events are written one by one, thread after
//! thread, so ten million ranges take the memory of their 24 bytes each and not that of a message tree. Must
//! not know how a recording was made.
//!
//! - [`content`] is the recording: its threads, their ranges, its facts
//! - [`device`] is device work, calls, waits, overheads, allocations, streams and devices; [`occupancy`]
//!   computes how far launches fill a device
//! - [`unified_memory`]: events of unified memory, which are no device work
//! - [`launches`] matches device work with the calls that launched it, by sorting: flows, positions in the
//!   tree and counts all use it
//! - [`operator_details`] are the arguments of operators; `operator_supplement` translates them into Paddle's
//!   operator supplement
//! - `enclosing` finds the innermost range around a call or memory event
//! - `json` and `protobuf` are the two writers. A thread's tree of protobuf is made twice, first to measure
//!   it, because its length, which can be gigabytes, is written before it; a node that readers would refuse
//!   as too long is divided

pub mod content;
pub mod device;
mod enclosing;
mod json;
pub mod launches;
pub mod occupancy;
pub mod operator_details;
mod operator_supplement;
mod protobuf;
pub mod unified_memory;

pub use content::{Range, Recording, Thread};
pub use json::{write_json, write_kineto_json, write_paddle_json};
pub use protobuf::write_protobuf;
