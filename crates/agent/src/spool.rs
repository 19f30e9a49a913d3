//! The ranges of this process's threads, each thread in chunks of its own, and what its devices did. Knows neither Python nor
//! steps nor any device.
//!
//! - `mapping`: a file with room behind it, in memory.
//! - `writer`: a chunk as it is filled.
//! - `recorder`: a thread's chunks, one after the other, from cycle to cycle.
//! - `device`: the chunks of the process's devices.

pub mod device;
mod mapping;
mod recorder;
mod writer;

pub use recorder::{abandon, begin, end, leave_cycle, record, tid};
