//! CUPTI's numbers of the kinds of records that are read (`CUPTI_ACTIVITY_KIND_…`).

#![allow(missing_docs, reason = "CUPTI's own names")]

pub(crate) const MEMCPY: u32 = 1;
pub(crate) const MEMSET: u32 = 2;
pub(crate) const KERNEL: u32 = 3;
pub(crate) const DRIVER: u32 = 4;
pub(crate) const RUNTIME: u32 = 5;
pub(crate) const DEVICE: u32 = 8;
pub(crate) const CONTEXT: u32 = 9;
pub(crate) const CONCURRENT_KERNEL: u32 = 10;
pub(crate) const NAME: u32 = 11;
pub(crate) const OVERHEAD: u32 = 17;
pub(crate) const CDP_KERNEL: u32 = 18;
pub(crate) const MEMCPY2: u32 = 22;
pub(crate) const UNIFIED_MEMORY_COUNTER: u32 = 25;
pub(crate) const CUDA_EVENT: u32 = 36;
pub(crate) const STREAM: u32 = 37;
pub(crate) const SYNCHRONIZATION: u32 = 38;
pub(crate) const MEMORY2: u32 = 49;
pub(crate) const MEMORY_POOL: u32 = 50;
pub(crate) const GRAPH_TRACE: u32 = 51;
pub(crate) const DEVICE_GRAPH_TRACE: u32 = 53;
pub(crate) const GRAPH_HOST_NODE: u32 = 56;
