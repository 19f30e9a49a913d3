//! What records say beyond their fields: when they ended, and what their packed numbers hold.
//!
//! Must not know how records are written.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are parts of words, whose widths the format fixes"
)]

use super::record::{Api, Kernel, Memcpy, Memset, Record};

impl Record {
    /// When the recorded event ended or happened, ns. 0 for a record without times, [`u64::MAX`] if the end
    /// is not known.
    pub fn end(&self) -> u64 {
        let end = match self {
            Self::Api(call) => call.end,
            Self::Kernel(kernel) => kernel.end,
            Self::Memcpy(copy) => copy.end,
            Self::Memset(fill) => fill.end,
            Self::Sync(sync) => sync.end,
            Self::Overhead(overhead) => overhead.end,
            Self::Memory(memory) => memory.time,
            Self::Graph(graph) => graph.end,
            Self::Unified(event) => event.end,
            Self::Pool(pool) => pool.time,
            Self::HostNode(node) => node.end,
            Self::DeviceGraph(graph) => graph.end,
            Self::Device(_) | Self::Context(_) | Self::Stream(_) | Self::Name(_) | Self::Event(_) => {
                return 0;
            }
        };
        if end == 0 { u64::MAX } else { end }
    }
}

impl Api {
    /// Bit of [`Api::function`] that marks a function of the driver.
    pub const DRIVER: u32 = 1 << 31;

    /// True for a function of the driver, false for one of the runtime.
    pub fn is_driver(&self) -> bool {
        self.function & Self::DRIVER != 0
    }
}

impl Kernel {
    /// The value of [`Kernel::launch`] for a kernel that another kernel launched.
    pub const BY_KERNEL: u32 = 3;
}

impl Memcpy {
    /// CUPTI's number for the kind of copy: 1 host to device, 2 device to host, and others.
    pub fn kind(&self) -> u8 {
        self.kinds_and_flags as u8
    }

    /// CUPTI's numbers for the kind of the source memory and of the destination memory, in this order.
    pub fn memories(&self) -> (u8, u8) {
        ((self.kinds_and_flags >> 8) as u8, (self.kinds_and_flags >> 16) as u8)
    }

    /// True if CUPTI marks the copy as asynchronous.
    pub fn is_async(&self) -> bool {
        self.kinds_and_flags >> 24 & 1 != 0
    }
}

impl Memset {
    /// CUPTI's number for the kind of memory that was set.
    pub fn memory(&self) -> u16 {
        self.kind_and_flags as u16
    }

    /// True if CUPTI marks the memset as asynchronous.
    pub fn is_async(&self) -> bool {
        self.kind_and_flags >> 16 & 1 != 0
    }
}
