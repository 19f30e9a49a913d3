//! The devices (GPUs or other accelerators) that the headers of a trace's files describe.
//!
//! Must not know the lanes of a device.

use serde::Serialize;

/// A device, as far as the header of its file describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Device {
    /// The device's number in its file, such as 0 for the first GPU; 0 where the file does not state it.
    pub id: i64,
    /// The device's name, safe to show; empty where the file does not state it.
    pub name: String,
    /// The device's memory, bytes; 0 where the file does not state it.
    pub memory: u64,
    /// Number of streaming multiprocessors or compute units; 0 where the file does not state it.
    pub multiprocessors: u64,
    /// Compute capability, such as `9.0`; empty or `0.0` where the file does not state it.
    pub capability: String,
}
