//! Calls and the work below them, as messages.

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, CudaRuntimeTraceEventProto, DeviceTraceEventNodeProto,
    DeviceTraceEventProto, KernelEventInfoProto, MemcpyEventInfoProto, MemsetEventInfoProto,
};

use super::super::device::{Call, Copy, Fill, Launch, Stream, What, Work};
use super::super::{Recording, Thread};

/// A call, without its work. Readers of Paddle's want every field.
pub(super) fn call(recording: &Recording, thread: &Thread, call: &Call) -> CudaRuntimeTraceEventNodeProto {
    let event = CudaRuntimeTraceEventProto {
        name: Some(recording.name(call.name).to_vec()),
        start_ns: Some(call.start),
        end_ns: Some(call.end),
        process_id: Some(thread.pid.into()),
        thread_id: Some(thread.tid.into()),
        correlation_id: Some(call.correlation),
        callback_id: Some(call.function),
        returned: Some(call.returned).filter(|&returned| returned != 0),
        is_stand_in: None,
    };
    CudaRuntimeTraceEventNodeProto { runtime_trace_event: Some(event), device_nodes: Vec::new() }
}

/// What holds work where no call does.
pub(super) fn stand_in(thread: &Thread, name: &str, time: u64) -> CudaRuntimeTraceEventNodeProto {
    let event = CudaRuntimeTraceEventProto {
        name: Some(name.as_bytes().to_vec()),
        start_ns: Some(time),
        end_ns: Some(time),
        process_id: Some(thread.pid.into()),
        thread_id: Some(thread.tid.into()),
        correlation_id: Some(0),
        callback_id: Some(0),
        returned: None,
        is_stand_in: Some(true),
    };
    CudaRuntimeTraceEventNodeProto { runtime_trace_event: Some(event), device_nodes: Vec::new() }
}

/// A piece of work.
pub(super) fn work(recording: &Recording, work: &Work) -> DeviceTraceEventNodeProto {
    let devices = &recording.devices;
    let nowhere = Stream::default();
    let stream = devices.streams.get(work.stream as usize).unwrap_or(&nowhere);
    let mut event = DeviceTraceEventProto {
        name: Some(recording.name(work.name).to_vec()),
        r#type: Some(4),
        start_ns: Some(work.start),
        end_ns: Some(work.end),
        device_id: Some(stream.device.into()),
        context_id: Some(stream.context.into()),
        stream_id: Some(stream.lane.into()),
        correlation_id: Some(work.correlation),
        graph_id: Some(work.graph).filter(|&graph| graph != 0),
        graph_node_id: Some(work.graph_node).filter(|&node| node != 0),
        is_cut: work.is_cut.then_some(true),
        ..DeviceTraceEventProto::default()
    };
    match work.what {
        What::Kernel(at) => {
            event.kernel_info = devices.launches.get(at as usize).map(|launch| kernel(launch, work));
        }
        What::Copy(at) => {
            event.r#type = Some(5);
            event.memcpy_info = devices.copies.get(at as usize).map(copy);
        }
        What::Fill(at) => {
            event.r#type = Some(6);
            event.memset_info = devices.fills.get(at as usize).map(fill);
        }
        What::Graph => {}
    }
    DeviceTraceEventNodeProto { device_event: Some(event) }
}

fn kernel(launch: &Launch, work: &Work) -> KernelEventInfoProto {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let told = launch.occupancy;
    KernelEventInfoProto {
        block_x: Some(bx),
        block_y: Some(by),
        block_z: Some(bz),
        grid_x: Some(gx),
        grid_y: Some(gy),
        grid_z: Some(gz),
        dynamic_shared_memory: Some(launch.dynamic_shared),
        static_shared_memory: Some(launch.static_shared),
        registers_per_thread: Some(launch.registers),
        local_memory_per_thread: Some(launch.local),
        local_memory_total: Some(0),
        queued: Some(work.queued),
        submitted: Some(work.submitted),
        completed: Some(work.end),
        blocks_per_sm: told.map(|told| told.blocks_per_sm as f32),
        warps_per_sm: told.map(|told| told.warps_per_sm as f32),
        occupancy: told.map(|told| told.share as f32),
    }
}

fn copy(copy: &Copy) -> MemcpyEventInfoProto {
    let text = |word: &str| Some(word.as_bytes().to_vec());
    MemcpyEventInfoProto {
        num_bytes: Some(copy.bytes),
        copy_kind: text(copy.kind),
        src_kind: text(copy.from),
        dst_kind: text(copy.to),
        is_async: Some(copy.is_async),
        source_device: copy.devices.map(|devices| devices.0),
        destination_device: copy.devices.map(|devices| devices.1),
        copies: Some(copy.copies).filter(|&copies| copies > 1),
    }
}

fn fill(fill: &Fill) -> MemsetEventInfoProto {
    MemsetEventInfoProto {
        num_bytes: Some(fill.bytes),
        memory_kind: Some(fill.kind.as_bytes().to_vec()),
        value: Some(fill.value),
        is_async: Some(fill.is_async),
    }
}
