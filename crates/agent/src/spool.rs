//! Writes the ranges of this process's threads, each thread into chunks of its own, and the records of its devices. Knows neither
//! Python nor steps nor any device.
//!
//! - `mapping`: a mapped file with its disk space reserved.
//! - `writer`: the chunk that is being filled.
//! - `recorder`: a thread's chunks, one after the other, from cycle to cycle.
//! - `device`: the chunks with device records of the process.

pub mod device;
mod mapping;
mod recorder;
mod writer;

pub use recorder::{abandon, begin, end, leave_cycle, record, tid};
