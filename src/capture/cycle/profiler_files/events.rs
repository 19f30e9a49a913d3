//! The GPU's events of one file. Must not know how they are read, nor what they are added to.

use proftui_trace::export::recording::device::{LaunchConfig, Memcpy, Memset};

/// What was read of a file: device work, calls and devices.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub work: Vec<Work>,
    pub calls: Vec<Call>,
    /// Numbers and names of the devices that the file describes.
    pub devices: Vec<(u32, String)>,
    /// Messages about damage of the file and about missing events.
    pub faults: Vec<String>,
}

/// A piece of device work, such as a kernel.
#[derive(Debug)]
pub(super) struct Work {
    /// Start and end, ns since 1970.
    pub times: (u64, u64),
    pub name: Vec<u8>,
    pub correlation: u32,
    pub device: u32,
    pub context: u32,
    pub stream: u32,
    pub details: Details,
}

/// The kind of a piece of device work, with its details.
#[derive(Debug)]
pub(super) enum Details {
    Kernel(LaunchConfig),
    Memcpy(Memcpy),
    Memset(Memset),
}

/// A call of a CUDA or HIP API.
#[derive(Debug)]
pub(super) struct Call {
    /// Start and end, ns since 1970.
    pub times: (u64, u64),
    pub name: Vec<u8>,
    pub correlation: u32,
    /// CUPTI's number of the function, 0 if unknown, plus bit 31 for a function of the driver.
    pub function: u32,
    /// Number of the thread, as the system numbers it.
    pub tid: u32,
}
