//! The decoding of records of what few programs do, against the structures of NVIDIA's header.

use std::mem::MaybeUninit;
use std::slice;

use cudarc::cupti::sys;
use proftui_wire::device::record::{DeviceGraph, HostNode, Kernel, Pool, Unified};

use super::*;

#[test]
fn kernels_of_kernels() {
    let read = read_of!(
        kind::CDP_KERNEL,
        CUpti_ActivityCdpKernel {
            registersPerThread: 1,
            start: 2,
            end: 3,
            deviceId: 4,
            contextId: 5,
            streamId: 6,
            gridX: 7,
            gridY: 8,
            gridZ: 9,
            blockX: 10,
            blockY: 11,
            blockZ: 12,
            staticSharedMemory: 13,
            dynamicSharedMemory: 14,
            localMemoryPerThread: 15,
            correlationId: 16,
            name: at(17),
            queued: 18,
            submitted: 19,
        }
    );
    let expected = Kernel {
        name: 17,
        start: 2,
        end: 3,
        queued: 18,
        submitted: 19,
        device: 4,
        context: 5,
        stream: 6,
        correlation: 16,
        grid: [7, 8, 9],
        block: [10, 11, 12],
        static_shared: 13,
        dynamic_shared: 14,
        registers: 1,
        local: 15,
        launch: Kernel::BY_KERNEL,
        ..Kernel::default()
    };
    assert_eq!(read, (Class::DeviceWork(2), Some(Record::Kernel(expected))));
}

#[test]
fn graphs_of_graphs() {
    let read = read_of!(
        kind::DEVICE_GRAPH_TRACE,
        CUpti_ActivityDeviceGraphTrace {
            deviceId: 1,
            start: 2,
            end: 3,
            graphId: 4,
            launcherGraphId: 5,
            deviceLaunchMode: 2,
            contextId: 6,
            streamId: 7,
        }
    );
    let graph =
        DeviceGraph { graph: 4, start: 2, end: 3, device: 1, context: 6, stream: 7, launcher: 5, launch: 2 };
    assert_eq!(read, (Class::DeviceWork(2), Some(Record::DeviceGraph(graph))));
}

#[test]
fn pools() {
    let read = read_of!(
        kind::MEMORY_POOL,
        CUpti_ActivityMemoryPool3 {
            memoryPoolOperationType:
                sys::CUpti_ActivityMemoryPoolOperationType::CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED,
            memoryPoolType: sys::CUpti_ActivityMemoryPoolType::CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL,
            correlationId: 1,
            deviceId: 2,
            minBytesToKeep: 3,
            address: 4,
            size: 5,
            releaseThreshold: 6,
            timestamp: 7,
            utilizedSize: 8,
            isManagedPool: 1,
        }
    );
    let pool = Pool {
        operation: 3,
        time: 7,
        address: 4,
        size: 5,
        used: 8,
        threshold: 6,
        least: 3,
        device: 2,
        correlation: 1,
        kind: 1,
        is_managed: 1,
    };
    assert_eq!(read, (Class::HostEvent(7), Some(Record::Pool(pool))));
}

#[test]
fn unified_memory() {
    use sys::CUpti_ActivityUnifiedMemoryCounterKind as Kinds;
    let of = |kind: Kinds| {
        read_of!(
            kind::UNIFIED_MEMORY_COUNTER,
            CUpti_ActivityUnifiedMemoryCounter3 {
                counterKind: kind,
                value: 1,
                start: 2,
                end: 3,
                address: 4,
                srcId: 5,
                dstId: 6,
                flags: 7,
            }
        )
    };
    let event =
        Unified { kind: 1, start: 2, end: 3, value: 1, address: 4, source: 5, destination: 6, cause: 7 };
    let read = of(Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD);
    assert_eq!(read, (Class::DeviceEvent(2), Some(Record::Unified(event))));
    let read = of(Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING);
    let event = Unified { kind: 5, end: 2, ..event };
    assert_eq!(read, (Class::DeviceEvent(2), Some(Record::Unified(event))), "it has no end");
}

/// Sets the record's bytes by offset, since the header of CUDA 13.0 lacks the structure.
#[test]
fn functions_of_graphs() {
    let mut bytes = vec![0; 56];
    bytes[..4].copy_from_slice(&kind::GRAPH_HOST_NODE.to_ne_bytes());
    for (at, number) in
        [(4, 1_u32), (8, 2), (12, 3), (16, 4), (20, 5), (24, 6), (32, 7), (36, 8), (40, 9), (48, 10)]
    {
        bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    }
    let interval = CaptureInterval { end: u64::MAX, cycle: 1, ..CaptureInterval::NONE };
    let node = HostNode {
        tid: 8,
        start: 9,
        end: 10,
        graph_node: 6,
        graph: 5,
        device: 3,
        context: 2,
        stream: 1,
        correlation: 4,
    };
    let found = (classify(&bytes), read(&bytes, 130_100, &interval, &mut Plain));
    assert_eq!(found, (Class::DeviceEvent(9), Some(Record::HostNode(node))));
}
