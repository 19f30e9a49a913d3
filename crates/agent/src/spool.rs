//! Writes chunks: the ranges of each of this process's threads into chunks of its own, and device records
//! into chunks of the process. Knows neither Python nor steps nor any device.
//!
//! - `mapping`: a mapped file with its disk space reserved.
//! - `writer`: the chunk that a thread is filling.
//! - `recorder`: a thread's chunks, one after the other, from cycle to cycle.
//! - `device`: the process's chunks of device records.

pub(crate) mod device;
mod mapping;
mod recorder;
mod writer;

pub(crate) use recorder::{abandon, begin, end, leave_cycle, note, open, record, record_numbered};
