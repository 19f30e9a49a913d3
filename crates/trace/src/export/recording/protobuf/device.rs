//! Makes the messages of CUDA calls and of the device work that they launched.

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, CudaRuntimeTraceEventProto, DeviceTraceEventNodeProto,
    DeviceTraceEventProto, KernelEventInfoProto, MemcpyEventInfoProto, MemsetEventInfoProto,
};
use proftui_base::saturate::saturate;

use super::super::content::{Recording, Thread};
use super::super::device::{Call, DeviceWork, LaunchConfig, Memcpy, Memset, Stream, WorkKind};

/// Makes the node of a call, without its device work.
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

/// Makes a stand-in for a call's node, to hold device work. `time`, ns since 1970, is its start and its end.
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

/// Makes the node of a piece of device work.
pub(super) fn work(recording: &Recording, work: &DeviceWork) -> DeviceTraceEventNodeProto {
    let devices = &recording.devices;
    let nowhere = Stream::default();
    let stream = devices.streams.get(work.stream as usize).unwrap_or(&nowhere);
    let graph = devices.graph_name(work);
    let name = |name: Option<u32>| name.map(|name| recording.name(name).to_vec());
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
        graph_operator: name(graph.operator),
        graph_range: name(graph.range),
        ..DeviceTraceEventProto::default()
    };
    match work.kind {
        WorkKind::Kernel(at) => {
            event.kernel_info = devices.launch_configs.get(at as usize).map(|launch| kernel(launch, work));
        }
        WorkKind::Memcpy(at) => {
            event.r#type = Some(5);
            event.memcpy_info = devices.memcpys.get(at as usize).map(memcpy);
        }
        WorkKind::Memset(at) => {
            event.r#type = Some(6);
            event.memset_info = devices.memsets.get(at as usize).map(memset);
        }
        WorkKind::Graph => {}
        WorkKind::DeviceGraph(_) => {
            event.launch = devices.launched(work).map(|by| by.as_bytes().to_vec());
        }
    }
    DeviceTraceEventNodeProto { device_event: Some(event) }
}

fn kernel(launch: &LaunchConfig, work: &DeviceWork) -> KernelEventInfoProto {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let occupancy = launch.occupancy;
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
        blocks_per_sm: occupancy.map(|occupancy| saturate::<f32>(occupancy.blocks_per_sm)),
        warps_per_sm: occupancy.map(|occupancy| saturate::<f32>(occupancy.warps_per_sm)),
        occupancy: occupancy.map(|occupancy| saturate::<f32>(occupancy.share)),
        launch: launch.launched.map(|how| how.as_bytes().to_vec()),
    }
}

fn memcpy(memcpy: &Memcpy) -> MemcpyEventInfoProto {
    let text = |text: &str| Some(text.as_bytes().to_vec());
    MemcpyEventInfoProto {
        num_bytes: Some(memcpy.bytes),
        copy_kind: text(memcpy.kind),
        src_kind: text(memcpy.from),
        dst_kind: text(memcpy.to),
        is_async: Some(memcpy.is_async),
        source_device: memcpy.devices.map(|devices| devices.0),
        destination_device: memcpy.devices.map(|devices| devices.1),
        copies: Some(memcpy.copies).filter(|&copies| copies > 1),
    }
}

fn memset(memset: &Memset) -> MemsetEventInfoProto {
    MemsetEventInfoProto {
        num_bytes: Some(memset.bytes),
        memory_kind: Some(memset.kind.as_bytes().to_vec()),
        value: Some(memset.value),
        is_async: Some(memset.is_async),
    }
}
