//! Events of unified memory: memory that CUDA moves between host and devices when one of them touches it.
//!
//! They are no device work: no call launches them, and a migration happens while a kernel waits for its
//! memory, or beside kernels. Must not know how they were recorded.

use std::fmt::Write as _;

use serde_json::json;

/// An event of unified memory, on a lane of a device, also if it happened on the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedMemory {
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970; equal to the start for an event without a length.
    pub end: u64,
    /// Number of the device in the recording; for an event without a known device, the process's first.
    pub device: u32,
    /// What happened (`Migration HtoD`), as an index into the recording's names.
    pub name: u32,
    /// Address of the first page that the event is about.
    pub address: u64,
    /// Bytes of memory that the event is about; `None` for some kinds of events.
    pub bytes: Option<u64>,
    /// How many groups of a device's page faults were for the same page; `None` for other events.
    pub faults: Option<u64>,
    /// Source and destination, by their numbers in the recording, of memory that moved between devices;
    /// `None` for other events, or if not known.
    pub devices: Option<(u32, u32)>,
    /// Numbers of the devices that contend for memory, as the driver numbers them; empty for none.
    pub contenders: Vec<u32>,
    /// Key and value of a further argument, such as `cause` and `Prefetch`, or `access` and `Write`.
    pub cause: Option<(&'static str, &'static str)>,
    /// True for an event on the host: `device` is then not among the arguments.
    pub is_on_host: bool,
}

impl UnifiedMemory {
    /// True for an event by which memory moved: it has bytes, and its end is after its start.
    pub fn is_migration(&self) -> bool {
        self.bytes.is_some() && self.end > self.start
    }

    /// The event's arguments as members of a JSON object, without its braces.
    pub fn arguments(&self) -> String {
        let Self { address, bytes, faults, devices, contenders, .. } = self;
        let mut text = format!("\"address\":\"{address:#x}\"");
        if !self.is_on_host {
            let _ = write!(text, ",\"device\":{}", self.device);
        }
        if let Some(bytes) = bytes {
            let _ = write!(text, ",\"bytes\":{bytes}");
        }
        if let Some(bytes) = bytes.filter(|_| self.is_migration()) {
            // Bytes per ns are GB per s.
            let bandwidth = bytes as f64 / (self.end - self.start) as f64;
            let _ = write!(text, ",\"memory bandwidth (GB/s)\":{bandwidth:.3}");
        }
        if let Some(faults) = faults {
            let _ = write!(text, ",\"faults\":{faults}");
        }
        if let Some((from, to)) = devices {
            let _ = write!(text, ",\"from device\":{from},\"to device\":{to}");
        }
        if !contenders.is_empty() {
            let _ = write!(text, ",\"devices\":{}", json!(contenders));
        }
        if let Some((key, cause)) = self.cause {
            let _ = write!(text, ",\"{key}\":\"{cause}\"");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_members_of_an_object() {
        let event = UnifiedMemory {
            start: 10,
            end: 30,
            address: 0x1000,
            bytes: Some(64),
            devices: Some((0, 1)),
            cause: Some(("cause", "Prefetch")),
            ..UnifiedMemory::default()
        };
        let expected = "\"address\":\"0x1000\",\"device\":0,\"bytes\":64,\"memory bandwidth (GB/s)\":3.200,\"from device\":0,\
            \"to device\":1,\"cause\":\"Prefetch\"";
        assert_eq!(event.arguments(), expected);
        let event = UnifiedMemory { contenders: vec![0, 3], is_on_host: true, ..UnifiedMemory::default() };
        assert_eq!(event.arguments(), "\"address\":\"0x0\",\"devices\":[0,3]");
    }
}
