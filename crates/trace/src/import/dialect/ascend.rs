//! The vocabulary of Ascend's profiler (`torch_npu`, `MindSpore`, msprof): names of processes and of tasks on
//! a device.
//!
//! The file `trace_view.json` gives device work no category; the name of its process says what an event is.
//! Written from the sources of Ascend's tools and from their tests: no real trace was at hand, so this is
//! experimental.

use crate::model::Category;

/// What the events of one of Ascend's processes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Process {
    /// Tasks on the streams of a device.
    Device,
    /// Collectives between devices, and the parts of them.
    Collectives,
    /// Ranges of time in which a device computes or communicates, or is free.
    Overlap,
    /// Calls of the runtime on the host.
    Runtime,
}

/// The name of the process that has a device's streams.
pub(in crate::import) const DEVICE: &[u8] = b"Ascend Hardware";

impl Process {
    /// What the events of a process with this name are; `None` for other names.
    pub(in crate::import) fn named(name: &[u8]) -> Option<Self> {
        match name {
            DEVICE => Some(Self::Device),
            b"Communication" | b"HCCL" => Some(Self::Collectives),
            b"Overlap Analysis" => Some(Self::Overlap),
            b"CANN" => Some(Self::Runtime),
            _ => None,
        }
    }
}

/// The category of a task on a device, by its name; a name of no known type is a kernel's.
pub(in crate::import) fn task(name: &[u8]) -> Category {
    const SYNCHRONIZATION: [&[u8]; 5] = [b"EVENT_", b"NOTIFY_", b"CAPTURE_", b"MEM_WAIT", b"WRITE_VALUE"];
    const COPIES: [&[u8]; 4] = [b"MEMCPY", b"SDMA", b"PCIE_DMA", b"RDMA"];
    /// How the names of the scheduler's own tasks begin, which take no time of a core.
    const CONTROL: [&[u8]; 5] = [b"MODEL_", b"PROFILING_", b"STREAM_", b"LABEL_", b"MAINTENANCE"];
    /// How the names of tasks on cores begin, among the names that end in `_SQE`.
    const CORES: [&[u8]; 5] = [b"AI", b"DSA", b"VPC", b"JPEG", b"MIX"];
    let begins = |words: &[&[u8]]| words.iter().any(|word| name.starts_with(word));
    match name {
        _ if begins(&SYNCHRONIZATION) => Category::Synchronization,
        _ if begins(&COPIES) => Category::Memcpy,
        _ if name.starts_with(b"MEMSET") => Category::Memset,
        _ if begins(&CONTROL) || name.ends_with(b"_SQE") && !begins(&CORES) => Category::Other,
        _ => Category::Kernel,
    }
}

/// True for the name of a collective operation: it begins with `hcom_` or `hccl_`.
pub(in crate::import) fn is_collective(name: &[u8]) -> bool {
    name.starts_with(b"hcom_") || name.starts_with(b"hccl_")
}

/// True for the name of a thread with parts of collectives: it begins with `Plane`.
pub(in crate::import) fn is_plane(thread: &[u8]) -> bool {
    thread.starts_with(b"Plane")
}

/// The device's number in the process id of a device's streams: the low 5 bits. `None` if the id has none, as
/// in older versions.
pub(in crate::import) fn device_number(pid: &[u8]) -> Option<u64> {
    let pid: u64 = std::str::from_utf8(pid).ok()?.parse().ok()?;
    (pid >= 1 << 10).then_some(pid & 0x1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_devices() {
        for (name, want) in [
            ("aclnnMatmul_MatMulV3Common_MatMulV3", Category::Kernel),
            ("AI_CORE", Category::Kernel),
            ("hcom_allReduce__123_0_1", Category::Kernel),
            ("EVENT_WAIT", Category::Synchronization),
            ("NOTIFY_WAIT_SQE", Category::Synchronization),
            ("MEMCPY_ASYNC", Category::Memcpy),
            ("SDMA_SQE", Category::Memcpy),
            ("CONDITION_SQE", Category::Other),
            ("AIV_SQE", Category::Kernel),
            ("MODEL_EXECUTE", Category::Other),
        ] {
            assert_eq!(task(name.as_bytes()), want, "{name}");
        }
        let pid = (4321 << 10) | (20 << 5) | 3;
        assert_eq!(device_number(pid.to_string().as_bytes()), Some(3));
        assert_eq!((device_number(b"4"), device_number(b"3_0")), (None, None));
    }
}
