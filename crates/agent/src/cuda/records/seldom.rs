//! Decodes the records of what few programs do: kernels and graphs that the device launches, functions of
//! graphs on the host, memory pools, unified memory. Must not know files, nor which cycles there are.

use proftui_wire::device::Record;
use proftui_wire::device::record::{DeviceGraph, HostNode, Kernel, Pool, Unified};

use super::super::interval::CaptureInterval;
use super::activities::{
    CUpti_ActivityCdpKernel, CUpti_ActivityDeviceGraphTrace, CUpti_ActivityGraphHostNode,
    CUpti_ActivityMemoryPool3, CUpti_ActivityUnifiedMemoryCounter3,
};
use super::kind;

/// CUPTI's kinds of events of unified memory (`CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_…`).
pub(crate) mod counter {
    #![allow(missing_docs, reason = "CUPTI's own names")]
    pub(crate) const BYTES_TRANSFER_HTOD: u32 = 1;
    pub(crate) const BYTES_TRANSFER_DTOH: u32 = 2;
    pub(crate) const CPU_PAGE_FAULT_COUNT: u32 = 3;
    pub(crate) const GPU_PAGE_FAULT: u32 = 4;
    pub(crate) const THRASHING: u32 = 5;
    pub(crate) const THROTTLING: u32 = 6;
    pub(crate) const REMOTE_MAP: u32 = 7;
    pub(crate) const BYTES_TRANSFER_DTOD: u32 = 8;
}

/// Start and end of a record of the kind `which`, ns of the records' clock, equal for an instant; 0 if not
/// known.
pub(super) fn span(which: u32, bytes: &[u8]) -> (u64, u64) {
    match which {
        kind::CDP_KERNEL => {
            let kernel = CUpti_ActivityCdpKernel(bytes);
            (kernel.start(), kernel.end())
        }
        kind::DEVICE_GRAPH_TRACE => {
            let graph = CUpti_ActivityDeviceGraphTrace(bytes);
            (graph.start(), graph.end())
        }
        kind::GRAPH_HOST_NODE => {
            let node = CUpti_ActivityGraphHostNode(bytes);
            (node.start(), node.end())
        }
        kind::MEMORY_POOL => {
            let time = CUpti_ActivityMemoryPool3(bytes).timestamp();
            (time, time)
        }
        kind::UNIFIED_MEMORY_COUNTER => {
            let event = CUpti_ActivityUnifiedMemoryCounter3(bytes);
            (event.start(), if has_end(event) { event.end() } else { event.start() })
        }
        _ => (0, 0),
    }
}

/// True if CUPTI states an end of the event; else the event is an instant.
fn has_end(event: CUpti_ActivityUnifiedMemoryCounter3<'_>) -> bool {
    !matches!(event.counterKind(), counter::CPU_PAGE_FAULT_COUNT | counter::THRASHING | counter::REMOTE_MAP)
}

/// Decodes a record of the kind `which`, its times converted to the monotonic clock; `None` for kinds that
/// this module does not decode.
pub(super) fn read(
    which: u32,
    bytes: &[u8],
    version: u32,
    interval: &CaptureInterval,
    mut name_at: impl FnMut(u64) -> u32,
) -> Option<Record> {
    let (start, end) = span(which, bytes);
    let (start, end) = (interval.time(start), interval.time(end));
    Some(match which {
        kind::CDP_KERNEL => {
            let kernel = CUpti_ActivityCdpKernel(bytes);
            Record::Kernel(Kernel {
                name: name_at(kernel.name()),
                start,
                end,
                queued: interval.time(kernel.queued()),
                submitted: interval.time(kernel.submitted()),
                device: kernel.deviceId(),
                context: kernel.contextId(),
                stream: kernel.streamId(),
                correlation: kernel.correlationId(),
                grid: [kernel.gridX(), kernel.gridY(), kernel.gridZ()],
                block: [kernel.blockX(), kernel.blockY(), kernel.blockZ()],
                static_shared: kernel.staticSharedMemory(),
                dynamic_shared: kernel.dynamicSharedMemory(),
                registers: kernel.registersPerThread().into(),
                local: kernel.localMemoryPerThread(),
                launch: Kernel::BY_KERNEL,
                ..Kernel::default()
            })
        }
        kind::DEVICE_GRAPH_TRACE => {
            let graph = CUpti_ActivityDeviceGraphTrace(bytes);
            Record::DeviceGraph(DeviceGraph {
                graph: graph.graphId(),
                start,
                end,
                device: graph.deviceId(),
                context: graph.contextId(),
                stream: graph.streamId() as u32,
                launcher: graph.launcherGraphId(),
                launch: graph.deviceLaunchMode(),
            })
        }
        kind::GRAPH_HOST_NODE => {
            let node = CUpti_ActivityGraphHostNode(bytes);
            Record::HostNode(HostNode {
                tid: node.threadId(),
                start,
                end,
                graph_node: node.graphNodeId(),
                graph: node.graphId(),
                device: node.deviceId(),
                context: node.contextId(),
                stream: node.streamId(),
                correlation: node.correlationId(),
            })
        }
        kind::MEMORY_POOL => {
            let pool = CUpti_ActivityMemoryPool3(bytes);
            Record::Pool(Pool {
                operation: pool.memoryPoolOperationType(),
                time: start,
                address: pool.address(),
                size: pool.size(),
                used: pool.utilizedSize(),
                threshold: pool.releaseThreshold(),
                least: pool.minBytesToKeep(),
                device: pool.deviceId(),
                correlation: pool.correlationId(),
                kind: pool.memoryPoolType(),
                is_managed: pool.isManagedPool(version).into(),
            })
        }
        kind::UNIFIED_MEMORY_COUNTER => {
            let event = CUpti_ActivityUnifiedMemoryCounter3(bytes);
            Record::Unified(Unified {
                kind: event.counterKind(),
                start,
                end,
                value: event.value(),
                address: event.address(),
                source: event.srcId(),
                destination: event.dstId(),
                cause: event.flags(),
            })
        }
        _ => return None,
    })
}
