//! CUPTI's numbers of the kinds of records that are read (`CUPTI_ACTIVITY_KIND_…`).

#![allow(missing_docs, reason = "CUPTI's own names")]

pub const MEMCPY: u32 = 1;
pub const MEMSET: u32 = 2;
pub const KERNEL: u32 = 3;
pub const DRIVER: u32 = 4;
pub const RUNTIME: u32 = 5;
pub const DEVICE: u32 = 8;
pub const CONTEXT: u32 = 9;
pub const CONCURRENT_KERNEL: u32 = 10;
pub const NAME: u32 = 11;
pub const OVERHEAD: u32 = 17;
pub const CDP_KERNEL: u32 = 18;
pub const MEMCPY2: u32 = 22;
pub const UNIFIED_MEMORY_COUNTER: u32 = 25;
pub const CUDA_EVENT: u32 = 36;
pub const STREAM: u32 = 37;
pub const SYNCHRONIZATION: u32 = 38;
pub const MEMORY2: u32 = 49;
pub const MEMORY_POOL: u32 = 50;
pub const GRAPH_TRACE: u32 = 51;
pub const DEVICE_GRAPH_TRACE: u32 = 53;
pub const GRAPH_HOST_NODE: u32 = 56;
