//! Names of CUPTI's enum values: Paddle's names for what Paddle records, Kineto's for the rest.

use proftui_wire::device::record::Kernel;

use proftui_trace::export::recording::device::BY_KERNEL;

/// How a kernel was launched, by the number in its record; `None` for the usual way, and for an unknown
/// number.
pub fn launched(kind: u32) -> Option<&'static str> {
    match kind {
        1 => Some("cooperative"),
        2 => Some("cooperative, several devices"),
        Kernel::BY_KERNEL => Some(BY_KERNEL),
        _ => None,
    }
}

/// Name of a kind of copy (`CUpti_ActivityMemcpyKind`); `MEMCPY` for an unknown one.
pub fn copy(kind: u8) -> &'static str {
    match kind {
        1 => "MEMCPY_HtoD",
        2 => "MEMCPY_DtoH",
        3 => "MEMCPY_HtoA",
        4 => "MEMCPY_AtoH",
        5 => "MEMCPY_AtoA",
        6 => "MEMCPY_AtoD",
        7 => "MEMCPY_DtoA",
        8 => "MEMCPY_DtoD",
        9 => "MEMCPY_HtoH",
        10 => "MEMCPY_PtoP",
        _ => "MEMCPY",
    }
}

/// Name of every memset that a device record states.
pub const MEMSET: &str = "MEMSET";

/// Name of a kind of memory (`CUpti_ActivityMemoryKind`); `Unknown` for an unknown one.
pub fn memory(kind: u32) -> &'static str {
    match kind {
        1 => "Pageable",
        2 => "Pinned",
        3 => "Device",
        4 => "Array",
        5 => "Managed",
        6 => "Device Static",
        7 => "Managed Static",
        _ => "Unknown",
    }
}

/// The place of memory in Paddle's notation, such as `Place(gpu:0)`, by CUPTI's kind of memory and the number
/// of the device.
pub fn place(kind: u32, device: u32) -> String {
    match kind {
        1 => "Place(cpu)".into(),
        2 => "Place(gpu_pinned)".into(),
        5 | 7 => format!("Place(gpu_managed:{device})"),
        _ => format!("Place(gpu:{device})"),
    }
}

/// Our notation, such as `Place(gpu_pool:0)`, for memory that a device's pools hold.
pub fn pool(device: u32) -> String {
    format!("Place(gpu_pool:{device})")
}

/// Name of an operation on a memory pool (`CUpti_ActivityMemoryPoolOperationType`); `unknown` for an unknown
/// one.
pub fn pool_operation(kind: u32) -> &'static str {
    match kind {
        1 => "created",
        2 => "destroyed",
        3 => "trimmed",
        _ => "unknown",
    }
}

/// How a graph launched another graph on the device, in words such as `tail`, by CUPTI's number
/// (`CUpti_DeviceGraphLaunchMode`).
pub fn device_launch(mode: u32) -> &'static str {
    match mode {
        1 => "fire and forget",
        2 => "tail",
        3 => "fire and forget as a sibling",
        _ => "in an unknown way",
    }
}

/// Name of an event of unified memory (`CUpti_ActivityUnifiedMemoryCounterKind`); `Unified memory` for an
/// unknown one.
pub fn unified(kind: u32) -> &'static str {
    match kind {
        1 => "Migration HtoD",
        2 => "Migration DtoH",
        3 => "CPU page fault",
        4 => "GPU page fault",
        5 => "Thrashing",
        6 => "Throttling",
        7 => "Remote map",
        8 => "Migration DtoD",
        _ => "Unified memory",
    }
}

/// Why unified memory migrated (`CUpti_ActivityUnifiedMemoryMigrationCause`); `None` if the cause is unknown.
pub fn migration_cause(cause: u32) -> Option<&'static str> {
    match cause {
        1 => Some("User"),
        2 => Some("Coherence"),
        3 => Some("Prefetch"),
        4 => Some("Eviction"),
        5 => Some("Access counters"),
        _ => None,
    }
}

/// Why memory was mapped for a device instead of migrated to it
/// (`CUpti_ActivityUnifiedMemoryRemoteMapCause`); `None` if the cause is unknown.
pub fn mapping_cause(cause: u32) -> Option<&'static str> {
    match cause {
        1 => Some("Coherence"),
        2 => Some("Thrashing"),
        3 => Some("Policy"),
        4 => Some("Out of memory"),
        5 => Some("Eviction"),
        _ => None,
    }
}

/// The kind of access by which a device caused a page fault (`CUpti_ActivityUnifiedMemoryAccessType`); `None`
/// if unknown.
pub fn access(kind: u32) -> Option<&'static str> {
    match kind {
        1 => Some("Read"),
        2 => Some("Write"),
        3 => Some("Atomic"),
        4 => Some("Prefetch"),
        _ => None,
    }
}

/// Name of a kind of synchronization (`CUpti_ActivitySynchronizationType`); `Sync` for an unknown one.
pub fn sync(kind: u32) -> &'static str {
    match kind {
        1 => "Event Sync",
        2 => "Stream Wait Event",
        3 => "Stream Sync",
        4 => "Context Sync",
        _ => "Sync",
    }
}

/// Name of a kind of overhead (`CUpti_ActivityOverheadKind`); `Overhead` for an unknown one.
pub fn overhead(kind: u32) -> &'static str {
    match kind {
        1 => "Driver Compiler",
        0x1_0000 => "Buffer Flush",
        0x2_0000 => "Instrumentation",
        0x3_0000 => "Resource",
        0x4_0000 => "Runtime Triggered Module Loading",
        0x5_0000 => "Lazy Function Loading",
        0x6_0000 => "Command Buffer Full",
        0x7_0000 => "Activity Buffer Request",
        0x8_0000 => "UVM Activity Init",
        _ => "Overhead",
    }
}
