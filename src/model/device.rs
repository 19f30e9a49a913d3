//! The devices that the producer described.

use serde::Serialize;

/// A device, as far as the trace's header tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Device {
    /// Its number.
    pub id: i64,
    /// Its name, safe to show.
    pub name: String,
    /// Memory, bytes; 0 when not told.
    pub memory: u64,
    /// Streaming multiprocessors or compute units; 0 when not told.
    pub multiprocessors: u64,
    /// Compute capability such as `9.0`; empty when not told.
    pub capability: String,
}
