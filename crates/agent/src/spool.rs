//! The ranges of this process's threads, each thread in chunks of its own. Knows neither Python nor steps.
//!
//! - `mapping`: a file with room behind it, in memory.
//! - `writer`: a chunk as it is filled.
//! - `recorder`: a thread's chunks, one after the other, from cycle to cycle.

mod mapping;
mod recorder;
mod writer;

pub use recorder::{abandon, begin, end, record, rest, tid};
