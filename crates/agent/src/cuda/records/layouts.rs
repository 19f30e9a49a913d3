//! Tests the decoding of records against NVIDIA's header (CUDA 13.0, from cudarc): offsets and sizes of the
//! table, and which field of a structure becomes which field of the record.

#![allow(unsafe_code, reason = "fills structures field by field and reads them as bytes")]

use std::mem::MaybeUninit;
use std::{ptr, slice};

use cudarc::cupti::sys;

use super::*;

mod seldom;

/// CUPTI's API version for which `read_of!` decodes records: that of the header.
const VERSION: u32 = 130_001;

/// Offset and size of a field by our table, and by NVIDIA's header.
pub(super) struct Row {
    /// The structure and the path to the field: `CUpti_ActivityKernel10.start`.
    pub name: &'static str,
    /// Offset and size in bytes by our table.
    pub ours: (usize, usize),
    /// Offset and size in bytes by NVIDIA's header.
    pub theirs: (usize, usize),
}

/// Makes a [`Row`] from the structure, the path to its field, and the offset and size that our table states.
macro_rules! row {
    ($structure:ident, $($field:ident).+, $offset:expr, $size:expr) => {{
        use cudarc::cupti::sys::$structure as Theirs;
        $crate::cuda::records::layouts::Row {
            name: concat!(stringify!($structure), $(".", stringify!($field)),+),
            ours: ($offset, $size),
            theirs: (
                std::mem::offset_of!(Theirs, $($field).+),
                $crate::cuda::records::layouts::size_of_field::<Theirs, _>(|record| {
                    // SAFETY: never called: only its type counts.
                    #[allow(unsafe_code)]
                    unsafe { &raw const (*record).$($field).+ }
                }),
            ),
        }
    }};
}
pub(super) use row;

/// Size in bytes of `F`, the field's type; the function is not called.
pub(super) const fn size_of_field<S, F>(_pointer: fn(*const S) -> *const F) -> usize {
    size_of::<F>()
}

#[test]
fn every_row_of_the_table_is_the_headers() {
    let rows: Vec<&Row> = activities::ROWS.iter().copied().flatten().collect();
    assert!(rows.len() > 180, "{}", rows.len());
    for Row { name, ours, theirs } in rows {
        assert_eq!(ours, theirs, "{name}: offset and size");
    }
}

#[test]
fn kinds_are_the_headers() {
    use sys::CUpti_ActivityKind as Theirs;
    for (ours, theirs) in [
        (kind::MEMCPY, Theirs::CUPTI_ACTIVITY_KIND_MEMCPY),
        (kind::MEMSET, Theirs::CUPTI_ACTIVITY_KIND_MEMSET),
        (kind::KERNEL, Theirs::CUPTI_ACTIVITY_KIND_KERNEL),
        (kind::DRIVER, Theirs::CUPTI_ACTIVITY_KIND_DRIVER),
        (kind::RUNTIME, Theirs::CUPTI_ACTIVITY_KIND_RUNTIME),
        (kind::DEVICE, Theirs::CUPTI_ACTIVITY_KIND_DEVICE),
        (kind::CONTEXT, Theirs::CUPTI_ACTIVITY_KIND_CONTEXT),
        (kind::CONCURRENT_KERNEL, Theirs::CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
        (kind::NAME, Theirs::CUPTI_ACTIVITY_KIND_NAME),
        (kind::OVERHEAD, Theirs::CUPTI_ACTIVITY_KIND_OVERHEAD),
        (kind::CDP_KERNEL, Theirs::CUPTI_ACTIVITY_KIND_CDP_KERNEL),
        (kind::MEMCPY2, Theirs::CUPTI_ACTIVITY_KIND_MEMCPY2),
        (kind::UNIFIED_MEMORY_COUNTER, Theirs::CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER),
        (kind::CUDA_EVENT, Theirs::CUPTI_ACTIVITY_KIND_CUDA_EVENT),
        (kind::STREAM, Theirs::CUPTI_ACTIVITY_KIND_STREAM),
        (kind::SYNCHRONIZATION, Theirs::CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
        (kind::MEMORY2, Theirs::CUPTI_ACTIVITY_KIND_MEMORY2),
        (kind::MEMORY_POOL, Theirs::CUPTI_ACTIVITY_KIND_MEMORY_POOL),
        (kind::GRAPH_TRACE, Theirs::CUPTI_ACTIVITY_KIND_GRAPH_TRACE),
        (kind::DEVICE_GRAPH_TRACE, Theirs::CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE),
    ] {
        assert_eq!(ours, theirs as u32, "{theirs:?}");
    }
    assert_eq!(THREAD, sys::CUpti_ActivityObjectKind::CUPTI_ACTIVITY_OBJECT_THREAD as u32);
}

/// A source of names for tests, which makes indices of addresses and numbers.
struct Plain;

impl Names for Plain {
    fn at(&mut self, address: u64) -> u32 {
        address as u32
    }

    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        Some(number + u32::from(is_driver))
    }
}

/// Classifies and decodes a record of kind `$kind`: the header's `$type` with these fields set, all others 0.
macro_rules! read_of {
    ($kind:expr, $type:ident { $($($field:ident).+: $value:expr),* $(,)? }) => {{
        let mut record = MaybeUninit::<sys::$type>::zeroed();
        let at = record.as_mut_ptr();
        // SAFETY: fields of the structure; then all of its bytes, each of which is zero or was written.
        let bytes = unsafe {
            $((&raw mut (*at).$($field).+).write_unaligned($value);)*
            at.cast::<u32>().write_unaligned($kind);
            slice::from_raw_parts(at.cast::<u8>(), size_of::<sys::$type>()).to_vec()
        };
        let interval = CaptureInterval { end: u64::MAX, cycle: 1, ..CaptureInterval::NONE };
        (classify(&bytes), read(&bytes, VERSION, &interval, &mut Plain))
    }};
}

use read_of;

/// Makes a pointer of an address; it is never dereferenced.
fn at<T>(address: usize) -> *const T {
    ptr::without_provenance(address)
}

#[test]
fn calls() {
    let read = read_of!(
        kind::DRIVER,
        CUpti_ActivityAPI {
            cbid: 1,
            start: 2,
            end: 3,
            processId: 4,
            threadId: 5,
            correlationId: 6,
            returnValue: 7,
        }
    );
    let function = 1 | Api::DRIVER;
    let expected = Api { name: 2, start: 2, end: 3, tid: 5, correlation: 6, returned: 7, function };
    assert_eq!(read, (Class::HostEvent(2), Some(Record::Api(expected))));
}

#[test]
fn kernels() {
    let read = read_of!(
        kind::CONCURRENT_KERNEL,
        CUpti_ActivityKernel10 {
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
            graphNodeId: 20,
            graphId: 21,
            channelID: 22,
            launchType: 2,
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
        graph_node: 20,
        graph: 21,
        channel: 22,
        launch: 2,
    };
    assert_eq!(read, (Class::DeviceWork(2), Some(Record::Kernel(expected))));
}

#[test]
fn records_of_events() {
    let read = read_of!(
        kind::CUDA_EVENT,
        CUpti_ActivityCudaEvent2 { correlationId: 1, contextId: 2, streamId: 3, eventId: 4 }
    );
    let event = Event { correlation: 1, context: 2, stream: 3, event: 4 };
    assert_eq!(read, (Class::Untimed, Some(Record::Event(event))));
}

#[test]
fn copies() {
    let read = read_of!(
        kind::MEMCPY,
        CUpti_ActivityMemcpy6 {
            copyKind: 1,
            srcKind: 2,
            dstKind: 3,
            flags: 1,
            bytes: 5,
            start: 6,
            end: 7,
            deviceId: 8,
            contextId: 9,
            streamId: 10,
            correlationId: 11,
            graphNodeId: 12,
            graphId: 13,
            channelID: 14,
            copyCount: 15,
        }
    );
    let copy = Memcpy {
        kinds_and_flags: 0x0103_0201,
        start: 6,
        end: 7,
        bytes: 5,
        device: 8,
        context: 9,
        stream: 10,
        correlation: 11,
        graph_node: 12,
        graph: 13,
        channel: 14,
        source: 8,
        destination: 8,
        copies: 15,
    };
    assert_eq!(read, (Class::DeviceWork(6), Some(Record::Memcpy(copy))));
    let read = read_of!(
        kind::MEMCPY2,
        CUpti_ActivityMemcpyPtoP4 {
            copyKind: 1,
            srcKind: 2,
            dstKind: 3,
            flags: 1,
            bytes: 5,
            start: 6,
            end: 7,
            deviceId: 8,
            contextId: 9,
            streamId: 10,
            srcDeviceId: 16,
            dstDeviceId: 17,
            correlationId: 11,
            graphNodeId: 12,
            graphId: 13,
            channelID: 14,
        }
    );
    let copy = Memcpy { source: 16, destination: 17, copies: 1, ..copy };
    assert_eq!(read, (Class::DeviceWork(6), Some(Record::Memcpy(copy))));
}

#[test]
fn memsets() {
    let read = read_of!(
        kind::MEMSET,
        CUpti_ActivityMemset4 {
            value: 1,
            bytes: 2,
            start: 3,
            end: 4,
            deviceId: 5,
            contextId: 6,
            streamId: 7,
            correlationId: 8,
            flags: 1,
            memoryKind: 9,
            graphNodeId: 10,
            graphId: 11,
        }
    );
    let expected = Memset {
        kind_and_flags: 0x1_0009,
        start: 3,
        end: 4,
        bytes: 2,
        device: 5,
        context: 6,
        stream: 7,
        correlation: 8,
        graph_node: 10,
        graph: 11,
        value: 1,
    };
    assert_eq!(read, (Class::DeviceWork(3), Some(Record::Memset(expected))));
}

#[test]
fn syncs_and_overheads() {
    let read =
        read_of!(kind::SYNCHRONIZATION, CUpti_ActivitySynchronization2 {
        type_: sys::CUpti_ActivitySynchronizationType::CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
        start: 1, end: 2, correlationId: 3, contextId: 4, streamId: 5, cudaEventId: 6,
    });
    let sync = Sync { kind: 3, start: 1, end: 2, context: 4, stream: 5, event: 6, correlation: 3 };
    assert_eq!(read, (Class::HostEvent(1), Some(Record::Sync(sync))));
    let read = read_of!(kind::OVERHEAD, CUpti_ActivityOverhead3 {
        overheadKind: sys::CUpti_ActivityOverheadKind::CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER,
        objectKind: sys::CUpti_ActivityObjectKind::CUPTI_ACTIVITY_OBJECT_THREAD,
        objectId.pt.processId: 1, objectId.pt.threadId: 2, start: 3, end: 4, correlationId: 5,
    });
    let overhead = Overhead { kind: 1, start: 3, end: 4, tid: 2, correlation: 5 };
    assert_eq!(read, (Class::HostEvent(3), Some(Record::Overhead(overhead))));
}

#[test]
fn memory_and_graphs() {
    let read = read_of!(
        kind::MEMORY2,
        CUpti_ActivityMemory4 {
            memoryOperationType:
                sys::CUpti_ActivityMemoryOperationType::CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE,
            memoryKind: sys::CUpti_ActivityMemoryKind::CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
            correlationId: 1,
            address: 2,
            bytes: 3,
            timestamp: 4,
            deviceId: 5,
            contextId: 6,
            streamId: 7,
            name: at(8),
            isAsync: 1,
        }
    );
    let memory = Memory {
        operation: 2,
        time: 4,
        address: 2,
        bytes: 3,
        device: 5,
        context: 6,
        stream: 7,
        correlation: 1,
        kind: 3,
        is_async: 1,
        name: 8,
    };
    assert_eq!(read, (Class::HostEvent(4), Some(Record::Memory(memory))));
    let read = read_of!(
        kind::GRAPH_TRACE,
        CUpti_ActivityGraphTrace2 {
            correlationId: 1,
            start: 2,
            end: 3,
            deviceId: 4,
            graphId: 5,
            contextId: 6,
            streamId: 7,
        }
    );
    let graph = Graph { graph: 5, start: 2, end: 3, device: 4, context: 6, stream: 7, correlation: 1 };
    assert_eq!(read, (Class::DeviceWork(2), Some(Record::Graph(graph))));
}

#[test]
fn devices() {
    let read = read_of!(kind::DEVICE, CUpti_ActivityDevice5 {
        globalMemoryBandwidth: 1, globalMemorySize: 2, l2CacheSize: 3, numThreadsPerWarp: 4, coreClockRate: 5,
        numMultiprocessors: 6, maxWarpsPerMultiprocessor: 7, maxBlocksPerMultiprocessor: 8,
        maxSharedMemoryPerMultiprocessor: 9, maxRegistersPerMultiprocessor: 10, maxRegistersPerBlock: 11,
        maxSharedMemoryPerBlock: 12, maxThreadsPerBlock: 13, computeCapabilityMajor: 14,
        computeCapabilityMinor: 15, id: 16, uuid.bytes: [17; 16], name: at(18), isMigEnabled: 1,
    });
    let device = Device {
        id: 16,
        name: 18,
        processors: 6,
        major: 14,
        minor: 15,
        warp: 4,
        warps: 7,
        blocks: 8,
        registers: 10,
        shared: 9,
        block_threads: 13,
        block_registers: 11,
        block_shared: 12,
        clock: 5,
        cache: 3,
        memory: 2,
        bandwidth: 1,
        uuid: [0x1111_1111; 4],
        is_mig: 1,
    };
    assert_eq!(read, (Class::Description, Some(Record::Device(device))));
    let uuid = |is_mig: u8| {
        let (_, read) = read_of!(kind::DEVICE, CUpti_ActivityDevice5 {
            uuid.bytes: [17; 16], isMigEnabled: is_mig, migUuid.bytes: [34; 16],
        });
        let Some(Record::Device(device)) = read else { panic!("a device") };
        device.uuid
    };
    assert_eq!(
        (uuid(0), uuid(1)),
        ([0x1111_1111; 4], [0x2222_2222; 4]),
        "a MIG instance has a UUID of its own"
    );
}

#[test]
fn contexts_streams_and_names() {
    let read = read_of!(
        kind::CONTEXT,
        CUpti_ActivityContext3 { contextId: 1, deviceId: 2, nullStreamId: 3, parentContextId: 4 }
    );
    let context = Context { id: 1, device: 2, stream: 3, parent: 4 };
    assert_eq!(read, (Class::Description, Some(Record::Context(context))));
    let read = read_of!(
        kind::STREAM,
        CUpti_ActivityStream {
            contextId: 1,
            streamId: 2,
            priority: 3,
            correlationId: 4,
            flag: sys::CUpti_ActivityStreamFlag::CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING,
        }
    );
    let stream = Stream { id: 2, context: 1, priority: 3, flags: 2, correlation: 4 };
    assert_eq!(read, (Class::Description, Some(Record::Stream(stream))));
    let read = read_of!(kind::NAME, CUpti_ActivityName {
        objectKind: sys::CUpti_ActivityObjectKind::CUPTI_ACTIVITY_OBJECT_STREAM,
        objectId.dcs.deviceId: 1, objectId.dcs.contextId: 2, objectId.dcs.streamId: 3, name: at(4),
    });
    let name = Name { name: 4, object: 5, process_or_device: 1, thread_or_context: 2, stream: 3 };
    assert_eq!(read, (Class::Description, Some(Record::Name(name))));
}
