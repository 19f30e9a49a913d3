//! Names of CUPTI's enum values: Paddle's names for what Paddle records, Kineto's for the rest.

/// How a kernel was launched, by CUPTI's number of it; none for the usual way.
pub fn cooperation(kind: u32) -> Option<&'static str> {
    match kind {
        1 => Some("cooperative"),
        2 => Some("cooperative, several devices"),
        _ => None,
    }
}

/// Name of a kind of copy (`CUpti_ActivityMemcpyKind`).
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

/// Name of every memset.
pub const MEMSET: &str = "MEMSET";

/// Name of a kind of memory (`CUpti_ActivityMemoryKind`).
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

/// Paddle's notation (`Place(gpu:0)`) for a device's memory of CUPTI's kind `kind`.
pub fn place(kind: u32, device: u32) -> String {
    match kind {
        1 => "Place(cpu)".into(),
        2 => "Place(gpu_pinned)".into(),
        5 | 7 => format!("Place(gpu_managed:{device})"),
        _ => format!("Place(gpu:{device})"),
    }
}

/// Name of a kind of synchronization (`CUpti_ActivitySynchronizationType`).
pub fn sync(kind: u32) -> &'static str {
    match kind {
        1 => "Event Sync",
        2 => "Stream Wait Event",
        3 => "Stream Sync",
        4 => "Context Sync",
        _ => "Sync",
    }
}

/// Name of a kind of overhead (`CUpti_ActivityOverheadKind`).
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
