//! The table of CUPTI's activity records: which fields of NVIDIA's structures are read, and at which byte
//! offsets.
//!
//! Structures and fields have the names of `cupti_activity.h`; a structure's number is that of CUDA 13.0.
//! From API version 18 on the structures have only grown at their ends, so an offset holds for all versions
//! that are supported. A field that came later is marked with the first API version that has it; in older
//! versions its bytes belong to the next record. So is a structure that came later.
//!
//! Each structure becomes a type with a method for each field, which reads it from the record's bytes. A test
//! compares every row with the header of 13.0 (`layouts.rs`), but those of 13.1; `tests/fake-cuda/layouts.py`
//! reads the rows here and compares them with the headers of all releases.

#![allow(non_camel_case_types, non_snake_case, reason = "NVIDIA's names")]

/// Generates a type for each structure of the table, with a method for each field. `in` gives a nested
/// field's path, `since` the first API version of a field or a structure.
macro_rules! activities {
    ($(
        $(#[$doc:meta])*
        $structure:ident $(since $first:tt)? { $(
            $at:literal $field:ident: $type:ident $(in $($outer:ident).+)? $(since $version:literal)?,
        )* }
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// Wraps the bytes from the record's beginning on; a number that is not wholly within them reads
            /// as 0.
            #[derive(Clone, Copy)]
            pub(crate) struct $structure<'a>(pub &'a [u8]);

            impl $structure<'_> {
                $(activities! { @method $at $field $type $($version)? })*
            }
        )*

        /// The rows of each structure, to compare with NVIDIA's header; none for a structure that the header
        /// of 13.0 lacks.
        #[cfg(test)]
        pub(crate) const ROWS: &[&[super::layouts::Row]] = &[$(
            activities! { @rows [$($first)?] $structure { $($at $field $type [$($($outer.)+)?])* } },
        )*];
    };
    // The header of 13.0 does not have them.
    (@rows [130100] $structure:ident { $($rest:tt)* }) => { &[] };
    (@rows [$($first:tt)?] $structure:ident { $($at:literal $field:ident $type:ident [$($outer:tt)*])* }) => {
        &[$(super::layouts::row!($structure, $($outer)* $field, $at, size_of::<$type>()),)*]
    };
    (@method $at:literal $field:ident $type:ident) => {
        #[inline]
        #[allow(missing_docs, reason = "NVIDIA's field of this name")]
        pub(crate) fn $field(self) -> $type {
            $type::read(self.0, $at)
        }
    };
    (@method $at:literal $field:ident $type:ident $version:literal) => {
        #[doc = concat!("NVIDIA's field of this name; 0 before API version ", $version, ".")]
        #[inline]
        pub(crate) fn $field(self, version: u32) -> $type {
            if version >= $version { $type::read(self.0, $at) } else { 0 }
        }
    };
}

activities! {
    /// Kinds `DRIVER` and `RUNTIME`: a call of a function of the driver or of the runtime.
    CUpti_ActivityAPI {
          4 cbid: u32,
          8 start: u64,
         16 end: u64,
         28 threadId: u32,
         32 correlationId: u32,
         36 returnValue: u32,
    }
    /// Kinds `KERNEL` and `CONCURRENT_KERNEL`: an execution of a kernel.
    CUpti_ActivityKernel10 {
          6 registersPerThread: u16,
         16 start: u64,
         24 end: u64,
         40 deviceId: u32,
         44 contextId: u32,
         48 streamId: u32,
         52 gridX: u32,
         56 gridY: u32,
         60 gridZ: u32,
         64 blockX: u32,
         68 blockY: u32,
         72 blockZ: u32,
         76 staticSharedMemory: u32,
         80 dynamicSharedMemory: u32,
         84 localMemoryPerThread: u32,
         92 correlationId: u32,
        104 name: Pointer,
        120 queued: u64,
        128 submitted: u64,
        136 launchType: u8,
        144 graphNodeId: u64,
        156 graphId: u32,
        168 channelID: u32,
    }
    /// Kind `CDP_KERNEL`: an execution of a kernel that a kernel launched.
    CUpti_ActivityCdpKernel {
          6 registersPerThread: u16,
          8 start: u64,
         16 end: u64,
         24 deviceId: u32,
         28 contextId: u32,
         32 streamId: u32,
         36 gridX: u32,
         40 gridY: u32,
         44 gridZ: u32,
         48 blockX: u32,
         52 blockY: u32,
         56 blockZ: u32,
         60 staticSharedMemory: u32,
         64 dynamicSharedMemory: u32,
         68 localMemoryPerThread: u32,
         76 correlationId: u32,
         96 queued: u64,
        104 submitted: u64,
        136 name: Pointer,
    }
    /// Kind `MEMCPY`: a copy of memory, usually not between two devices.
    CUpti_ActivityMemcpy6 {
          4 copyKind: u8,
          5 srcKind: u8,
          6 dstKind: u8,
          7 flags: u8,
          8 bytes: u64,
         16 start: u64,
         24 end: u64,
         32 deviceId: u32,
         36 contextId: u32,
         40 streamId: u32,
         44 correlationId: u32,
         64 graphNodeId: u64,
         72 graphId: u32,
         76 channelID: u32,
         88 copyCount: u64 since 26,
    }
    /// Kind `MEMCPY2`: a copy of memory between two devices.
    CUpti_ActivityMemcpyPtoP4 {
          4 copyKind: u8,
          5 srcKind: u8,
          6 dstKind: u8,
          7 flags: u8,
          8 bytes: u64,
         16 start: u64,
         24 end: u64,
         32 deviceId: u32,
         36 contextId: u32,
         40 streamId: u32,
         44 srcDeviceId: u32,
         52 dstDeviceId: u32,
         60 correlationId: u32,
         72 graphNodeId: u64,
         80 graphId: u32,
         84 channelID: u32,
    }
    /// Kind `MEMSET`: a memset on a device.
    CUpti_ActivityMemset4 {
          4 value: u32,
          8 bytes: u64,
         16 start: u64,
         24 end: u64,
         32 deviceId: u32,
         36 contextId: u32,
         40 streamId: u32,
         44 correlationId: u32,
         48 flags: u16,
         50 memoryKind: u16,
         64 graphNodeId: u64,
         72 graphId: u32,
    }
    /// Kind `SYNCHRONIZATION`: a thread or a stream waited for a context, a stream or an event.
    CUpti_ActivitySynchronization2 {
          4 type_: u32,
          8 start: u64,
         16 end: u64,
         24 correlationId: u32,
         28 contextId: u32,
         32 streamId: u32,
         36 cudaEventId: u32,
    }
    /// Kind `CUDA_EVENT`: a CUDA event was recorded on a stream.
    CUpti_ActivityCudaEvent2 {
          4 correlationId: u32,
          8 contextId: u32,
         12 streamId: u32,
         16 eventId: u32,
    }
    /// Kind `OVERHEAD`: time that CUPTI or CUDA took from the program.
    CUpti_ActivityOverhead3 {
          4 overheadKind: u32,
          8 objectKind: u32,
         16 threadId: u32 in objectId.pt,
         24 start: u64,
         32 end: u64,
         40 correlationId: u32 since 22,
    }
    /// Kind `MEMORY2`: an allocation or a release of memory by CUDA.
    CUpti_ActivityMemory4 {
          4 memoryOperationType: u32,
          8 memoryKind: u32,
         12 correlationId: u32,
         16 address: u64,
         24 bytes: u64,
         32 timestamp: u64,
         52 deviceId: u32,
         56 contextId: u32,
         60 streamId: u32,
         64 name: Pointer,
         72 isAsync: u32,
    }
    /// Kind `GRAPH_TRACE`: an execution of a whole CUDA graph.
    CUpti_ActivityGraphTrace2 {
          4 correlationId: u32,
          8 start: u64,
         16 end: u64,
         24 deviceId: u32,
         28 graphId: u32,
         32 contextId: u32,
         36 streamId: u32,
    }
    /// Kind `DEVICE_GRAPH_TRACE`: an execution of a whole CUDA graph that a graph launched on the device.
    CUpti_ActivityDeviceGraphTrace since 26 {
          4 deviceId: u32,
          8 start: u64,
         16 end: u64,
         24 graphId: u32,
         28 launcherGraphId: u32,
         32 deviceLaunchMode: u32,
         36 contextId: u32,
         40 streamId: u64,
    }
    /// Kind `GRAPH_HOST_NODE`: a function that the host executed as a node of a CUDA graph.
    CUpti_ActivityGraphHostNode since 130100 {
          4 streamId: u32,
          8 contextId: u32,
         12 deviceId: u32,
         16 correlationId: u32,
         20 graphId: u32,
         24 graphNodeId: u64,
         36 threadId: u32,
         40 start: u64,
         48 end: u64,
    }
    /// Kind `UNIFIED_MEMORY_COUNTER`: an event of unified memory, such as a migration or page faults.
    CUpti_ActivityUnifiedMemoryCounter3 {
          4 counterKind: u32,
          8 value: u64,
         16 start: u64,
         24 end: u64,
         32 address: u64,
         40 srcId: u32,
         44 dstId: u32,
         56 flags: u32,
    }
    /// Kind `MEMORY_POOL`: a memory pool was created, destroyed or trimmed.
    CUpti_ActivityMemoryPool3 {
          4 memoryPoolOperationType: u32,
          8 memoryPoolType: u32,
         12 correlationId: u32,
         20 deviceId: u32,
         24 minBytesToKeep: u64,
         32 address: u64,
         40 size: u64,
         48 releaseThreshold: u64,
         56 timestamp: u64,
         64 utilizedSize: u64,
         72 isManagedPool: u8 since 130_000,
    }
    /// Kind `DEVICE`: a device's properties.
    CUpti_ActivityDevice5 {
          8 globalMemoryBandwidth: u64,
         16 globalMemorySize: u64,
         28 l2CacheSize: u32,
         32 numThreadsPerWarp: u32,
         36 coreClockRate: u32,
         44 numMultiprocessors: u32,
         52 maxWarpsPerMultiprocessor: u32,
         56 maxBlocksPerMultiprocessor: u32,
         60 maxSharedMemoryPerMultiprocessor: u32,
         64 maxRegistersPerMultiprocessor: u32,
         68 maxRegistersPerBlock: u32,
         72 maxSharedMemoryPerBlock: u32,
         76 maxThreadsPerBlock: u32,
        104 computeCapabilityMajor: u32,
        108 computeCapabilityMinor: u32,
        112 id: u32,
        120 uuid: Uuid,
        136 name: Pointer,
        145 isMigEnabled: u8,
        160 migUuid: Uuid,
    }
    /// Kind `CONTEXT`: a context's properties.
    CUpti_ActivityContext3 {
          4 contextId: u32,
          8 deviceId: u32,
         14 nullStreamId: u16,
         16 parentContextId: u32 since 22,
    }
    /// Kind `STREAM`: a stream's properties.
    CUpti_ActivityStream {
          4 contextId: u32,
          8 streamId: u32,
         12 priority: u32,
         16 flag: u32,
         20 correlationId: u32,
    }
    /// Kind `NAME`: a name that the program gave an object, such as a stream.
    CUpti_ActivityName {
          4 objectKind: u32,
          8 deviceId: u32 in objectId.dcs,
         12 contextId: u32 in objectId.dcs,
         16 streamId: u32 in objectId.dcs,
         24 name: Pointer,
    }
}

/// The kind of a record: the first field of every structure.
#[inline]
pub(super) fn kind(bytes: &[u8]) -> u32 {
    u32::read(bytes, 0)
}

/// Address of a text that ends with a zero byte; 0 for none.
pub(super) type Pointer = u64;
/// The 16 bytes of a `CUuuid`, as four numbers.
pub(super) type Uuid = [u32; 4];

/// The type of a field of CUPTI's records.
trait Value {
    /// Reads the value at a byte offset; numbers that are not wholly within the bytes are 0.
    fn read(bytes: &[u8], at: usize) -> Self;
}

/// Implements [`Value`] for integers in the machine's byte order.
macro_rules! integers {
    ($($type:ident)*) => {
        $(impl Value for $type {
            #[inline]
            fn read(bytes: &[u8], at: usize) -> Self {
                bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| Self::from_ne_bytes(*bytes))
            }
        })*
    };
}

integers! { u8 u16 u32 u64 }

impl Value for Uuid {
    #[inline]
    fn read(bytes: &[u8], at: usize) -> Self {
        [at, at + 4, at + 8, at + 12].map(|at| u32::read(bytes, at))
    }
}
