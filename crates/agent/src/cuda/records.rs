//! Decodes CUPTI's activity records: classifies each record, and converts it to the record that is written to
//! the file.
//!
//! [`activities`] is the table of the fields that are read and of their offsets. A record is given as the
//! bytes from its beginning to the buffer's end, since only CUPTI knows its length. Must not know files, nor
//! which cycles there are.

mod activities;
pub(super) mod kind;
mod seldom;

use proftui_wire::device::Record;
use proftui_wire::device::record::{
    Api, Context, Device, Event, Graph, Kernel, Memcpy, Memory, Memset, Name, Overhead, Stream, Sync,
};

use super::interval::CaptureInterval;
use activities::{
    CUpti_ActivityAPI, CUpti_ActivityContext3, CUpti_ActivityCudaEvent2, CUpti_ActivityDevice5,
    CUpti_ActivityGraphTrace2, CUpti_ActivityKernel10, CUpti_ActivityMemcpy6, CUpti_ActivityMemcpyPtoP4,
    CUpti_ActivityMemory4, CUpti_ActivityMemset4, CUpti_ActivityName, CUpti_ActivityOverhead3,
    CUpti_ActivityStream, CUpti_ActivitySynchronization2,
};
pub(super) use seldom::counter;

/// `CUPTI_ACTIVITY_OBJECT_THREAD`: the object that an overhead is attributed to is a thread.
const THREAD: u32 = 2;

/// The class of a record: it decides by which rule the record is kept or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Device work (a kernel, a copy, a memset, a graph), with its start on the records' clock, ns; 0 if
    /// CUPTI does not know it.
    DeviceWork(u64),
    /// An event of unified memory, or a graph's function on the host, with its start on the records' clock,
    /// ns; 0 if CUPTI does not know it.
    DeviceEvent(u64),
    /// An event on the host, such as a call or an allocation, with its start on the records' clock, ns.
    HostEvent(u64),
    /// A record of a CUDA event, read without a time.
    Untimed,
    /// Describes an object, such as a device or a stream; kept even if no cycle is open.
    Description,
    /// A record of a kind that is not decoded.
    Unknown,
}

/// A source of names, each given by its index in the process's list of names.
pub(super) trait Names {
    /// Index of the text at an address of this process; 0 for the null address.
    fn at(&mut self, address: u64) -> u32;
    /// Index of a function's name by CUPTI's number of the function; 0 for none, `None` if the function's
    /// calls are not kept.
    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32>;
}

/// Finds the class of a record by its kind. `bytes` begin with the record and may go on behind it.
#[inline]
pub(super) fn classify(bytes: &[u8]) -> Class {
    match activities::kind(bytes) {
        kind::KERNEL | kind::CONCURRENT_KERNEL => Class::DeviceWork(CUpti_ActivityKernel10(bytes).start()),
        kind::MEMCPY => Class::DeviceWork(CUpti_ActivityMemcpy6(bytes).start()),
        kind::MEMCPY2 => Class::DeviceWork(CUpti_ActivityMemcpyPtoP4(bytes).start()),
        kind::MEMSET => Class::DeviceWork(CUpti_ActivityMemset4(bytes).start()),
        kind::GRAPH_TRACE => Class::DeviceWork(CUpti_ActivityGraphTrace2(bytes).start()),
        kind::RUNTIME | kind::DRIVER => Class::HostEvent(CUpti_ActivityAPI(bytes).start()),
        kind::SYNCHRONIZATION => Class::HostEvent(CUpti_ActivitySynchronization2(bytes).start()),
        kind::OVERHEAD => Class::HostEvent(CUpti_ActivityOverhead3(bytes).start()),
        kind::MEMORY2 => Class::HostEvent(CUpti_ActivityMemory4(bytes).timestamp()),
        kind::CUDA_EVENT => Class::Untimed,
        which @ (kind::CDP_KERNEL | kind::DEVICE_GRAPH_TRACE) => {
            Class::DeviceWork(seldom::span(which, bytes).0)
        }
        which @ (kind::UNIFIED_MEMORY_COUNTER | kind::GRAPH_HOST_NODE) => {
            Class::DeviceEvent(seldom::span(which, bytes).0)
        }
        kind::MEMORY_POOL => Class::HostEvent(seldom::span(kind::MEMORY_POOL, bytes).0),
        kind::DEVICE | kind::CONTEXT | kind::STREAM | kind::NAME => Class::Description,
        _ => Class::Unknown,
    }
}

/// True if a record's kind is not 0.
pub(super) fn has_kind(bytes: &[u8]) -> bool {
    activities::kind(bytes) != 0
}

/// End of a record's event, or its time if it is an instant, ns of the records' clock; 0 if there is none.
pub(super) fn end(bytes: &[u8]) -> u64 {
    match activities::kind(bytes) {
        kind::KERNEL | kind::CONCURRENT_KERNEL => CUpti_ActivityKernel10(bytes).end(),
        kind::MEMCPY => CUpti_ActivityMemcpy6(bytes).end(),
        kind::MEMCPY2 => CUpti_ActivityMemcpyPtoP4(bytes).end(),
        kind::MEMSET => CUpti_ActivityMemset4(bytes).end(),
        kind::GRAPH_TRACE => CUpti_ActivityGraphTrace2(bytes).end(),
        kind::RUNTIME | kind::DRIVER => CUpti_ActivityAPI(bytes).end(),
        kind::SYNCHRONIZATION => CUpti_ActivitySynchronization2(bytes).end(),
        kind::OVERHEAD => CUpti_ActivityOverhead3(bytes).end(),
        kind::MEMORY2 => CUpti_ActivityMemory4(bytes).timestamp(),
        which => seldom::span(which, bytes).1,
    }
}

/// Decodes a record, its times converted to the monotonic clock; `None` for a call that is not kept and for
/// an unknown kind.
#[allow(clippy::too_many_lines, reason = "one arm per kind of record")]
#[inline]
pub(super) fn read(
    bytes: &[u8],
    version: u32,
    interval: &CaptureInterval,
    names: &mut impl Names,
) -> Option<Record> {
    let time = |time| interval.time(time);
    Some(match activities::kind(bytes) {
        which @ (kind::RUNTIME | kind::DRIVER) => {
            let call = CUpti_ActivityAPI(bytes);
            let (is_driver, function) = (which == kind::DRIVER, call.cbid());
            Record::Api(Api {
                name: names.function(is_driver, function)?,
                start: time(call.start()),
                end: time(call.end()),
                tid: call.threadId(),
                correlation: call.correlationId(),
                returned: call.returnValue(),
                function: function | if is_driver { Api::DRIVER } else { 0 },
            })
        }
        kind::KERNEL | kind::CONCURRENT_KERNEL => {
            let kernel = CUpti_ActivityKernel10(bytes);
            Record::Kernel(Kernel {
                name: names.at(kernel.name()),
                start: time(kernel.start()),
                end: time(kernel.end()),
                queued: time(kernel.queued()),
                submitted: time(kernel.submitted()),
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
                graph_node: kernel.graphNodeId(),
                graph: kernel.graphId(),
                channel: kernel.channelID(),
                launch: kernel.launchType().into(),
            })
        }
        kind::MEMCPY => {
            let copy = CUpti_ActivityMemcpy6(bytes);
            Record::Memcpy(Memcpy {
                kinds_and_flags: u32::from_le_bytes([
                    copy.copyKind(),
                    copy.srcKind(),
                    copy.dstKind(),
                    copy.flags(),
                ]),
                start: time(copy.start()),
                end: time(copy.end()),
                bytes: copy.bytes(),
                device: copy.deviceId(),
                context: copy.contextId(),
                stream: copy.streamId(),
                correlation: copy.correlationId(),
                graph_node: copy.graphNodeId(),
                graph: copy.graphId(),
                channel: copy.channelID(),
                source: copy.deviceId(),
                destination: copy.deviceId(),
                copies: copy.copyCount(version).max(1),
            })
        }
        kind::MEMCPY2 => {
            let copy = CUpti_ActivityMemcpyPtoP4(bytes);
            Record::Memcpy(Memcpy {
                kinds_and_flags: u32::from_le_bytes([
                    copy.copyKind(),
                    copy.srcKind(),
                    copy.dstKind(),
                    copy.flags(),
                ]),
                start: time(copy.start()),
                end: time(copy.end()),
                bytes: copy.bytes(),
                device: copy.deviceId(),
                context: copy.contextId(),
                stream: copy.streamId(),
                correlation: copy.correlationId(),
                graph_node: copy.graphNodeId(),
                graph: copy.graphId(),
                channel: copy.channelID(),
                source: copy.srcDeviceId(),
                destination: copy.dstDeviceId(),
                copies: 1,
            })
        }
        kind::MEMSET => {
            let memset = CUpti_ActivityMemset4(bytes);
            Record::Memset(Memset {
                kind_and_flags: u32::from(memset.memoryKind()) | u32::from(memset.flags()) << 16,
                start: time(memset.start()),
                end: time(memset.end()),
                bytes: memset.bytes(),
                device: memset.deviceId(),
                context: memset.contextId(),
                stream: memset.streamId(),
                correlation: memset.correlationId(),
                graph_node: memset.graphNodeId(),
                graph: memset.graphId(),
                value: memset.value(),
            })
        }
        kind::SYNCHRONIZATION => {
            let sync = CUpti_ActivitySynchronization2(bytes);
            Record::Sync(Sync {
                kind: sync.type_(),
                start: time(sync.start()),
                end: time(sync.end()),
                context: sync.contextId(),
                stream: sync.streamId(),
                event: sync.cudaEventId(),
                correlation: sync.correlationId(),
            })
        }
        kind::CUDA_EVENT => {
            let event = CUpti_ActivityCudaEvent2(bytes);
            Record::Event(Event {
                event: event.eventId(),
                context: event.contextId(),
                stream: event.streamId(),
                correlation: event.correlationId(),
            })
        }
        kind::OVERHEAD => {
            let overhead = CUpti_ActivityOverhead3(bytes);
            Record::Overhead(Overhead {
                kind: overhead.overheadKind(),
                start: time(overhead.start()),
                end: time(overhead.end()),
                tid: if overhead.objectKind() == THREAD { overhead.threadId() } else { 0 },
                correlation: overhead.correlationId(version),
            })
        }
        kind::MEMORY2 => {
            let memory = CUpti_ActivityMemory4(bytes);
            Record::Memory(Memory {
                operation: memory.memoryOperationType(),
                time: time(memory.timestamp()),
                address: memory.address(),
                bytes: memory.bytes(),
                device: memory.deviceId(),
                context: memory.contextId(),
                stream: memory.streamId(),
                correlation: memory.correlationId(),
                kind: memory.memoryKind(),
                is_async: memory.isAsync(),
                name: names.at(memory.name()),
            })
        }
        kind::GRAPH_TRACE => {
            let graph = CUpti_ActivityGraphTrace2(bytes);
            Record::Graph(Graph {
                graph: graph.graphId(),
                start: time(graph.start()),
                end: time(graph.end()),
                device: graph.deviceId(),
                context: graph.contextId(),
                stream: graph.streamId(),
                correlation: graph.correlationId(),
            })
        }
        kind::DEVICE => Record::Device(device(CUpti_ActivityDevice5(bytes), names)),
        kind::CONTEXT => {
            let context = CUpti_ActivityContext3(bytes);
            Record::Context(Context {
                id: context.contextId(),
                device: context.deviceId(),
                stream: context.nullStreamId().into(),
                parent: context.parentContextId(version),
            })
        }
        kind::STREAM => {
            let stream = CUpti_ActivityStream(bytes);
            Record::Stream(Stream {
                id: stream.streamId(),
                context: stream.contextId(),
                priority: stream.priority(),
                flags: stream.flag(),
                correlation: stream.correlationId(),
            })
        }
        kind::NAME => {
            // The members of the other structure of the union, process and thread, lie at the offsets of
            // device and context.
            let name = CUpti_ActivityName(bytes);
            Record::Name(Name {
                name: names.at(name.name()),
                object: name.objectKind(),
                process_or_device: name.deviceId(),
                thread_or_context: name.contextId(),
                stream: name.streamId(),
            })
        }
        which => return seldom::read(which, bytes, version, interval, |address| names.at(address)),
    })
}

/// Decodes a device's properties.
fn device(device: CUpti_ActivityDevice5<'_>, names: &mut impl Names) -> Device {
    let is_mig = device.isMigEnabled() != 0;
    // MIG instances share their device's UUID; each has one of its own besides.
    let instance = Some(device.migUuid()).filter(|uuid| is_mig && *uuid != [0; 4]);
    Device {
        id: device.id(),
        name: names.at(device.name()),
        processors: device.numMultiprocessors(),
        major: device.computeCapabilityMajor(),
        minor: device.computeCapabilityMinor(),
        warp: device.numThreadsPerWarp(),
        warps: device.maxWarpsPerMultiprocessor(),
        blocks: device.maxBlocksPerMultiprocessor(),
        registers: device.maxRegistersPerMultiprocessor(),
        shared: device.maxSharedMemoryPerMultiprocessor(),
        block_threads: device.maxThreadsPerBlock(),
        block_registers: device.maxRegistersPerBlock(),
        block_shared: device.maxSharedMemoryPerBlock(),
        clock: device.coreClockRate(),
        cache: device.l2CacheSize(),
        memory: device.globalMemorySize(),
        bandwidth: device.globalMemoryBandwidth(),
        uuid: instance.unwrap_or_else(|| device.uuid()),
        is_mig: is_mig.into(),
    }
}

#[cfg(test)]
mod layouts;
#[cfg(test)]
mod tests;
